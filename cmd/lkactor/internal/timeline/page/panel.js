// panel.js: events in words, in the panel beside the chart and at the pointer.

// el makes an element with text, which is never read as anything but text.
function el(name, text, attributes) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  return element;
}

// placeText writes where in the log an event stands, as package telling does.
function placeText(notes, note) {
  return notes.run[note] ? `#${notes.op[note]}.${notes.run[note]}` : `#${notes.op[note]}`;
}

function whenText(p, note) {
  const { notes, exact } = p.chart;
  return `${p.clock.exact(exact[notes.at[note]])} · ${placeText(notes, note)}`;
}

// related gives the notes to show together: those of the whole lease or wait, in order.
function related(p, note) {
  const { notes, bars, marksOfBar, marks } = p.chart, bar = notes.bar[note];
  if (bar < 0) return [note];
  const all = new Set([bars.begin[bar], note]);
  for (const mark of marksOfBar.of(bar)) all.add(marks.note[mark]);
  if (bars.finish[bar] >= 0) all.add(bars.finish[bar]);
  return [...all].sort((a, b) => a - b);
}

// tipText says in a few lines what is under the pointer.
function tipText(p, found) {
  const { chart } = p, { notes } = chart;
  if (found.band && found.band.length > 1 && found.note < 0) {
    return `${found.band.length} locks: ${chart.lanes.shown[found.band[0]]} … ${chart.lanes.shown[found.band[found.band.length - 1]]}\nclick for each by itself`;
  }
  if (found.note < 0) return laneText(p, found.lane);
  const lines = [chart.lanes.shown[notes.lane[found.note]]];
  const some = found.bar === undefined ? [found.note] : related(p, found.note);
  for (const note of some.slice(0, 6)) lines.push(`${whenText(p, note)}: ${notes.text[note]}`);
  if (some.length > 6) lines.push(`and ${some.length - 6} more`);
  const knot = chart.knotOfNote.get(found.note);
  if (knot !== undefined) lines.push(...chart.knots[knot].lines);
  return lines.join("\n");
}

function laneText(p, lane) {
  const { byLane, lanes } = p.chart, n = byLane.notes.of(lane).length;
  return `${lanes.shown[lane]}\n${n.toLocaleString("en")} event${n === 1 ? "" : "s"}`;
}

const mostListed = 200; // events in the panel at once

// showDetails fills the panel for a note, or with what there is in all for none.
function showDetails(p, details, note, actions) {
  details.replaceChildren();
  if (note < 0) return showTotals(p, details);
  const { chart } = p, { notes } = chart;
  details.append(el("h2", chart.lanes.shown[notes.lane[note]]));
  const list = el("ol"), all = related(p, note);
  for (const n of all.slice(0, mostListed)) {
    const item = el("li", undefined, n === note ? { class: "chosen", "aria-current": "true" } : {});
    item.append(el("time", whenText(p, n)), notes.text[n]);
    list.append(item);
  }
  details.append(list);
  if (all.length > mostListed) details.append(el("p", `and ${all.length - mostListed} more`));
  const knot = chart.knotOfNote.get(note);
  if (knot !== undefined) showKnot(p, details, chart.knots[knot], actions);
}

// showKnot lists a cycle edge by edge, and leads to its locks.
function showKnot(p, details, knot, actions) {
  const { chart } = p;
  details.append(el("h2", "The cycle"));
  const list = el("ol", undefined, { class: "cycle" });
  for (const line of knot.lines) list.append(el("li", line));
  details.append(list);
  const lanes = [...new Set(knot.edges.map((e) => e.lane))];
  const only = el("button", `Only ${lanes.length === 1 ? "this lock" : `these ${lanes.length} locks`}`, { type: "button" });
  only.addEventListener("click", () => actions.only(lanes));
  details.append(only);
  for (const lane of lanes.slice(0, 12)) {
    const go = el("button", "Go to " + chart.lanes.shown[lane], { type: "button" });
    go.addEventListener("click", () => actions.lane(lane));
    details.append(go);
  }
}

function showTotals(p, details) {
  const { chart, lanes } = p, count = new Map();
  for (const sign of chart.marks.sign) count.set(sign, (count.get(sign) || 0) + 1);
  details.append(el("h2", "In all"));
  const list = el("ul");
  const add = (n, what) => n && list.append(el("li", `${what}: ${n.toLocaleString("en")}`));
  let leases = 0;
  for (const wait of chart.bars.wait) leases += 1 - wait;
  add(leases, "leases");
  add(chart.bars.count - leases, "waits");
  chart.glyphs.forEach((glyph, sign) => add(count.get(sign), glyph.means));
  details.append(list);
  if (lanes.order.length < chart.lanes.count) details.append(el("p", `${lanes.order.length.toLocaleString("en")} of the locks are shown.`));
  if (p.overview) showShades(p, details, count);
  else showColours(p, details);
}

// showShades is the legend of the overview.
function showShades(p, details, count) {
  const list = el("ul", undefined, { class: "signs" }), sample = sampler(p, list);
  details.append(el("h2", "Overview"), list);
  shadeSamples(p, sample, "");
  p.chart.glyphs.forEach((glyph, sign) => { if (glyph.trouble && count.has(sign)) signSample(p, sample, glyph, sign); });
}

// showColours lists the colours of clients that have a bar, of the first of them by name.
function showColours(p, details) {
  const { clients, hues, bars, named } = p.chart;
  const all = [...new Set(bars.client)].sort((a, b) => a - b);
  if (all.length === 0) return;
  details.append(el("h2", "Clients"));
  const list = el("ul", undefined, { class: "colours" });
  for (const client of all.slice(0, named)) {
    const item = el("li"), colour = el("i");
    colour.style.background = p.theme.fill(hues[client]);
    item.append(colour, clients.shown[client]);
    list.append(item);
  }
  details.append(list);
  const more = all.length - named;
  if (more > 0) details.append(el("p", `and ${more.toLocaleString("en")} more, each named where the pointer is over its bar`));
}

// sampler gives what adds a sample to a legend: something drawn, and what it means.
function sampler(p, list) {
  return (draw, means) => {
    const item = el("li"), canvas = el("canvas");
    canvas.width = 22 * p.ratio;
    canvas.height = 16 * p.ratio;
    const ctx = canvas.getContext("2d");
    ctx.scale(p.ratio, p.ratio);
    draw(ctx);
    item.append(canvas, means);
    list.append(item);
  };
}

function boxSample(fill) { return (ctx) => { ctx.fillStyle = fill; ctx.fillRect(1, 3, 20, 10); }; }

function signSample(p, sample, glyph, sign) {
  sample((ctx) => paintSign(ctx, p.theme, glyph, p.outlines[sign], 11, 8, 1, 1), glyph.means);
}

function shadeSamples(p, sample, where) {
  sample(boxSample(p.theme.colours.held), where + "locks held, the stronger the more");
  sample(boxSample(p.theme.colours.wait), where + "requests that wait, the higher the more");
}

// showSigns fills the legend of all that there may be.
function showSigns(p, list) {
  list.replaceChildren();
  const sample = sampler(p, list), lease = boxSample(p.theme.fill(200));
  sample(lease, "lease, with its token; dashed if shared");
  sample((ctx) => { ctx.globalAlpha = 0.35; lease(ctx); }, "what is left of a lease when the log ends");
  sample((ctx) => { ctx.fillStyle = p.theme.colours.dim; for (let y = 0; y < 16; y += 6) ctx.fillRect(10, y, 1, 3); }, "end of the log");
  sample((ctx) => { lease(ctx); boxSample(p.hatch)(ctx); }, "wait");
  sample(boxSample(p.theme.colours.many), "several, closer than pixels");
  p.chart.glyphs.forEach((glyph, sign) => signSample(p, sample, glyph, sign));
  shadeSamples(p, sample, "overview: ");
}

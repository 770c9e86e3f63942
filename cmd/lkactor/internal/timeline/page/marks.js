// marks.js: the marks of a lane, and the deadlocks across lanes.

// closest is the distance in pixels below which marks of one sign in one place are drawn
// as one.
const closest = 3;

// drawMarks draws the marks of a lane.
function drawMarks(p, lane, part) {
  const { chart } = p, { marks, bars, away } = chart;
  const items = chart.byLane.marks.of(lane);
  const last = new Map(), above = [];
  let i = firstWhere(items.length, (k) => away[marks.at[items[k]]] >= p.range[0]);
  for (; i < items.length && away[marks.at[items[i]]] <= p.range[1]; i++) {
    const mark = items[i], x = p.x(away[marks.at[mark]]), bar = marks.bar[mark], sign = marks.sign[mark];
    const group = bar < 0 ? null : bars.wait[bar] ? part.waits : part.leases;
    if (group && group.crowd && !chart.isTrouble[sign] && mark !== p.chosenMark) continue;
    const place = bar < 0 ? sign : sign + 100 * (1 + bars.row[bar] * 2 + bars.wait[bar]);
    const chosen = mark === p.chosenMark;
    if (!chosen && x - (last.get(place) ?? -Infinity) < closest) continue;
    last.set(place, x);
    const y = group ? group.top + (bars.row[bar] + 0.5) * group.high - 1 : part.strip;
    const scale = chart.glyphs[sign].name !== "lapse" ? 1 : Math.min(1, Math.max(0.35, (x - p.x(away[bars.from[bar]])) / 16));
    const draw = () => drawSign(p, sign, x, y, scale, chosen, p.faint(chart.notes.client[marks.note[mark]]));
    if (chosen || chart.isTrouble[sign]) above.push(draw);
    else draw();
  }
  for (const draw of above) draw();
}

function drawSign(p, sign, x, y, scale, chosen, faint) {
  p.drawn.marks++;
  paintSign(p.ctx, p.theme, p.chart.glyphs[sign], p.outlines[sign], x, y, scale, faint ? 0.2 : 1);
  if (!chosen) return;
  p.ctx.strokeStyle = p.colours.chosen;
  p.ctx.lineWidth = 2;
  p.ctx.beginPath();
  p.ctx.arc(x, y, 9, 0, 2 * Math.PI);
  p.ctx.stroke();
}

// paintSign draws one sign around a point.
function paintSign(ctx, theme, glyph, outline, x, y, scale, strength) {
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(scale, scale);
  ctx.globalAlpha = strength;
  ctx.strokeStyle = colourOf(theme, glyph.name);
  ctx.fillStyle = glyph.solid ? ctx.strokeStyle : theme.colours.ground;
  ctx.lineWidth = ["write", "refuse", "abort"].includes(glyph.name) ? 2 : 1.6;
  if (glyph.solid) {
    ctx.fill(outline);
  } else {
    if (["release", "withdraw", "evict", "operator"].includes(glyph.name)) ctx.fill(outline);
    ctx.stroke(outline);
  }
  ctx.restore();
}

// drawKnots draws a line through the lanes of each cycle, that of the one chosen last
// and strong. The overview has the line of that one only.
function drawKnots(p) {
  const { chart } = p;
  const last = new Map();
  if (!p.overview) chart.knots.forEach((knot, i) => {
    const x = p.x(chart.away[knot.at]);
    if (i === p.chosenKnot || x < p.left || x > p.right) return;
    const place = p.lanes.place[knot.lane];
    if (x - (last.get(place) ?? -Infinity) < closest) return;
    last.set(place, x);
    drawKnot(p, knot, x, false);
  });
  const knot = chart.knots[p.chosenKnot];
  if (knot) drawKnot(p, knot, p.x(chart.away[knot.at]), true);
}

function drawKnot(p, knot, x, chosen) {
  const { ctx } = p;
  const seen = [...new Set(knot.edges.map((e) => e.lane))].filter((lane) => p.lanes.place[lane] >= 0);
  if (seen.length === 0) return;
  const y = seen.map((lane) => p.stripOf(lane));
  const top = Math.min(...y), bottom = Math.max(...y);
  if (bottom < size.axis || top > p.height) return;
  ctx.strokeStyle = p.colours.abort;
  ctx.globalAlpha = chosen ? 1 : 0.55;
  ctx.lineWidth = chosen ? 2.2 : 1.2;
  ctx.setLineDash(chosen ? [] : [2, 2]);
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, bottom);
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
  ctx.fillStyle = p.colours.abort;
  for (const at of y) {
    ctx.beginPath();
    ctx.arc(x, at, chosen ? 4 : 2.5, 0, 2 * Math.PI);
    ctx.fill();
  }
  if (chosen && !p.overview) labelKnot(p, knot, x);
}

// labelKnot writes at each lane of a cycle who waits there for whom.
function labelKnot(p, knot, x) {
  const { ctx, chart } = p;
  const lines = new Map(); // how many labels each lane has
  ctx.font = p.bold;
  for (const e of knot.edges) {
    if (p.lanes.place[e.lane] < 0) continue;
    const n = lines.get(e.lane) || 0;
    lines.set(e.lane, n + 1);
    if (n > 2) continue;
    const how = e.token ? "waits for" : "is behind";
    const text = `${p.fit(chart.clients.shown[e.waiter], 120, p.bold)} ${how} ${p.fit(chart.clients.shown[e.blocker], 120, p.bold)}`;
    const wide = p.width(text, p.bold), left = x + 10 + wide > p.right ? x - 14 - wide : x + 10;
    const y = p.stripOf(e.lane) - n * 15;
    ctx.fillStyle = p.colours.ground;
    ctx.fillRect(left - 4, y - 8, wide + 8, 16);
    ctx.strokeStyle = p.colours.abort;
    ctx.lineWidth = 1;
    ctx.strokeRect(left - 4, y - 8, wide + 8, 16);
    ctx.fillStyle = p.colours.abort;
    ctx.fillText(text, left, y);
  }
}

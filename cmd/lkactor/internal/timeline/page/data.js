// data.js: the chart, read from the page. Whatever is a name or a sentence in it is
// anybody's text; it goes to textContent and to the canvas, and never to innerHTML.

// unpack gives what is packed in the page.
async function unpack(element) {
  const packed = Uint8Array.from(atob(element.textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// readChart makes typed tables of the columns, and indexes of who is on what lane.
function readChart(data) {
  const chart = { title: data.title, zero: data.zero, knots: data.knots, glyphs: data.glyphs, hues: data.hues, named: data.named };
  Object.assign(chart, readInstants(data));
  chart.lanes = { count: data.lanes.shown.length, shown: data.lanes.shown, search: searchable(data.lanes) };
  chart.clients = { count: data.clients.shown.length, shown: data.clients.shown, search: searchable(data.clients) };
  chart.bars = columns(data.bars, ["token"]);
  chart.marks = columns(data.marks, []);
  chart.notes = columns(data.notes, ["text", "op", "run"]);
  chart.bars.count = chart.bars.lane.length;
  chart.marks.count = chart.marks.lane.length;
  chart.notes.count = chart.notes.lane.length;
  chart.isTrouble = chart.glyphs.map((glyph) => glyph.trouble); // by sign
  index(chart);
  return chart;
}

// readInstants gives every instant twice: exactly, and as its distance from the first
// in floating point, which is good enough for a place on a screen.
function readInstants(data) {
  const exact = new BigInt64Array(data.gaps.length + 1);
  const first = BigInt(data.first);
  const away = new Float64Array(exact.length);
  exact[0] = first;
  for (let i = 0; i < data.gaps.length; i++) {
    exact[i + 1] = exact[i] + BigInt(data.gaps[i]);
    away[i + 1] = Number(exact[i + 1] - first);
  }
  return { exact, away, from: away[data.from], last: away[data.last], to: away[data.to], lastAt: data.last, fromAt: data.from };
}

// searchable gives what a filter looks in: a name as it is shown and in full.
function searchable(names) {
  return names.shown.map((shown, i) => (i in names.full ? shown + "\n" + names.full[i] : shown).toLowerCase());
}

function columns(table, kept) {
  const made = {};
  for (const [name, column] of Object.entries(table)) {
    made[name] = kept.includes(name) ? column || [] : Int32Array.from(column || []);
  }
  return made;
}

// grouped gives for each of count lanes the items on it, in the order in which they come:
// those of lane l are items[start[l]] to items[start[l + 1] - 1].
function grouped(laneOf, count) {
  const start = new Int32Array(count + 1);
  for (const lane of laneOf) start[lane + 1]++;
  for (let i = 0; i < count; i++) start[i + 1] += start[i];
  const next = start.slice(0, count), items = new Int32Array(laneOf.length);
  for (let i = 0; i < laneOf.length; i++) items[next[laneOf[i]]++] = i;
  return { start, items, of: (lane) => items.subarray(start[lane], start[lane + 1]) };
}

// index adds what is asked of the tables again and again.
function index(chart) {
  const { bars, marks, notes } = chart;
  chart.byLane = { bars: grouped(bars.lane, chart.lanes.count), marks: grouped(marks.lane, chart.lanes.count), notes: grouped(notes.lane, chart.lanes.count) };
  bars.wait = Uint8Array.from(bars.token, (token) => (token === "" ? 1 : 0));
  chart.byLane.rows = Array.from({ length: chart.lanes.count }, (_, lane) => rowsOf(bars, chart.byLane.bars.of(lane)));
  // What each event is on the chart: a mark, or else the beginning of a bar.
  notes.mark = new Int32Array(notes.count).fill(-1);
  notes.bar = new Int32Array(notes.count).fill(-1);
  for (let i = 0; i < bars.count; i++) notes.bar[bars.begin[i]] = i;
  for (let i = 0; i < marks.count; i++) {
    notes.mark[marks.note[i]] = i;
    if (marks.bar[i] >= 0) notes.bar[marks.note[i]] = marks.bar[i];
  }
  chart.marksOfBar = grouped(marks.bar.map((bar) => (bar < 0 ? bars.count : bar)), bars.count + 1);
  chart.knotOfNote = new Map(chart.knots.map((knot, i) => [knot.note, i]));
}

// rowsOf parts the bars of a lane by row: within one they follow each other in time.
function rowsOf(bars, items) {
  const rows = { lease: [], wait: [] };
  for (const i of items) {
    const kind = bars.wait[i] ? rows.wait : rows.lease;
    (kind[bars.row[i]] ||= []).push(i);
  }
  return rows;
}

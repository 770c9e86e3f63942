// find.js: what is at a point of the screen, and where on it something is.

const reach = 7; // in pixels, how near to a mark is on it

// find gives what is at a point: a lane with perhaps a note, which stands for the mark or
// bar there; or a band of the overview; null where nothing is.
function find(p, x, y) {
  if (y < size.axis) return null;
  if (p.overview) return findBand(p, x, y);
  const place = p.lanes.at(y - size.axis + p.scrolled);
  if (place < 0) return null;
  const lane = p.lanes.order[place];
  if (x < p.left) return { lane, note: -1 };
  const part = parts(p.chart, lane, size.axis + p.lanes.top[place] - p.scrolled);
  const mark = findMark(p, lane, part, x, y);
  if (mark >= 0) return { lane, note: p.chart.marks.note[mark], mark };
  const bar = findBar(p, lane, part, x, y);
  if (bar >= 0) return { lane, note: p.chart.bars.begin[bar], bar };
  return { lane, note: -1 };
}

function findMark(p, lane, part, x, y) {
  const { marks, bars, away } = p.chart, items = p.chart.byLane.marks.of(lane);
  let best = -1, least = reach * reach;
  for (let i = firstWhere(items.length, (k) => p.x(away[marks.at[items[k]]]) >= x - reach); i < items.length; i++) {
    const mark = items[i], bar = marks.bar[mark], lapse = p.chart.glyphs[marks.sign[mark]].name === "lapse";
    const dx = p.x(away[marks.at[mark]]) - (lapse ? 4 : 0) - x; // where the middle of the sign is
    if (dx > reach) break;
    const group = bar < 0 ? null : bars.wait[bar] ? part.waits : part.leases;
    const dy = (group ? group.top + (bars.row[bar] + 0.5) * group.high : part.strip) - y;
    const far = dx * dx + dy * dy - (p.chart.isTrouble[marks.sign[mark]] ? 4 : 0);
    if (far < least) [best, least] = [mark, far];
  }
  return best;
}

function findBar(p, lane, part, x, y) {
  const { bars, away } = p.chart, wait = y >= part.waits.top, group = wait ? part.waits : part.leases;
  if (group.crowd) return -1;
  const rows = wait ? p.chart.byLane.rows[lane].wait : p.chart.byLane.rows[lane].lease;
  const row = rows[Math.floor((y - group.top) / group.high)];
  if (!row) return -1;
  const i = firstWhere(row.length, (k) => p.x(away[bars.to[row[k]]]) >= x - 1);
  return i < row.length && p.x(away[bars.from[row[i]]]) <= x + 1 ? row[i] : -1;
}

function findBand(p, x, y) {
  const { bands, lanes } = p, band = Math.floor((y - size.axis) / bands.high);
  if (band < 0 || band >= bands.count) return null;
  const some = lanes.order.slice(band * bands.each, (band + 1) * bands.each);
  return { lane: some[0], note: x < p.left ? -1 : nearTrouble(p, some, x), band: some };
}

// nearTrouble gives the note of the mark of some lanes that the overview shows near x.
function nearTrouble(p, some, x) {
  const { marks, away, byLane } = p.chart;
  let best = -1, least = reach;
  for (const lane of some) {
    const items = byLane.marks.of(lane);
    for (let i = firstWhere(items.length, (k) => p.x(away[marks.at[items[k]]]) >= x - reach); i < items.length; i++) {
      const far = Math.abs(p.x(away[marks.at[items[i]]]) - x);
      if (p.x(away[marks.at[items[i]]]) > x + reach) break;
      if (p.chart.isTrouble[marks.sign[items[i]]] && far < least) [best, least] = [marks.note[items[i]], far];
    }
  }
  return best;
}

// whereIs gives the point of a note on the screen, whether or not it can be seen.
function whereIs(p, note) {
  const { chart } = p, lane = chart.notes.lane[note], place = p.lanes.place[lane];
  if (place < 0) return null;
  const x = p.x(chart.away[chart.notes.at[note]]), mark = chart.notes.mark[note], bar = chart.notes.bar[note];
  if (p.overview) return { x, y: p.stripOf(lane) };
  const part = parts(chart, lane, size.axis + p.lanes.top[place] - p.scrolled);
  if (bar < 0) return { x, y: part.strip };
  const group = chart.bars.wait[bar] ? part.waits : part.leases;
  const inside = mark < 0 ? Math.min(6, (p.x(chart.away[chart.bars.to[bar]]) - x) / 2) : 0;
  return { x: x + inside, y: group.top + (chart.bars.row[bar] + 0.5) * group.high - 1 };
}

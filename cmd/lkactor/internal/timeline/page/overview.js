// overview.js: all locks on one screen. Where there are more locks than lines of text
// have room, several share a band, and a band says for each moment how many of its locks
// are held and how many requests wait.

// makeBands shares the lanes out among the bands that a height has room for.
function makeBands(lanes, height) {
  const room = Math.max(1, Math.floor(height / size.band));
  const each = Math.max(1, Math.ceil(lanes.order.length / room));
  const count = Math.ceil(lanes.order.length / each);
  return { each, count, high: count ? Math.min(24, height / count) : size.band };
}

const cellWidth = 3; // of a moment, in pixels

// countCells counts per band and moment: locks held and requests that wait.
function countCells(p, bands) {
  const { chart } = p, { bars, away } = chart;
  const columns = Math.max(1, Math.ceil((p.right - p.left) / cellWidth)), stride = columns + 2;
  const held = new Float32Array(bands.count * stride), waits = new Float32Array(bands.count * stride);
  for (let bar = 0; bar < bars.count; bar++) {
    const place = p.lanes.place[bars.lane[bar]];
    if (place < 0 || p.faint(bars.client[bar])) continue;
    const x0 = p.x(away[bars.from[bar]]), x1 = p.x(bars.open[bar] ? chart.last : away[bars.to[bar]]);
    if (x1 < p.left || x0 > p.right) continue;
    const start = Math.floor(place / bands.each) * stride, cells = bars.wait[bar] ? waits : held;
    const c0 = (Math.max(x0, p.left) - p.left) / cellWidth, c1 = (Math.min(x1, p.right) - p.left) / cellWidth;
    spread(cells, start, c0, c1);
  }
  return { columns, stride, held, waits };
}

// spread adds a bar to the cells as changes, each cell by how much of it is covered: the
// sums from left to right are what covers each cell.
function spread(cells, start, c0, c1) {
  for (const [at, sign] of [[c0, 1], [c1, -1]]) {
    const cell = Math.floor(at), share = 1 - (at - cell);
    cells[start + cell] += sign * share;
    cells[start + cell + 1] += sign * (1 - share);
  }
}

function drawOverview(p) {
  const bands = makeBands(p.lanes, p.height - size.axis - 4);
  p.bands = bands;
  const cells = countCells(p, bands), { ctx } = p;
  for (let band = 0; band < bands.count; band++) {
    const y = size.axis + band * bands.high, locks = Math.min(bands.each, p.lanes.order.length - band * bands.each);
    if (band % 2 === 0) {
      ctx.fillStyle = p.colours.lane;
      ctx.fillRect(0, y, p.wide, bands.high);
    }
    drawBand(p, cells, band, locks, y, bands.high);
    labelBand(p, bands, band, locks, y);
  }
  overviewMarks(p, bands);
}

const shades = 12; // of a band

function drawBand(p, cells, band, locks, y, high) {
  const { ctx } = p;
  ctx.fillStyle = p.colours.held;
  // The eye tells a few of many locks from none sooner than many from all.
  shaded(p, cells.held, band * cells.stride, cells.columns, (n) => Math.sqrt(Math.min(1, n / locks)), (x, wide, part) => {
    ctx.globalAlpha = 0.12 + 0.65 * part;
    ctx.fillRect(x, y + 1, wide, high - 2);
  });
  ctx.globalAlpha = 0.9;
  ctx.fillStyle = p.colours.wait;
  shaded(p, cells.waits, band * cells.stride, cells.columns, (n) => Math.min(1, 0.25 + n / (2 * locks)), (x, wide, part) => {
    ctx.fillRect(x, y + high - 1 - part * 0.6 * (high - 3), wide, part * 0.6 * (high - 3));
  });
  ctx.globalAlpha = 1;
}

// shaded adds up the changes of a band and draws cells of one shade at a time.
function shaded(p, changes, start, columns, part, draw) {
  let sum = 0, from = 0, shade = 0;
  for (let i = 0; i <= columns; i++) {
    sum += changes[start + i];
    const next = i < columns && sum > 0.01 ? Math.ceil(part(sum) * shades) : 0;
    if (next === shade) continue;
    const x = p.left + from * cellWidth;
    if (shade > 0) {
      draw(x, Math.min(p.left + i * cellWidth, p.right) - x, shade / shades);
      p.drawn.bars++;
    }
    [from, shade] = [i, next];
  }
}

function labelBand(p, bands, band, locks, y) {
  const { ctx, chart } = p;
  const first = chart.lanes.shown[p.lanes.order[band * bands.each]];
  const more = locks > 1 ? ` +${locks - 1}` : "", wide = p.width(more, p.small);
  ctx.font = bands.high < 13 ? p.small : p.font;
  ctx.fillStyle = p.colours.text;
  const name = p.fit(first, p.left - 22 - wide, ctx.font);
  ctx.fillText(name, 12, y + bands.high / 2);
  if (more) {
    const after = 12 + p.width(name, ctx.font) + 2;
    ctx.font = p.small;
    ctx.fillStyle = p.colours.dim;
    ctx.fillText(more, after, y + bands.high / 2);
  }
}

// overviewMarks draws what somebody looks for above everything else: each sign once per
// band and few pixels.
function overviewMarks(p, bands) {
  const { chart } = p, { marks, away } = chart, taken = new Set();
  const draw = (mark, chosen) => {
    const place = p.lanes.place[marks.lane[mark]], x = p.x(away[marks.at[mark]]);
    if (place < 0 || x < p.left || x > p.right) return;
    const band = Math.floor(place / bands.each), sign = marks.sign[mark];
    const cell = (band * 20 + sign) * 4096 + Math.floor((x - p.left) / 6);
    if (!chosen && (taken.has(cell) || p.faint(chart.notes.client[marks.note[mark]]))) return;
    taken.add(cell);
    drawSign(p, sign, x, size.axis + (band + 0.5) * bands.high, Math.min(1, bands.high / 20), chosen, false);
  };
  for (let mark = 0; mark < marks.count; mark++) if (chart.isTrouble[marks.sign[mark]] && mark !== p.chosenMark) draw(mark, false);
  if (p.chosenMark >= 0) draw(p.chosenMark, true);
}

// bars.js: the bars of a lane, row by row.

// narrowest is the width in pixels up to which bars are drawn together: a row is never
// more rectangles than pixels, however many leases it had.
const narrowest = 1.5;

// drawRow draws the bars of one row. They do not overlap and come in order of time.
function drawRow(p, row, y, high) {
  const { bars, away } = p.chart;
  let i = firstWhere(row.length, (k) => away[bars.to[row[k]]] >= p.range[0]);
  let run = null; // bars that are drawn as one
  for (; i < row.length && away[bars.from[row[i]]] <= p.range[1]; i++) {
    const bar = row[i], x0 = p.x(away[bars.from[bar]]), x1 = p.x(away[bars.to[bar]]);
    if (x1 - x0 < narrowest && bar !== p.chosenBar) {
      if (run && x0 - run.x1 <= 1) {
        run.x1 = Math.max(run.x1, x1);
        run.bars++;
        continue;
      }
      if (run) drawRun(p, run, y, high);
      run = { x0, x1, bar, bars: 1 };
      continue;
    }
    if (run) drawRun(p, run, y, high);
    run = null;
    drawBar(p, bar, Math.max(x0, p.left - 4), Math.min(x1, p.right + 4), y, high);
  }
  if (run) drawRun(p, run, y, high);
}

function drawRun(p, run, y, high) {
  p.drawn.bars++;
  const { ctx, chart } = p;
  ctx.globalAlpha = p.faint(chart.bars.client[run.bar]) && run.bars === 1 ? 0.2 : 1;
  ctx.fillStyle = run.bars > 1 ? p.colours.many : p.theme.fill(chart.hues[chart.bars.client[run.bar]]);
  ctx.fillRect(run.x0, y, Math.max(run.x1 - run.x0, 1), high - 2);
  ctx.globalAlpha = 1;
}

function drawBar(p, bar, x0, x1, y, high) {
  p.drawn.bars++;
  const { ctx, chart } = p, { bars } = chart, client = bars.client[bar];
  const wait = bars.wait[bar] === 1, inner = high - 2;
  ctx.globalAlpha = p.faint(client) ? 0.2 : 1;
  const strength = ctx.globalAlpha;
  ctx.fillStyle = p.theme.fill(chart.hues[client]);
  let end = x1;
  if (bars.open[bar]) { // it goes on; what lies behind the log has not happened
    end = Math.max(x0, Math.min(x1, p.x(chart.last)));
    ctx.globalAlpha = strength * 0.35;
    if (!wait) ctx.fillRect(end, y, x1 - end, inner);
  }
  ctx.globalAlpha = strength * (wait ? 0.5 : 1);
  ctx.fillRect(x0, y, end - x0, inner);
  ctx.globalAlpha = strength;
  if (wait) {
    ctx.fillStyle = p.hatch;
    ctx.fillRect(x0, y, end - x0, inner);
  }
  ctx.strokeStyle = bar === p.chosenBar ? p.colours.chosen : p.colours.dim;
  ctx.lineWidth = bar === p.chosenBar ? 2.5 : 0.8;
  if (bars.shared[bar]) ctx.setLineDash([4, 2]);
  if (high >= 6 || bar === p.chosenBar) ctx.strokeRect(x0, y, end - x0, inner);
  ctx.setLineDash([]);
  if (high >= 10) writeOn(p, bar, ...(wait ? [x0, end] : labelRoom(p, bar, x0, end, x1)), y + inner / 2);
  ctx.globalAlpha = 1;
}

// labelRoom says where on a lease its label goes: before the end of the log, which is at
// done, or behind it, where all of it or at least the token has room; else across.
function labelRoom(p, bar, from, done, to) {
  const { bars, clients } = p.chart, token = 14 + p.width(bars.token[bar], p.bold);
  for (const wide of [token + 5 + p.width(clients.shown[bars.client[bar]], p.font), token]) {
    if (done - from >= wide) return [from, done];
    if (to - done >= wide) return [done, to];
  }
  return [from, to];
}

// writeOn writes the token of a lease and its client where there is room.
function writeOn(p, bar, x0, x1, y) {
  const { ctx, chart } = p, token = chart.bars.token[bar];
  let room = x1 - Math.max(x0, p.left) - (token ? 14 : 8), x = Math.max(x0, p.left) + 5;
  if (room < 6) return;
  ctx.fillStyle = p.colours.text;
  if (token) {
    ctx.font = p.bold;
    const wide = p.width(token, p.bold);
    if (wide > room + 5) return;
    ctx.fillText(token, x, y);
    x += wide + 5;
    room -= wide + 5;
  }
  const font = token ? p.font : p.small;
  const name = p.fit(chart.clients.shown[chart.bars.client[bar]], room, font);
  if (!name) return;
  ctx.font = font;
  if (!token) { // the hatching would be in the way
    ctx.fillStyle = p.colours.lane;
    ctx.globalAlpha *= 0.75;
    ctx.fillRect(x - 2, y - 4.5, p.width(name, font) + 4, 9);
    ctx.globalAlpha = p.faint(chart.bars.client[bar]) ? 0.3 : 1;
    ctx.fillStyle = p.colours.text;
  }
  ctx.fillText(name, x, y);
}

// drawCrowd draws how many bars there are at each moment where there are too many rows to
// be told apart, and on it those of the clients looked for.
function drawCrowd(p, items, part, colour) {
  const { ctx, chart } = p, { bars, away } = chart;
  const columns = Math.max(1, Math.ceil(p.right - p.left)), change = new Int32Array(columns + 2);
  for (const bar of items) {
    const x0 = p.x(away[bars.from[bar]]), x1 = p.x(bars.open[bar] ? chart.last : away[bars.to[bar]]);
    if (x1 < p.left || x0 > p.right) continue;
    change[Math.max(0, Math.floor(x0 - p.left))]++;
    change[Math.min(columns, Math.floor(x1 - p.left)) + 1]--;
  }
  const bottom = part.top + size.crowd - 3;
  ctx.fillStyle = colour;
  ctx.globalAlpha = p.lanes.chosen ? 0.2 : 0.55;
  ctx.beginPath();
  ctx.moveTo(p.left, bottom);
  for (let i = 0, n = 0; i < columns; i++) {
    n += change[i];
    ctx.lineTo(p.left + i, bottom - (n / part.rows) * (size.crowd - 16));
  }
  ctx.lineTo(p.right, bottom);
  ctx.fill();
  ctx.globalAlpha = 1;
  p.drawn.bars++;
  for (const bar of items) {
    if (bar !== p.chosenBar && (!p.lanes.chosen || !p.lanes.chosen[bars.client[bar]])) continue;
    const x0 = p.x(away[bars.from[bar]]), x1 = p.x(away[bars.to[bar]]);
    if (x1 < p.left || x0 > p.right) continue;
    drawBar(p, bar, Math.max(x0, p.left - 4), Math.min(x1, p.right + 4), part.top + bars.row[bar] * part.high, 7);
  }
  ctx.font = p.small;
  ctx.fillStyle = p.colours.dim;
  ctx.fillText(`${part.rows.toLocaleString("en")} at most`, p.left + 4, part.top + 6);
}

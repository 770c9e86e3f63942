// paint.js: one frame. A painter knows the canvas and what is to be seen; painting it
// changes nothing else.

const family = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

function makePainter(chart, clock, lanes, theme, canvas) {
  const p = {
    chart, clock, lanes, theme, canvas, ctx: canvas.getContext("2d"),
    font: `11px ${family}`, bold: `700 11px ${family}`, small: `9px ${family}`,
    outlines: chart.glyphs.map((glyph) => new Path2D(glyph.path)),
    wide: 0, height: 0, scrolled: 0, overview: false,
    chosenBar: -1, chosenMark: -1, chosenKnot: -1, chosenLane: -1,
    drawn: { bars: 0, marks: 0, frames: 0 },
    patterns: new Map(), names: 0,
    faint(client) { return lanes.chosen !== null && (client < 0 || !lanes.chosen[client]); },
    stripOf(lane) {
      const place = lanes.place[lane];
      if (p.overview) return size.axis + (Math.floor(place / p.bands.each) + 0.5) * p.bands.high;
      return parts(chart, lane, size.axis + lanes.top[place] - p.scrolled).strip;
    },
  };
  const widths = new Map();
  p.width = (text, font) => {
    const key = font + text;
    let wide = widths.get(key);
    if (wide === undefined) {
      if (widths.size > 50000) widths.clear();
      p.ctx.font = font;
      widths.set(key, (wide = p.ctx.measureText(text).width));
    }
    return wide;
  };
  // fit cuts a text that is too wide; nothing is left of it where there is no room at all.
  p.fit = (text, room, font) => {
    if (p.width(text, font) <= room) return text;
    if (room < 18) return "";
    const letters = Array.from(text);
    const n = firstWhere(letters.length, (k) => p.width(letters.slice(0, k + 1).join("") + "…", font) > room);
    return n < 2 ? "" : letters.slice(0, n).join("") + "…";
  };
  // measure gives the lanes' names the room that they need, within reason.
  p.measure = () => {
    let most = 0;
    for (const name of chart.lanes.shown) most = Math.max(most, p.width(name.slice(0, 60), p.bold));
    p.names = Math.min(Math.max(most + 26, size.least), size.mostLeft);
  };
  p.resize = (wide, height) => {
    const ratio = devicePixelRatio || 1;
    p.wide = wide;
    p.height = height;
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = height + "px";
    p.ratio = ratio;
    p.left = Math.min(p.names, wide / 3);
    p.right = wide - size.right;
  };
  return p;
}

// paint draws a frame of what the scale shows.
function paint(p, scale) {
  const { ctx, theme, chart, lanes } = p;
  p.colours = theme.colours;
  p.x = plainly(scale);
  p.range = [scale.invert(p.left - 12), scale.invert(p.right + 12)];
  p.hatch = hatch(p);
  p.drawn = { bars: 0, marks: 0, frames: p.drawn.frames + 1 };
  ctx.setTransform(p.ratio, 0, 0, p.ratio, 0, 0);
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.fillStyle = p.colours.ground;
  ctx.fillRect(0, 0, p.wide, p.height);
  const grid = axisTicks(chart, p.clock, scale.invert(p.left), scale.invert(p.right), Math.max(2, Math.floor((p.right - p.left) / (p.clock.live ? 130 : 100))));
  if (p.overview) {
    clipped(p, 0, () => drawOverview(p));
  } else {
    clipped(p, 0, () => drawGrounds(p));
    drawGrid(p, grid);
    clipped(p, p.left - 8, () => drawLanes(p));
  }
  clipped(p, p.left - 8, () => {
    drawLast(p);
    drawKnots(p);
  });
  drawAxis(p, grid);
  if (lanes.order.length === 0) {
    ctx.font = p.font;
    ctx.fillStyle = p.colours.dim;
    ctx.fillText("No lock fits what is looked for.", p.left + 8, size.axis + 20);
  }
}

function clipped(p, left, draw) {
  const { ctx } = p;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, size.axis, p.wide - left, p.height - size.axis);
  ctx.clip();
  draw();
  ctx.restore();
}

// plainly gives a scale as a bare line: it is asked some hundred thousand times a frame.
// Distances are taken from the middle of the screen, where they have to be exact.
function plainly(scale) {
  const [from, to] = scale.domain(), [left, right] = scale.range();
  const slope = (right - left) / (to - from), middle = (from + to) / 2, at = (left + right) / 2;
  return (away) => (away - middle) * slope + at;
}

// visible calls do with the lanes that are on the screen.
function visible(p, do_) {
  const { lanes } = p;
  if (lanes.order.length === 0) return;
  for (let i = Math.max(0, lanes.at(p.scrolled)); i < lanes.order.length; i++) {
    const top = size.axis + lanes.top[i] - p.scrolled;
    if (top > p.height) return;
    do_(lanes.order[i], i, top, lanes.top[i + 1] - lanes.top[i]);
  }
}

function drawGrounds(p) {
  const { ctx, chart } = p;
  visible(p, (lane, place, top, high) => {
    if (place % 2 === 0) {
      ctx.fillStyle = p.colours.lane;
      ctx.fillRect(0, top, p.wide, high);
    }
    if (lane === p.chosenLane) {
      ctx.fillStyle = p.colours.chosen;
      ctx.fillRect(0, top, 3, high);
    }
    ctx.font = p.bold;
    ctx.fillStyle = p.colours.text;
    ctx.fillText(p.fit(chart.lanes.shown[lane], p.left - 22, p.bold), 12, Math.min(Math.max(top, size.axis) + 14, top + high - 8));
  });
}

function drawLanes(p) {
  const { chart } = p;
  visible(p, (lane, _, top) => {
    const part = parts(chart, lane, top), rows = chart.byLane.rows[lane];
    if (part.leases.crowd) drawCrowd(p, rows.lease.flat(), part.leases, p.colours.held);
    else rows.lease.forEach((row, i) => drawRow(p, row, part.leases.top + i * size.lease, size.lease));
    if (part.waits.crowd) drawCrowd(p, rows.wait.flat(), part.waits, p.colours.wait);
    else rows.wait.forEach((row, i) => drawRow(p, row, part.waits.top + i * size.wait, size.wait));
    drawMarks(p, lane, part);
  });
}

function drawGrid(p, grid) {
  const { ctx } = p;
  ctx.strokeStyle = p.colours.grid;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (const tick of grid) {
    const x = Math.round(p.x(tick.away)) + 0.5;
    if (x < p.left || x > p.right) continue;
    ctx.moveTo(x, size.axis - 4);
    ctx.lineTo(x, p.height);
  }
  ctx.stroke();
}

// drawLast draws where the log ends, if anything on the chart lies behind it.
function drawLast(p) {
  const { ctx, chart } = p, x = p.x(chart.last);
  if (chart.to === chart.last || x < p.left || x > p.right) return;
  ctx.strokeStyle = p.colours.dim;
  ctx.lineWidth = 1;
  ctx.setLineDash([4, 3]);
  ctx.beginPath();
  ctx.moveTo(x, size.axis);
  ctx.lineTo(x, p.height);
  ctx.stroke();
  ctx.setLineDash([]);
}

function drawAxis(p, grid) {
  const { ctx } = p;
  ctx.fillStyle = p.colours.ground;
  ctx.fillRect(0, 0, p.wide, size.axis);
  ctx.fillStyle = p.colours.edge;
  ctx.fillRect(0, size.axis - 1, p.wide, 1);
  ctx.font = p.font;
  ctx.fillStyle = p.colours.dim;
  ctx.textAlign = "center";
  let free = 0; // from where on there is room
  for (const tick of grid) {
    const x = p.x(tick.away), half = p.width(tick.label, p.font) / 2;
    const at = Math.min(x, p.wide - half - 2);
    if (x < p.left - 1 || x > p.right + 1 || at - half < free) continue;
    ctx.fillText(tick.label, at, size.axis / 2);
    free = at + half + 8;
  }
  ctx.textAlign = "left";
  ctx.fillText(p.clock.live ? "UTC" : "seconds", 12, size.axis / 2);
}

// hatch gives the pattern of waits in the colours of now.
function hatch(p) {
  const key = p.colours.dim + p.ratio;
  if (!p.patterns.has(key)) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6;
    const ctx = tile.getContext("2d");
    ctx.strokeStyle = p.colours.dim;
    ctx.lineWidth = 1.4;
    ctx.beginPath();
    for (const k of [-6, 0, 6]) {
      ctx.moveTo(k - 1, 7);
      ctx.lineTo(k + 7, -1);
    }
    ctx.stroke();
    p.patterns.set(key, p.ctx.createPattern(tile, "repeat"));
  }
  return p.patterns.get(key);
}

// view.js: what part of the chart is seen: the range of time, by d3-zoom, and how far the
// lanes are scrolled, by the browser itself.

const leastSpan = 4; // units of time across the screen at most closely
const mostZoom = 1e12; // beyond that places on the screen would not be exact
const travel = 160; // of a zoom by key or button, in milliseconds

function makeView(p, stage, spacer) {
  const { chart, lanes } = p;
  const time = makeTime(p, stage);
  let asked = false;
  const view = {
    time,
    draw() {
      asked = false;
      p.scrolled = p.overview ? 0 : stage.scrollTop;
      paint(p, time.scale());
      view.drawn();
    },
    drawn() {},
    ask() {
      if (!asked) requestAnimationFrame(view.draw);
      asked = true;
    },
    // resize fits everything to the stage, which has a new size or other lanes.
    resize() {
      p.resize(stage.clientWidth, stage.clientHeight);
      spacer.style.height = p.overview ? "0" : Math.max(0, lanes.height + size.axis + 6 - stage.clientHeight) + "px";
      time.resize();
      view.ask();
    },
    // reveal brings a note onto the screen, moving no more than it has to.
    reveal(note) {
      const at = chart.away[chart.notes.at[note]], x = time.scale()(at), edge = 40;
      if (x < p.left + edge || x > p.right - edge) {
        const half = (time.scale().invert(p.right) - time.scale().invert(p.left)) / 2;
        if (time.zoomed()) time.show(at - half, at + half);
      }
      view.revealLane(chart.notes.lane[note]);
    },
    revealLane(lane) {
      const place = lanes.place[lane];
      if (place < 0 || p.overview) return;
      const room = stage.clientHeight - size.axis, top = lanes.top[place], high = lanes.top[place + 1] - top;
      const far = Math.max(stage.scrollTop - top, top + high - stage.scrollTop - room);
      if (far > 2 * high) stage.scrollTop = top - room / 3; // with its neighbours
      else if (top < stage.scrollTop) stage.scrollTop = top - size.gap;
      else if (top + high > stage.scrollTop + room) stage.scrollTop = Math.min(top - size.gap, top + high - room + size.gap);
      p.scrolled = stage.scrollTop;
      view.ask();
    },
  };
  time.moved = view.ask;
  stage.addEventListener("scroll", view.ask);
  new ResizeObserver(view.resize).observe(stage);
  return view;
}

// makeTime is the range of time on the screen. moved is called whenever it has changed.
function makeTime(p, stage) {
  const { chart, lanes } = p;
  const span = Math.max(chart.to - chart.from, 1), limit = Math.min(mostZoom, Math.max(1, span / leastSpan));
  const base = d3.scaleLinear().domain([chart.from, chart.from + span]);
  const selected = d3.select(stage), still = matchMedia("(prefers-reduced-motion: reduce)");
  const overflows = () => !p.overview && lanes.height + size.axis > stage.clientHeight;
  let scale = base, before = d3.zoomIdentity;
  let aimed = null; // where a zoom that is under way will end
  const zoom = d3.zoom().scaleExtent([1, limit]).clickDistance(4)
    .filter((e) => (e.type === "wheel" ? (e.ctrlKey || e.metaKey || !overflows()) && !e.shiftKey : !e.button && !e.ctrlKey))
    .on("zoom", (e) => {
      const t = e.transform, from = e.sourceEvent;
      if (from && (from.type === "mousemove" || from.type === "touchmove") && t.k === before.k) stage.scrollTop -= t.y - before.y;
      before = t;
      scale = t.rescaleX(base);
      time.moved();
    })
    .on("end", () => { aimed = null; });
  const bounded = (k) => Math.min(Math.max(k, 1), limit);
  const aim = () => aimed || d3.zoomTransform(stage); // a second step goes on from there
  // go moves the view, within what there is to see.
  const go = (k, shift) => {
    const to = d3.zoomIdentity.translate(Math.min(Math.max(shift, p.right * (1 - k)), p.left * (1 - k)), 0).scale(k);
    selected.interrupt();
    if (still.matches || document.hidden) return selected.call(zoom.transform, to);
    selected.transition().duration(travel).call(zoom.transform, to);
    aimed = to;
  };
  const time = {
    moved() {},
    scale: () => scale,
    zoomed: () => d3.zoomTransform(stage).k > 1,
    resize() {
      base.range([p.left, p.right]);
      zoom.extent([[p.left, 0], [p.right, p.height]]).translateExtent([[p.left, -Infinity], [p.right, Infinity]]);
      scale = d3.zoomTransform(stage).rescaleX(base);
    },
    zoomBy(factor) {
      const t = aim(), k = bounded(t.k * factor), middle = (p.left + p.right) / 2;
      go(k, middle - (middle - t.x) / t.k * k);
    },
    pan(pixels) {
      const t = aim();
      go(t.k, t.x + pixels);
    },
    all() { go(1, 0); },
    // show brings a range of distances from the first instant onto the screen.
    show(from, to) {
      const k = bounded(span / Math.max(to - from, 1e-9));
      go(k, (p.left + p.right) / 2 - k * base((from + to) / 2));
    },
  };
  selected.call(zoom);
  panByWheel(stage, (pixels) => {
    selected.interrupt();
    selected.call(zoom.translateBy, pixels / d3.zoomTransform(stage).k, 0);
  });
  return time;
}

// panByWheel moves along the time where the wheel goes sideways, or with Shift.
function panByWheel(stage, pan) {
  stage.addEventListener("wheel", (e) => {
    const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY);
    if (!e.shiftKey && !sideways) return;
    e.preventDefault();
    pan(-(sideways ? e.deltaX : e.deltaY));
  }, { passive: false });
}

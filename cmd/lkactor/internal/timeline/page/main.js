// main.js: the page put together.

const $ = (id) => document.getElementById(id);

// fewLanes is how many screens of lanes are shown one by one at first; more are shown as
// an overview.
const fewLanes = 4;

async function main() {
  const chart = readChart(await unpack($("data")));
  $("data").remove();
  const clock = makeClock(chart), lanes = makeLanes(chart), stage = $("stage");
  let p, view, actions;
  const theme = makeTheme($("theme"), () => { if (actions) { view.ask(); view.signs = false; actions.details(); } });
  theme.apply();
  p = makePainter(chart, clock, lanes, theme, $("canvas"));
  p.measure();
  lanes.choose("", "", "name", null);
  p.overview = lanes.height > fewLanes * stage.clientHeight;
  $("mode").setAttribute("aria-pressed", String(p.overview));
  view = makeView(p, stage, $("spacer"));
  const walk = makeWalk(p);
  const state = { note: -1, only: null, opened: 0 };
  actions = makeActions(p, view, walk, state, stage);
  bindTools(p, view, state, actions);
  bindPointer(p, view, stage, actions);
  listen(stage, actions);
  about(p);
  view.drawn = () => {
    if (!("ready" in document.documentElement.dataset)) {
      document.documentElement.dataset.ready = "";
      state.opened = performance.now();
    }
    if (!$("help").hidden && !view.signs) { showSigns(p, $("signs")); view.signs = true; }
  };
  view.resize();
  actions.choose(-1);
  stage.focus({ preventScroll: true }); // so that its keys work on a page that has just been opened
  expose(p, view, state, actions);
}

function about(p) {
  const { chart, clock } = p, n = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
  $("about").textContent = `${n(chart.lanes.count, "lock")}, ${n(chart.clients.count, "client")}, ${n(chart.notes.count, "event")}; ` +
    `from ${clock.exact(chart.exact[chart.fromAt])} to ${clock.exact(chart.exact[chart.lastAt])}${clock.live ? "" : ", in seconds"}`;
}

function bindTools(p, view, state, actions) {
  const bind = (id, does) => $(id).addEventListener("click", does);
  bind("in", () => actions.zoom(2));
  bind("out", () => actions.zoom(0.5));
  bind("fit", actions.all);
  bind("mode", actions.mode);
  bind("next", () => actions.trouble(1));
  bind("back", () => actions.trouble(-1));
  bind("helper", actions.help);
  for (const id of ["locks", "clients", "order"]) {
    $(id).addEventListener("input", () => { state.only = null; actions.filter(); });
    $(id).addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === "Escape") $("stage").focus(); });
  }
  $("tools").addEventListener("submit", (e) => e.preventDefault());
}

function bindPointer(p, view, stage, actions) {
  const tip = $("tip");
  const at = (e) => {
    const box = stage.getBoundingClientRect();
    return find(p, e.clientX - box.left, e.clientY - box.top);
  };
  const hide = () => { tip.hidden = true; };
  stage.addEventListener("pointermove", (e) => {
    const found = e.buttons ? null : at(e);
    if (!found) return hide();
    tip.textContent = tipText(p, found);
    tip.hidden = false;
    const wide = tip.offsetWidth, high = tip.offsetHeight;
    tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - wide - 6)) + "px";
    tip.style.top = Math.max(4, e.clientY + 18 + high > innerHeight ? e.clientY - high - 10 : e.clientY + 18) + "px";
  });
  stage.addEventListener("pointerleave", hide);
  stage.addEventListener("pointerdown", hide);
  stage.addEventListener("scroll", hide);
  stage.addEventListener("click", (e) => {
    const found = at(e);
    if (!found) return;
    if (found.note >= 0) actions.choose(found.note, true);
    if (found.band && found.note < 0) actions.lane(found.lane);
  });
}

// expose lets tests, and whoever opens the console, see what is on the screen.
function expose(p, view, state, actions) {
  window.timeline = {
    note: () => state.note,
    choose: (note) => actions.choose(note),
    notes: () => p.chart.notes.text,
    shown: () => p.lanes.order.map((lane) => p.chart.lanes.shown[lane]),
    range: () => [view.time.scale().invert(p.left), view.time.scale().invert(p.right)],
    where: (note) => whereIs(p, note),
    drawn: () => p.drawn,
    opened: () => state.opened,
    paint: view.draw,
    overview: () => p.overview,
    instant: (note) => p.clock.exact(p.chart.exact[p.chart.notes.at[note]]),
    ticks: () => axisTicks(p.chart, p.clock, ...window.timeline.range(), 8).map((tick) => tick.label),
  };
}

main().catch((error) => {
  $("notice").textContent = `This page cannot be shown: ${error.message}. It needs a browser of 2023 or later.`;
  $("notice").hidden = false;
  throw error;
});

// actions.js: all that can be done, by whatever means.

// makeActions gives what buttons, keys and clicks do. state is what is chosen.
function makeActions(p, view, walk, state, stage) {
  const { chart, lanes } = p;
  const actions = {};
  actions.choose = (note, quiet) => {
    state.note = note;
    p.chosenMark = note < 0 ? -1 : chart.notes.mark[note];
    p.chosenBar = note < 0 ? -1 : chart.notes.bar[note];
    p.chosenLane = note < 0 ? -1 : chart.notes.lane[note];
    p.chosenKnot = chart.knotOfNote.get(note) ?? -1;
    actions.details();
    if (note >= 0) say(`${chart.lanes.shown[chart.notes.lane[note]]}, ${whenText(p, note)}: ${chart.notes.text[note]}`);
    if (note >= 0 && !quiet) view.reveal(note);
    view.ask();
  };
  actions.details = () => showDetails(p, $("details"), state.note, actions);
  // only shows some lanes and no others, until Escape or a filter.
  actions.only = (some) => {
    state.only = new Set(some);
    if (p.overview) actions.mode();
    actions.filter();
  };
  actions.filter = () => {
    lanes.choose($("locks").value, $("clients").value, $("order").value, state.only);
    view.resize();
    if (state.note < 0) actions.details();
    else view.revealLane(chart.notes.lane[state.note]);
    say(`locks shown: ${lanes.order.length} of ${chart.lanes.count}`);
  };
  actions.locks = () => $("locks").focus();
  actions.clients = () => $("clients").focus();
  actions.help = () => {
    const hidden = ($("help").hidden = !$("help").hidden);
    $("helper").setAttribute("aria-expanded", String(!hidden));
    view.signs = false;
    view.ask();
    if (!hidden) $("help").scrollIntoView({ block: "nearest" });
  };
  // back leaves what was come to last: the help, or what is chosen.
  actions.back = () => ($("help").hidden ? actions.nothing() : actions.help());
  return Object.assign(actions, walkActions(p, walk, state, actions), viewActions(p, view, state, stage, actions));
}

// say has something read out.
function say(text) { $("said").textContent = text; }

// walkActions go from event to event.
function walkActions(p, walk, state, actions) {
  const { chart, lanes } = p;
  const go = (move) => {
    const note = state.note >= 0 && lanes.place[chart.notes.lane[state.note]] >= 0 ? move(state.note) : walk.start();
    if (note >= 0) actions.choose(note);
  };
  return {
    step: (by) => go((note) => walk.step(note, by)),
    up: (by) => go((note) => walk.lane(note, by)),
    end: (last) => go((note) => walk.end(note, last)),
    trouble(by) {
      const from = state.note >= 0 ? state.note : by > 0 ? -1 : chart.notes.count;
      const note = walk.trouble(from, by);
      if (note >= 0 && note < chart.notes.count && note !== state.note) actions.choose(note);
      else say("No more trouble.");
    },
    nothing() {
      if (state.only) {
        state.only = null;
        actions.filter();
      }
      actions.choose(-1);
    },
  };
}

// viewActions move what is seen.
function viewActions(p, view, state, stage, actions) {
  const { chart } = p, { time } = view;
  return {
    pan: (by) => time.pan(by * (p.right - p.left) / 4),
    page: (by) => { stage.scrollTop += by * (stage.clientHeight - size.axis) * 0.9; },
    zoom: (factor) => time.zoomBy(factor),
    all: () => time.all(),
    mode() {
      p.overview = !p.overview;
      $("mode").setAttribute("aria-pressed", String(p.overview));
      view.resize();
      if (state.note >= 0) view.reveal(state.note);
      else actions.details();
    },
    // closer shows what is chosen by itself, in a range of time that fits it.
    closer() {
      if (state.note < 0) return;
      if (p.overview) actions.mode();
      const { notes, bars, away } = chart, bar = notes.bar[state.note];
      const at = away[notes.at[state.note]], half = (time.scale().invert(p.right) - time.scale().invert(p.left)) / 8;
      const from = bar < 0 ? at : away[bars.from[bar]], to = bar < 0 ? at : away[bars.to[bar]];
      const rim = bar < 0 ? half : Math.max((to - from) * 0.3, leastSpan / 2);
      time.show(from - rim, to + rim);
      view.revealLane(notes.lane[state.note]);
    },
    lane(lane) {
      if (p.overview) actions.mode();
      view.revealLane(lane);
      stage.focus();
    },
  };
}

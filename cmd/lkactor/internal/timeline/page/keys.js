// keys.js: the chart by keyboard. Arrow keys go from event to event, and whatever is come
// to is said in the panel and to screen readers.

// makeWalk goes over the notes of the lanes that are shown.
function makeWalk(p) {
  const { chart, lanes } = p, { notes, byLane } = chart;
  // nearest gives the note of a lane that is nearest in time to another.
  const nearest = (lane, at) => {
    const items = byLane.notes.of(lane);
    const i = firstWhere(items.length, (k) => chart.away[notes.at[items[k]]] >= at);
    if (i === 0) return items[0];
    if (i === items.length) return items[i - 1];
    return chart.away[notes.at[items[i]]] - at < at - chart.away[notes.at[items[i - 1]]] ? items[i] : items[i - 1];
  };
  const isTroubled = (note) => notes.mark[note] >= 0 && chart.isTrouble[chart.marks.sign[notes.mark[note]]] &&
    lanes.place[notes.lane[note]] >= 0 && !p.faint(notes.client[note]);
  return {
    // start gives the note to begin with: the first of the lane on top of the screen.
    start() {
      const place = Math.max(0, lanes.at(p.scrolled));
      return lanes.order.length ? nearest(lanes.order[place], p.range[0]) : -1;
    },
    step(note, by) {
      const items = byLane.notes.of(notes.lane[note]);
      return items[Math.min(Math.max(firstWhere(items.length, (k) => items[k] >= note) + by, 0), items.length - 1)];
    },
    end(note, last) {
      const items = byLane.notes.of(notes.lane[note]);
      return items[last ? items.length - 1 : 0];
    },
    lane(note, by) {
      const place = lanes.place[notes.lane[note]] + by;
      if (place < 0 || place >= lanes.order.length) return note;
      return nearest(lanes.order[place], chart.away[notes.at[note]]);
    },
    trouble(note, by) {
      for (let i = note + by; i >= 0 && i < notes.count; i += by) if (isTroubled(i)) return i;
      return note;
    },
  };
}

// listen binds the keys; actions are what they do.
function listen(stage, actions) {
  const keys = {
    ArrowLeft: () => actions.step(-1), ArrowRight: () => actions.step(1),
    ArrowUp: () => actions.up(-1), ArrowDown: () => actions.up(1),
    Home: () => actions.end(false), End: () => actions.end(true),
    "Shift+ArrowLeft": () => actions.pan(1), "Shift+ArrowRight": () => actions.pan(-1),
    PageUp: () => actions.page(-1), PageDown: () => actions.page(1),
    "+": () => actions.zoom(2), "=": () => actions.zoom(2), "-": () => actions.zoom(0.5), "0": actions.all,
    Enter: actions.closer, Escape: actions.back,
  };
  const anywhere = {
    t: () => actions.trouble(1), T: () => actions.trouble(-1), o: actions.mode, "/": actions.locks, c: actions.clients, "?": actions.help, Escape: actions.back,
  };
  const run = (e, does) => {
    if (!does) return;
    e.preventDefault();
    e.stopPropagation();
    does();
  };
  const plain = (e) => !e.ctrlKey && !e.metaKey && !e.altKey;
  stage.addEventListener("keydown", (e) => {
    if (plain(e)) run(e, keys[(e.shiftKey && e.key.startsWith("Arrow") ? "Shift+" : "") + e.key]);
  });
  document.addEventListener("keydown", (e) => {
    if (plain(e) && !["INPUT", "SELECT"].includes(e.target.tagName)) run(e, anywhere[e.key]);
  });
}

// lanes.js: which lanes there are to see, in what order, and how high each of them is.

const size = { axis: 30, least: 110, mostLeft: 280, right: 14, lease: 18, wait: 12, strip: 14, gap: 6, crowd: 110, mostRows: 40, band: 12 };

// makeLanes gives the lanes of a chart under filters; choose sets those.
function makeLanes(chart) {
  const { lanes, clients, bars, marks } = chart;
  const trouble = troubleOf(chart);
  const lanesState = {
    order: [], top: new Float64Array(1), place: new Int32Array(lanes.count).fill(-1), height: 0,
    chosen: null, // which clients are looked for, if any are
    choose(lockText, clientText, by, only) {
      const lock = lockText.trim().toLowerCase(), client = clientText.trim().toLowerCase();
      this.chosen = client ? Uint8Array.from(clients.search, (text) => (text.includes(client) ? 1 : 0)) : null;
      const met = this.chosen && lanesOf(chart, this.chosen);
      const order = [];
      for (let i = 0; i < lanes.count; i++) {
        if ((!lock || lanes.search[i].includes(lock)) && (!met || met[i]) && (!only || only.has(i))) order.push(i);
      }
      this.order = sorted(order, by);
      this.stack();
    },
    stack() {
      this.place.fill(-1);
      this.top = new Float64Array(this.order.length + 1);
      this.order.forEach((lane, i) => {
        this.place[lane] = i;
        this.top[i + 1] = this.top[i] + laneHeight(chart, lane);
      });
      this.height = this.top[this.order.length];
    },
    // at gives the place of the lane that is that far down; -1 if there is none.
    at(y) {
      if (y < 0 || y >= this.height) return -1;
      return upper(this.top, y) - 1;
    },
    trouble,
  };
  const first = new Float64Array(lanes.count).fill(Infinity);
  for (let i = 0; i < chart.notes.count; i++) first[chart.notes.lane[i]] = Math.min(first[chart.notes.lane[i]], i);
  const events = (lane) => chart.byLane.notes.start[lane + 1] - chart.byLane.notes.start[lane];
  function sorted(order, by) {
    if (by === "first") return order.sort((a, b) => first[a] - first[b]);
    if (by === "busy") return order.sort((a, b) => events(b) - events(a) || a - b);
    if (by === "trouble") return order.sort((a, b) => trouble[b] - trouble[a] || a - b);
    return order;
  }
  return lanesState;
}

// lanesOf tells on which lanes the clients chosen have anything.
function lanesOf(chart, chosen) {
  const met = new Uint8Array(chart.lanes.count);
  const { notes } = chart;
  for (let i = 0; i < notes.count; i++) if (notes.client[i] >= 0 && chosen[notes.client[i]]) met[notes.lane[i]] = 1;
  for (const knot of chart.knots) {
    if (knot.edges.some((e) => chosen[e.waiter] || chosen[e.blocker])) for (const e of knot.edges) met[e.lane] = 1;
  }
  return met;
}

function troubleOf(chart) {
  const trouble = new Float64Array(chart.lanes.count);
  const { marks } = chart;
  for (let i = 0; i < marks.count; i++) {
    const name = chart.glyphs[marks.sign[i]].name;
    trouble[marks.lane[i]] += chart.isTrouble[marks.sign[i]] ? 1000 : name === "lapse" || name === "fail" ? 1 : 0;
  }
  return trouble;
}

// rowCount gives how many rows a lane has; one with more than size.mostRows is a crowd,
// which is drawn as a curve of how many there are.
function rowCount(chart, lane) {
  const rows = chart.byLane.rows[lane];
  return { lease: Math.max(rows.lease.length, 1), wait: rows.wait.length };
}

function laneHeight(chart, lane) {
  const { lease, wait } = rowCount(chart, lane);
  return size.gap + partHeight(lease, size.lease) + partHeight(wait, size.wait) + size.strip;
}

function partHeight(rows, high) { return rows > size.mostRows ? size.crowd : rows * high; }

// parts gives where within a lane its leases, waits and strip are.
function parts(chart, lane, top) {
  const { lease, wait } = rowCount(chart, lane);
  const leases = { top: top + size.gap / 2, rows: lease, high: size.lease, crowd: lease > size.mostRows };
  const waits = { top: leases.top + partHeight(lease, size.lease), rows: wait, high: size.wait, crowd: wait > size.mostRows };
  for (const part of [leases, waits]) if (part.crowd) part.high = size.crowd / part.rows;
  return { leases, waits, strip: waits.top + partHeight(wait, size.wait) + size.strip / 2 };
}

// upper gives how many of ascending numbers are at most x.
function upper(numbers, x) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= x) low = middle + 1; else high = middle;
  }
  return low;
}

// firstWhere gives the first of n for which is() holds, which then holds for all behind.
function firstWhere(n, is) {
  let low = 0, high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (is(middle)) high = middle; else low = middle + 1;
  }
  return low;
}

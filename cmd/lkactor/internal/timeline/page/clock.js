// clock.js: instants in words. Those of a plain log are numbers, those of a live one
// times of day, as package telling writes them.

const second = 1000000000n;

// makeClock gives the clock of a chart.
function makeClock(chart) {
  if (!chart.zero) return { live: false, exact: (at) => String(at) };
  const point = /\.(\d+)/.exec(chart.zero);
  const zero = BigInt(Date.parse(chart.zero.replace(/\.\d+/, ""))) * 1000000n + BigInt((point ? point[1] : "0").padEnd(9, "0"));
  const parts = (at) => {
    const ns = zero + at;
    const rest = ((ns % second) + second) % second;
    return [new Date(Number((ns - rest) / 1000000n)), String(rest).padStart(9, "0")];
  };
  return {
    live: true,
    zero,
    exact(at) {
      const [date, rest] = parts(at);
      const iso = date.toISOString(); // with a sign and two digits more outside the years 0 to 9999
      return iso.slice(0, iso.lastIndexOf(".")) + "." + rest + "Z";
    },
    // fine writes the time of day alone, with that many digits behind the second.
    fine(at, digits) {
      const [date, rest] = parts(at);
      return date.toISOString().slice(-13, -5) + "." + rest.slice(0, digits);
    },
  };
}

// axisTicks gives round instants in a range of distances from the first instant, with
// their labels.
function axisTicks(chart, clock, from, to, count) {
  const first = chart.exact[0];
  if (!clock.live) {
    // Distances from the first instant are small where instants are huge; where both
    // are exact the ticks are round instants.
    const base = Number(first);
    const exact = Number.isSafeInteger(base) && Number.isSafeInteger(Math.ceil(base + to));
    const offset = exact ? base : 0;
    const scale = d3.scaleLinear().domain([from + offset, to + offset]);
    return scale.ticks(count).filter(Number.isInteger).map((t) => ({
      away: t - offset, label: exact ? t.toLocaleString("en", { useGrouping: false }) : "+" + (t - 0).toLocaleString("en"),
    }));
  }
  const start = clock.zero + first; // in nanoseconds since 1970
  const ms = (away) => Number((start + BigInt(Math.round(away))) / 1000000n);
  if (to - from > 1e9 * count) {
    const dates = d3.scaleUtc().domain([new Date(ms(from)), new Date(ms(to))]).ticks(count);
    const step = dates.length > 1 ? dates[1] - dates[0] : 1000;
    return dates.map((date) => ({ away: Number(BigInt(+date) * 1000000n - start), label: dateLabel(date, step) }));
  }
  const digits = Math.min(9, Math.max(3, 9 - Math.floor(Math.log10(Math.max(1, (to - from) / count)))));
  return d3.scaleLinear().domain([from, to]).ticks(count).map((away) => ({ away, label: clock.fine(first + BigInt(Math.round(away)), digits) }));
}

// dateLabel writes a date as exactly as the step in milliseconds needs; a day begins with
// its date.
function dateLabel(date, step) {
  const iso = date.toISOString(), day = iso.slice(0, iso.indexOf("T")), time = iso.slice(iso.indexOf("T") + 1);
  if (time === "00:00:00.000Z") return day;
  return step % 60000 === 0 ? time.slice(0, 5) : time.slice(0, 8);
}

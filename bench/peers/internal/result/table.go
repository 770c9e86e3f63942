package result

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/leasekeeper/lkactor/bench/peers/internal/cycle"
)

// Table writes the result as Markdown.
func (r *Result) Table(out io.Writer) {
	fmt.Fprintf(out, "# The engine beside other lock services\n\n%s UTC, commit %s, %s, %d cores, %s %s; %s.\n\n%s The run took %.0f s.\n",
		r.Date, r.Commit, r.CPU, r.Cores, r.Go, r.System, strings.Join(r.Versions, ", "), r.Load, r.Took)
	fmt.Fprintf(out, "\nAll of it runs on one machine: clients in one process, which the first systems share, servers on the "+
		"loopback interface. A cycle is acquire and release. Figures are medians of rounds of %.0f ms, in which the "+
		"systems take turns. To have four kilobytes on disk takes %.1f ms here, by the median.\n", r.RoundMs, r.SyncUs/1e3)
	r.cycles(out)
	r.latencies(out)
	r.contention(out)
	r.rings(out)
	fmt.Fprint(out, "\n## How each was asked\n\n")
	for _, s := range r.Systems {
		fmt.Fprintf(out, "- **%s**: %s.\n", s.Name, s.About)
	}
}

// cycles writes the one table with everything that is needed to choose: how fast,
// and what for.
func (r *Result) cycles(out io.Writer) {
	fmt.Fprint(out, "\n## Cycles in a second, and what one gets for them\n\nThe columns with numbers above them are that many "+
		"clients, each with a lock of its own; the one after them counts locks handed from one client to another in a second.\n")
	header := []string{"system"}
	for _, c := range r.Cases {
		if c.Contended() {
			header = append(header, fmt.Sprintf("hand-offs, %v", c))
		} else {
			header = append(header, c.String())
		}
	}
	figures := len(header) - 1
	for _, c := range columns {
		header = append(header, c.title)
	}
	t := begin(out, header, 1, figures)
	for _, s := range r.Systems {
		row := []string{s.Name}
		for i, c := range r.Cases {
			figure := func(x cycle.Round) float64 { return x.Cycles }
			if c.Contended() {
				figure = func(x cycle.Round) float64 { return x.HandOffs }
			}
			row = append(row, thousands(median(s.Rounds[i], figure)))
		}
		for _, c := range columns {
			row = append(row, c.of(s.Guarantees))
		}
		t(row)
	}
	fmt.Fprint(out, notes)
}

// latencies writes how long a cycle takes where nobody is in the way.
func (r *Result) latencies(out io.Writer) {
	fmt.Fprint(out, "\n## Microseconds of a cycle, each client with a lock of its own\n\nThe median, and the slowest in a hundred.\n")
	header := []string{"system"}
	for _, c := range r.Cases {
		if !c.Contended() {
			header = append(header, c.String())
		}
	}
	t := begin(out, header, 1, len(header)-1)
	for _, s := range r.Systems {
		row := []string{s.Name}
		for i, c := range r.Cases {
			if !c.Contended() {
				row = append(row, fmt.Sprintf("%s, %s", short(median(s.Rounds[i], p50)), short(median(s.Rounds[i], p99))))
			}
		}
		t(row)
	}
}

func p50(r cycle.Round) float64 { return r.P50 }
func p99(r cycle.Round) float64 { return r.P99 }

// contention writes how clients fare that share locks.
func (r *Result) contention(out io.Writer) {
	for i, c := range r.Cases {
		if !c.Contended() {
			continue
		}
		fmt.Fprintf(out, "\n## Contention: %v\n\nWho has the lock lets others of this process run once before it gives "+
			"it back. A cycle of the client that had the lock before is no hand-off. The last column is how many cycles the client "+
			"with the fewest had, by an equal share.\n", c)
		t := begin(out, []string{"system", "cycles/s", "hand-offs/s", "p50 us", "p99 us", "least share"}, 1, 5)
		for _, s := range r.Systems {
			of := s.Rounds[i]
			t([]string{
				s.Name,
				thousands(median(of, func(x cycle.Round) float64 { return x.Cycles })),
				thousands(median(of, func(x cycle.Round) float64 { return x.HandOffs })),
				short(median(of, p50)), short(median(of, p99)),
				fmt.Sprintf("%.2f", median(of, func(x cycle.Round) float64 { return x.Least })),
			})
		}
	}
}

// rings writes how long deadlocks last.
func (r *Result) rings(out io.Writer) {
	if len(r.Deadlocks) == 0 {
		return
	}
	fmt.Fprint(out, "\n## Milliseconds until a deadlock is broken\n\nFrom the request that closes the ring: on a server until the "+
		"first client is told to give up, in the engine until the answer, by which the victim's locks are handed on. Medians.\n")
	header := []string{"system"}
	for _, ring := range r.Deadlocks[0].Rings {
		header = append(header, fmt.Sprintf("%d clients", ring.Clients))
	}
	t := begin(out, append(header, "how"), 1, len(header)-1)
	for _, d := range r.Deadlocks {
		row := []string{d.Name}
		for _, ring := range d.Rings {
			row = append(row, short(Median(ring.Us)/1e3))
		}
		t(append(row, d.About))
	}
}

// begin begins a table whose columns are texts first, then figures, then texts
// again, and gives what writes a row.
func begin(out io.Writer, header []string, texts, figures int) (row func([]string)) {
	row = func(cells []string) { fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | ")) }
	fmt.Fprintln(out)
	row(header)
	rule := make([]string, len(header))
	for i := range rule {
		rule[i] = "---"
		if i >= texts && i < texts+figures {
			rule[i] = "---:"
		}
	}
	row(rule)
	return row
}

// thousands writes a count with commas.
func thousands(n float64) string {
	digits := strconv.FormatInt(int64(math.Round(n)), 10)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// short writes a figure with as many digits as mean something.
func short(x float64) string {
	switch {
	case x >= 100:
		return thousands(x)
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case x >= 0.1:
		return strconv.FormatFloat(x, 'f', 2, 64)
	default:
		return strconv.FormatFloat(x, 'f', 4, 64)
	}
}

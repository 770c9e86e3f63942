package timeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/leasekeeper/lkactor/actors/lease"
)

var endNames = [...]string{
	Open: "open", Lapsed: "lapsed", Released: "released", Evicted: "evicted", Aborted: "aborted", Granted: "granted", Withdrew: "withdrawn",
}

// Scripts in testdata: a log, one operation on each line, and the chart of it: the lanes
// with their bars and marks. The arguments from and to are those of the command. After a
// change that is meant, go test -rewrite writes them anew; read the difference.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			from, to := int64(lease.Dawn), int64(lease.Never)
			d.MaybeScanArgs(t, "from", &from)
			d.MaybeScanArgs(t, "to", &to)
			return describe(draw(t, d.Input, lease.Instant(from), lease.Instant(to)))
		})
	})
}

// describe writes a chart as text.
func describe(c *Chart) string {
	var b strings.Builder
	fmt.Fprintf(&b, "from %d to %d, the last at %d\n", c.From, c.To, c.Last)
	for lane, l := range c.Lanes {
		fmt.Fprintf(&b, "%s: rows %d and %d\n", l.Lock, l.Leases, l.Waits)
		for _, bar := range c.Bars {
			if bar.Lane != lane {
				continue
			}
			what := fmt.Sprintf("token %d", bar.Token)
			if bar.Wait {
				what = "wait"
			}
			fmt.Fprintf(&b, "  [%d, %d) row %d: %s %v %s, %s\n", bar.From, bar.To, bar.Row, c.Clients[bar.Client], bar.Mode, what, endNames[bar.End])
		}
		for _, m := range c.Marks {
			if m.Lane == lane {
				fmt.Fprintf(&b, "  %d %s: %s\n", m.At, glyphs[m.Kind].Name, c.Notes[m.Note].Text)
			}
		}
	}
	for _, k := range c.Knots {
		fmt.Fprintf(&b, "deadlock at %d, victim %s:", k.At, c.Clients[k.Victim])
		for _, e := range k.Edges {
			fmt.Fprintf(&b, " %s-%s-%s", c.Clients[e.Waiter], c.Lanes[e.Lane].Lock, c.Clients[e.Blocker])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

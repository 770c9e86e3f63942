package review

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

// Scripts in testdata: a log, one operation on each line. Where something stands
// behind "=>" that is the recorded answer; the others are recorded as they should be.
// What follows are the findings. go test -rewrite writes them anew after a change that
// is meant; read the difference.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var log strings.Builder
			var recorded []string
			for _, line := range strings.Split(d.Input, "\n") {
				op, answer, _ := strings.Cut(line, " => ")
				log.WriteString(op + "\n")
				if !strings.HasPrefix(line, "{") {
					recorded = append(recorded, answer)
				}
			}
			return findings(t, log.String(), recorded)
		})
	})
}

func findings(t *testing.T, log string, recorded []string) string {
	in := oplog.NewDecoder(strings.NewReader(log), "script", oplog.Lines)
	header, err := in.Header()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	r := New(header)
	for i := 0; ; i++ {
		var op lease.Operation
		record, err := in.NextRecord(&op)
		if err == io.EOF {
			return out.String()
		} else if err != nil {
			t.Fatal(err)
		}
		f := r.Do(int64(i+1), &op, record.Op, recorded[i])
		if f == nil {
			if recorded[i] != "" {
				fmt.Fprintf(&out, "#%d is right\n", i+1)
			}
			continue
		}
		fmt.Fprintf(&out, "#%d %s %v", f.Number, f.Rule, f.Standing)
		if f.After != 0 {
			fmt.Fprintf(&out, " after #%d", f.After)
		}
		fmt.Fprintf(&out, "; expected %s\n   %s\n", f.Expected, f.Why)
	}
}

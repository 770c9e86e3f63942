package telling

import (
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/actors/story"
)

// Scripts in testdata: a log, one operation on each line, and what is told of it
// under the commands text and json. After a change that is meant, go test -rewrite
// writes them anew; read the difference.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			log := oplog.NewDecoder(strings.NewReader(d.Input), path, oplog.Lines)
			header, err := log.Header()
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			clock, out := ClockOf(header), []byte(nil)
			s := story.New(header.Dialect(), func(e *story.Event) {
				if d.Cmd == "json" {
					out = JSON(out, e)
				} else {
					out = clock.Text(out, e)
				}
			})
			for {
				var op lease.Operation
				record, err := log.NextRecord(&op)
				if err == io.EOF {
					return string(out)
				} else if err != nil {
					d.Fatalf(t, "%v", err)
				}
				s.DoForm(&op, oplog.FormOf(&op, record.Op, header.Dialect()))
			}
		})
	})
}

package command

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/leasekeeper/lkactor/actors/durable"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// writeFiles says what is on disk. That it could not be written shows at the end.
func writeFiles(out io.Writer, r *journal.Report) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if r.Records > 0 {
		fmt.Fprintf(w, "records\t%d, from %d to %d\n", r.Records, r.First, r.Last)
	} else {
		fmt.Fprintf(w, "records\tnone\n")
	}
	for _, s := range r.Segments {
		fmt.Fprintf(w, "segment\t%s: %s\n", s.File, telling.Many(s.Bytes, "byte"))
	}
	for _, s := range r.Snapshots {
		fmt.Fprintf(w, "snapshot\tof record %d: %s\n", s.Index, telling.Many(s.Bytes, "byte"))
	}
	for _, err := range r.Broken {
		fmt.Fprintf(w, "snapshot\t%s\n", escape.Message(err.Error()))
	}
	if t := r.Torn; t != (journal.Torn{}) && !r.Held && r.Err == nil {
		fmt.Fprintf(w, "torn tail\t%s from byte %d of %s on, record %d: %s; the next start cuts it, as nobody was told of it\n",
			telling.Many(t.Bytes, "byte"), t.Offset, t.File, t.Index, t.Why)
	}
	for _, what := range r.Pending {
		fmt.Fprintf(w, "to do\t%s, at the next start\n", what)
	}
	switch {
	case r.Held && r.PID != 0:
		fmt.Fprintf(w, "in use\tby process %d\n", r.PID)
	case r.Held:
		fmt.Fprintf(w, "in use\tby some process\n")
	case r.Closed:
		fmt.Fprintf(w, "closed\tin order\n")
	default:
		fmt.Fprintf(w, "closed\tnot in order: the process was killed, or the power failed\n")
	}
	_ = w.Flush()
}

// writeStanding says where the engine has come to.
func writeStanding(out io.Writer, s *durable.Standing) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, err := range s.Passed {
		fmt.Fprintf(w, "passed over\t%s\n", escape.Message(err.Error()))
	}
	if !s.Begun {
		fmt.Fprintf(w, "engine\tnone has used the directory\n")
		return w.Flush()
	}
	fmt.Fprintf(w, "engine\t%v\n", s.Header.Engine)
	fmt.Fprintf(w, "zero\t%s\n", s.Header.Zero.Format(time.RFC3339Nano))
	fmt.Fprintf(w, "operations\t%d\n", s.Seq)
	if s.Now != lease.Dawn {
		fmt.Fprintf(w, "latest\tinstant %d, %s\n", s.Now, s.Header.Zero.Add(time.Duration(s.Now)).Format(time.RFC3339Nano))
	}
	fmt.Fprintf(w, "clients\t%d, %d ever registered\n", s.Clients, s.Registered)
	fmt.Fprintf(w, "locks\t%d, %d of them held, %s waiting\n", s.Locks, s.Held, telling.Many(s.Waiting, "request"))
	return w.Flush()
}

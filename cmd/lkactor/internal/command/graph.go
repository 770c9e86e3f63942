package command

import (
	"bufio"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/replay"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/waitfor"
)

const graphHelp = `Graph draws who waits for whom in the operation log FILE ("-" for standard input),
plain or live, as text for Graphviz (--as dot) or Mermaid (--as mermaid).

With --at N it is the state after operation N: every lock that somebody waits for,
those who hold it and those in its queue, with their places. With --deadlocks it is
the state at each deadlock, just before the victim is aborted: the locks and clients
on the cycle, which is red, the victim marked; dashed arrows lead to those ahead in a
queue. If the victim is not on the shortest cycle, the one it is on is red as well.
With both, only the deadlocks of operation N are drawn; of very many victims of one
operation only the first.

Clients are round and locks are boxes. Arrows lead from a waiter to its lock, and
from a lock to those who hold it.

  lkactor graph --deadlocks audit.json | dot -Tsvg > deadlocks.svg

Exit codes: 0 drawn, 2 unreadable log or command line, 4 the output could not be written,
130 interrupted.`

// drawing is graph with its command line read.
type drawing struct {
	format    formatFlag
	at        int64 // zero if not given
	deadlocks bool
	as        string

	pictures []*waitfor.Picture
	told     *story.Event // the latest
}

// newGraph makes lkactor graph.
func newGraph() *cobra.Command {
	var d drawing
	cmd := &cobra.Command{
		Use:   "graph FILE",
		Short: "Draw who waits for whom",
		Long:  graphHelp,
		Args:  takes(1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.check(cmd); err != nil {
				return &usageError{err, cmd.CommandPath()}
			}
			return d.run(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.Var(&d.format, "format", "how the log is laid out (default by the name of FILE)")
	f.Int64Var(&d.at, "at", 0, "draw the state after this operation, counted from 1")
	f.BoolVar(&d.deadlocks, "deadlocks", false, "draw every deadlock")
	f.StringVar(&d.as, "as", "dot", "dot or mermaid")
	return cmd
}

// check looks at what the flags say together.
func (d *drawing) check(cmd *cobra.Command) error {
	switch {
	case !cmd.Flags().Changed("at") && !d.deadlocks:
		return errors.New("graph takes --at N or --deadlocks")
	case cmd.Flags().Changed("at") && d.at < 1:
		return errors.New("operations are counted from 1 (--at)")
	case d.as != "dot" && d.as != "mermaid":
		return fmt.Errorf("--as is dot or mermaid, not %q", d.as)
	}
	return nil
}

// errEnough ends a log before its end.
var errEnough = errors.New("enough")

func (d *drawing) run(cmd *cobra.Command, file string) error {
	log, err := openLog(cmd, file, d.format)
	if err != nil {
		return err
	}
	defer log.close()
	var s *story.Story
	clock := telling.ClockOf(log.header)
	s = story.New(log.header.Dialect(), func(e *story.Event) {
		d.told = e
		if e.Kind == story.Deadlock && d.deadlocks && !e.Deadlock.Unexplained && (d.at == 0 || d.at == e.Operation) {
			d.pictures = append(d.pictures, waitfor.Deadlock(clock, e, s.Book()))
		}
	})
	var operations int64
	err = log.each(cmd.Context(), func(number int64, op *lease.Operation, _ oplog.Record) error {
		operations = number
		s.Do(op)
		if number == d.at {
			return errEnough
		}
		return nil
	})
	log.notice(cmd)
	switch {
	case err == nil && operations < d.at:
		return flagError(cmd, "at", fmt.Errorf("the log has only %s", telling.Many(operations, "operation")))
	case err != nil && err != errEnough:
		return hint(err, d.format)
	}
	if d.deadlocks && len(d.pictures) == 0 {
		say(cmd.ErrOrStderr(), "lkactor: there is no deadlock to draw")
	}
	if !d.deadlocks {
		d.pictures = append(d.pictures, waitfor.At(clock, d.at, clock.Instant(d.told.Noticed), s.Book()))
	}
	return d.write(cmd)
}

func (d *drawing) write(cmd *cobra.Command) error {
	out := bufio.NewWriter(cmd.OutOrStdout())
	draw := waitfor.DOT
	if d.as == "mermaid" {
		draw = waitfor.Mermaid
	}
	err := draw(out, d.pictures)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return &replay.OutputError{Err: err}
	}
	return nil
}

package command

import (
	"bufio"

	"github.com/spf13/cobra"

	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/replay"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

const explainHelp = `Explain runs the operation log FILE ("-" for standard input) against a fresh lock
service and tells what happened, one event on each line, in the order in which it
happened: the instant, the operation (#7 is the seventh of the log, #7.3 the third
run of a repeat), the lock, and what came about. A lease that ran out is told at
its own instant, with the operation that noticed it. Of a deadlock the shortest
cycle follows, line by line.

Logs may be plain or live; the instants of a live one are shown as UTC times. With
--lock and --client only events are told that concern both; with --from and --to
those that happened between the two instants, both included, given as numbers as
they stand in the log or, for a live log, as RFC 3339 times.

With --json every event is a JSON object on a line of its own, with every name in
full and the instants as numbers. Text shows names of more than 64 characters in
part, and leaves ticks out.

Exit codes: 0 told, 2 unreadable log or command line, 4 the output could not be written,
130 interrupted.`

// explanation is explain with its command line read.
type explanation struct {
	selection
	format formatFlag
	json   bool

	clock telling.Clock
	out   *bufio.Writer
	line  []byte
	told  bool // there was something to tell
}

// newExplain makes lkactor explain.
func newExplain() *cobra.Command {
	var x explanation
	cmd := &cobra.Command{
		Use:   "explain FILE",
		Short: "Tell what happened in an operation log",
		Long:  explainHelp,
		Example: `  lkactor explain docs/examples/inc-5127.json
  lkactor explain --lock exports/daily --from 30 --to 60 audit.ndjson`,
		Args: takes(1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return x.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.Var(&x.format, "format", "how the log is laid out (default by the name of FILE)")
	x.selection.flags(f)
	f.BoolVar(&x.json, "json", false, "one JSON object for each event")
	return cmd
}

func (x *explanation) run(cmd *cobra.Command, file string) error {
	x.out = bufio.NewWriter(cmd.OutOrStdout())
	err := tellLog(cmd, file, x.format, func(_ *input, h *oplog.Header) error { return x.begin(cmd, h) }, x.tell)
	if failed := x.out.Flush(); failed != nil && err == nil {
		return &replay.OutputError{Err: failed}
	}
	if err == nil && !x.told {
		say(cmd.ErrOrStderr(), "lkactor: "+x.nothing(x.clock))
	}
	return err
}

// begin reads the instants given.
func (x *explanation) begin(cmd *cobra.Command, h *oplog.Header) error {
	x.clock = telling.ClockOf(h)
	return x.selection.read(cmd, x.clock)
}

func (x *explanation) tell(e *story.Event) error {
	x.see(e)
	if !x.within(e) || !x.concerns(e) {
		return nil
	}
	if x.json {
		x.line = telling.JSON(x.line[:0], e)
	} else {
		x.line = x.clock.Text(x.line[:0], e)
	}
	x.told = x.told || len(x.line) > 0
	if _, err := x.out.Write(x.line); err != nil {
		return &replay.OutputError{Err: err}
	}
	return nil
}

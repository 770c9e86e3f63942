package command

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/replay"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/timeline"
)

const timelineHelp = `Timeline runs the operation log FILE ("-" for standard input) against a fresh lock
service and draws what happened: a lane for each lock, on it a bar for each lease
with its token, in the colour of its holder, hatched bars for those who waited, and
marks for lapses, releases, renewals, aborts, writes and deadlocks.

The name of the output says what it becomes: .svg a still picture for documents,
.html a page to zoom, filter and look around in. Both are single files that load
nothing from anywhere. They may be opened in any browser; the page needs scripts.
A picture of very many locks or bars is an overview: bands, each of some locks, that
say how many are held and awaited at each moment.

With --lock and --client only what concerns both is drawn; with --from and --to what
happened between the two instants, both included, given as for lkactor explain, and
what had not ended by then. A timeline has room for a million events. A file that is
there already is replaced when the new one is whole.

Exit codes: 0 drawn, 1 there is nothing or too much to draw, 2 unreadable log or command
line, 4 the output could not be written, 130 interrupted.`

// timelineDrawing is timeline with its command line read.
type timelineDrawing struct {
	selection
	format formatFlag
	output string
	title  string

	chart *timeline.Builder
}

// newTimeline makes lkactor timeline.
func newTimeline() *cobra.Command {
	var d timelineDrawing
	cmd := &cobra.Command{
		Use:   "timeline FILE -o OUTPUT",
		Short: "Draw what happened in an operation log",
		Long:  timelineHelp,
		Example: `  lkactor timeline docs/examples/inc-5127.json -o inc-5127.html
  lkactor timeline --lock exports/daily --from 30 --to 60 audit.ndjson -o audit.svg`,
		Args: takes(1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return d.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVarP(&d.output, "output", "o", "", "the file to write, .html or .svg")
	f.Var(&d.format, "format", "how the log is laid out (default by the name of FILE)")
	f.StringVar(&d.title, "title", "", "what stands above the chart (default the name of FILE)")
	d.selection.flags(f)
	return cmd
}

func (d *timelineDrawing) run(cmd *cobra.Command, file string) error {
	if d.output == "" {
		return flagError(cmd, "output", errors.New("which file is to be written? (-o)"))
	}
	write := writers[strings.ToLower(filepath.Ext(d.output))]
	if write == nil {
		return flagError(cmd, "output", fmt.Errorf("%q is neither .html nor .svg", d.output))
	}
	var clock telling.Clock
	begin := func(in *input, h *oplog.Header) error {
		if overwrites(d.output, in) {
			return flagError(cmd, "output", fmt.Errorf("%s is the log itself, which would be lost", strconv.Quote(d.output)))
		}
		clock = telling.ClockOf(h)
		if err := d.selection.read(cmd, clock); err != nil {
			return err
		}
		d.chart = timeline.NewBuilder(clock, d.first, d.last)
		return nil
	}
	add := func(e *story.Event) error {
		d.see(e)
		d.chart.See(e.At, e.Noticed)
		if !d.concerns(e) {
			return nil
		}
		return d.chart.Add(e)
	}
	if err := tellLog(cmd, file, d.format, begin, add); err != nil {
		return err
	}
	if d.title == "" {
		d.title = filepath.Base(file)
	}
	chart, err := d.chart.Chart(d.title)
	if errors.Is(err, timeline.ErrNothing) {
		return fmt.Errorf("%w: %s", err, d.unmet(clock, " concerns a lock"))
	}
	if err != nil {
		return err
	}
	if err := save(d.output, func(w io.Writer) error { return write(chart, w) }); err != nil {
		return &replay.OutputError{Err: err}
	}
	return nil
}

// writers are the ways to write a chart, by the end of the output's name.
var writers = map[string]func(*timeline.Chart, io.Writer) error{
	".html": (*timeline.Chart).HTML,
	".svg":  (*timeline.Chart).SVG,
}

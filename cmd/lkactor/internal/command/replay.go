package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/replay"
)

const replayHelp = `Replay runs the operation log FILE ("-" for standard input) against a fresh lock
service and writes the result of every operation to standard output, in order.

A log is a JSON array of operations, and so are its results, one on each line
inside the array. With --format lines it is one operation on each line and one
result on each line, read and written as it comes, so that a log may be longer
than memory. Files named .ndjson or .jsonl are lines unless told otherwise.

An operation may be 16 MiB long and lists in it 10,000 deep.

With --expect the recorded answers in another file are held against those of the
rules, instead of these being written. That file is either laid out like results, or
it is a log whose entries carry both: {"op": [...], "result": ...}; then FILE may be
left out. An entry without "result", or a bare operation among such entries, has no
answer that is known, which is said in the end. Of each answer that differs are shown
the operation, what was recorded, what is expected, the rule that decides it, and why.
After the first difference the state behind the recorded answers is not known any
more. So each is marked as a cause, where no earlier difference can have led to it; as
one that follows from an earlier one, where the same mistake is seen again; or as
unclear. --json gives these as JSON, one object on each line; where there are more or
fewer answers than operations, the last object counts both and names the first without
one.

Exit codes:
  0    the log was replayed; results that are errors are results
  1    --check or --expect found a difference, a wrong number of answers too (also
       where some records of a log have none), or the replay could not be carried
       through
  2    the input cannot be read as a log or has no recorded answers at all, or the
       command line is not understood;
       the results before the bad place have been written, an array of them
       without its closing bracket
  4    the output could not be written
  130  interrupted, likewise`

// newReplay makes lkactor replay.
func newReplay() *cobra.Command {
	var format formatFlag
	var check bool
	var expect comparison
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Run an operation log and print its results",
		Long:  replayHelp,
		Example: `  lkactor replay docs/examples/inc-5127.json
  generate | lkactor replay --format lines - > results.ndjson
  lkactor replay audit.json --expect recorded.json
  lkactor replay --expect audit-with-answers.ndjson`,
		Args: func(cmd *cobra.Command, args []string) error {
			if expect.file != "" && len(args) == 0 {
				return nil
			}
			return takes(1, "one FILE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case expect.file == "" && cmd.Flags().Changed("expect"):
				return flagError(cmd, "expect", errors.New("no file is named that"))
			case expect.json && expect.file == "":
				return &usageError{errors.New("--json goes with --expect"), cmd.CommandPath()}
			case check && expect.file != "":
				return &usageError{errors.New("--check and --expect do not go together"), cmd.CommandPath()}
			case expect.file != "":
				expect.format = format
				return expect.run(cmd, args)
			}
			return runReplay(cmd, args[0], format, check)
		},
	}
	cmd.Flags().Var(&format, "format", "how the log is laid out (default by the name of FILE)")
	cmd.Flags().BoolVar(&check, "check", false, "run the model beside the engine and stop at the first difference")
	cmd.Flags().StringVar(&expect.file, "expect", "", "compare with the recorded answers of this file")
	cmd.Flags().BoolVar(&expect.json, "json", false, "with --expect: one JSON object for each difference")
	return cmd
}

// runReplay is replay with its command line read.
func runReplay(cmd *cobra.Command, file string, format formatFlag, check bool) error {
	in, err := openInput(file, cmd.InOrStdin())
	if err != nil {
		return err
	}
	defer in.close()
	engine := new(engine)
	runner := replay.InDialect(func(d lease.Dialect) (replay.Runner, error) {
		engine.dialect = d
		if check {
			return replay.Check(engine, model.Make(d, nil)), nil
		}
		return engine, nil
	})
	layout := format.of(file)
	bar := newProgress("replay", in.size, cmd.OutOrStdout(), cmd.ErrOrStderr())
	summary, err := replay.Replay(cmd.Context(), oplog.NewDecoder(in, in.name, layout), runner,
		oplog.NewEncoder(shown(cmd.OutOrStdout()), layout), bar.update)
	bar.finish()
	if back := summary.Back; back != nil {
		say(cmd.ErrOrStderr(), "lkactor: "+back.Notice(in.name))
	}
	if summary.Strange && err == nil {
		say(cmd.ErrOrStderr(), fmt.Sprintf("lkactor: nothing in %s is an operation; it was read as %v, is that right? (--format; for a log that carries its answers, --expect)",
			in.name, layout))
	}
	return errors.Join(explain(err, summary, format), engine.stop(cmd.Context()))
}

// explain adds to an error of a replay what its reader needs to know besides.
func explain(err error, summary replay.Summary, format formatFlag) error {
	if errors.Is(err, context.Canceled) {
		return &interruption{"results written", summary.Operations}
	}
	return hint(err, format)
}

// hint adds to the error of an array that goes on behind its end what it may be.
func hint(err error, format formatFlag) error {
	var syntax *oplog.SyntaxError
	if errors.As(err, &syntax) && syntax.Want == oplog.WantEnd && format == "" {
		return fmt.Errorf("%w\nlkactor: is it one operation on each line? Then try --format lines", err)
	}
	return err
}

// interruption is the error of a log that a signal ended.
type interruption struct {
	what string // that was done until then
	done int64
}

func (i *interruption) Error() string { return fmt.Sprintf("interrupted; %s: %d", i.what, i.done) }

// formatFlag is the value of --format; empty means by the name of the file.
type formatFlag string

// String implements pflag.Value.
func (f *formatFlag) String() string { return string(*f) }

// Set implements pflag.Value.
func (f *formatFlag) Set(text string) error {
	if _, ok := oplog.ParseFormat(text); !ok {
		return errors.New("it is array or lines")
	}
	*f = formatFlag(text)
	return nil
}

// Type implements pflag.Value; it is what help shows in the place of a value.
func (f *formatFlag) Type() string { return "array|lines" }

// of gives the layout of a file under the flag.
func (f formatFlag) of(file string) oplog.Format {
	if format, ok := oplog.ParseFormat(string(f)); ok {
		return format
	}
	return oplog.FormatOf(file)
}

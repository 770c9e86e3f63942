package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/leasekeeper/lkactor/actors/durable"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// newJournal makes lkactor journal and the commands below it.
func newJournal() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "journal",
		Short: "Look into the directory of a durable engine",
		Long: `journal is about the directory DIR in which an engine keeps its history: records of
all operations, and snapshots. verify, info and export only read it and may be used
while an engine has it open; bump and accept-loss may not.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return &usageError{errors.New("no command"), cmd.CommandPath()}
		},
	}
	cmd.AddCommand(newJournalVerify(), newJournalInfo(), newJournalExport(), newJournalBump(), newJournalAcceptLoss())
	return cmd
}

// movedTries is how often a directory is looked at whose engine gives up what is being
// read: it does so after each snapshot, and a look takes less than the time between two.
const movedTries = 10

// examine looks at a directory and does something with what it sees, once more if that
// was given up meanwhile. again may be nil; it says that there is no going back.
func examine(dir string, do func(*durable.View) error, again func() bool) error {
	for try := 1; ; try++ {
		v, err := look(dir)
		if err == nil {
			err = unread(dir, do(v))
		}
		if !errors.Is(err, durable.ErrMoved) || try == movedTries || again != nil && !again() {
			return err
		}
	}
}

// unread tells that a file could not be read, a disk's error for one, from what is found in
// it: only that is damage.
func unread(dir string, err error) error {
	var (
		damage *journal.DamageError
		system *fs.PathError
	)
	if errors.As(err, &system) && !errors.As(err, &damage) {
		return &inputError{dir, err}
	}
	return err
}

// look opens a directory for reading.
func look(dir string) (*durable.View, error) {
	v, err := durable.Look(journal.OS{}, dir)
	if errors.Is(err, durable.ErrMoved) {
		return nil, err
	}
	if err != nil {
		return nil, &inputError{dir, err}
	}
	return v, nil
}

// showRecords shows how far the running of the records has come, where somebody can see
// it and it does not run into what is written to out meanwhile; finish takes it away.
func showRecords(cmd *cobra.Command, v *durable.View, what string, out io.Writer) (update func(durable.Progress), finish func()) {
	size := int64(0)
	for _, s := range v.Files().Segments {
		size += s.Bytes
	}
	bar := newProgress(what, size, out, cmd.ErrOrStderr())
	return func(p durable.Progress) {
		if todo := p.Last - p.Snapshot; todo > 0 {
			bar.update(int64(float64(size) * float64(p.Record-p.Snapshot) / float64(todo)))
		}
	}, bar.finish
}

func newJournalVerify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify DIR",
		Short: "Read everything, and say whether it is whole",
		Long: `verify reads every record and snapshot in DIR, runs all records that a start would
run, and compares each snapshot with the state that the records before it lead to. It
says where the first damage is.

Exit codes: 0 whole, 1 damaged, 2 no journal there, or one that cannot be read or that no
engine has used yet, 3 the engine that has DIR open has given up files each time while
they were read, so look again, 4 the output could not be written.`,
		Args: takes(1, "one DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return examine(args[0], func(v *durable.View) error { return verify(cmd, v) }, nil)
		},
	}
}

// verify is the command for one view.
func verify(cmd *cobra.Command, v *durable.View) error {
	if !v.Files().Whole() {
		writeFiles(cmd.OutOrStdout(), v.Files())
		return errors.Join(append([]error{v.Files().Err}, v.Files().Broken...)...)
	}
	update, finish := showRecords(cmd, v, "verify", io.Discard)
	s, err := v.Verify(cmd.Context(), update)
	finish()
	if errors.Is(err, durable.ErrMoved) {
		return err
	}
	writeFiles(cmd.OutOrStdout(), v.Files())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "whole: %s\n", telling.Many(s.Seq, "operation"))
	return err
}

func newJournalInfo() *cobra.Command {
	return &cobra.Command{
		Use:   "info DIR",
		Short: "Say what is there, and where the engine has come to",
		Long: `info says what is in DIR and where a start would come to. It does not compare
snapshots with records as verify does.

Exit codes are those of verify.`,
		Args: takes(1, "one DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return examine(args[0], func(v *durable.View) error { return info(cmd, v) }, nil)
		},
	}
}

// info is the command for one view.
func info(cmd *cobra.Command, v *durable.View) error {
	update, finish := showRecords(cmd, v, "run", io.Discard)
	s, err := v.Standing(cmd.Context(), math.MaxUint64, update)
	finish()
	if errors.Is(err, durable.ErrMoved) {
		return err
	}
	writeFiles(cmd.OutOrStdout(), v.Files())
	if err != nil {
		return err
	}
	if err := writeStanding(cmd.OutOrStdout(), s); err != nil {
		return err
	}
	return errors.Join(v.Files().Broken...) // a start passes over them, and verify does not
}

func newJournalExport() *cobra.Command {
	var e durable.Export
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "Write the operation log",
		Long: `export writes the history in DIR to standard output as a live log: its header and
one operation on each line, as lkactor replay --format lines reads it. With --results
each line has the operation and its result, as lkactor replay --expect reads it, with
--format lines where it comes from standard input or a file not named .ndjson or .jsonl.

Where the first records have been given up after a snapshot there is no log from the
beginning. --partial then writes what is left; results are right all the same, but a
replay of that log would start from nothing and give others. So its header has one key
more, "missing", with how many operations came before, and lkactor refuses to replay it.
If somebody has taken away the snapshot that goes before the first records left, or it is
damaged, --results begins with the next one: what came of those in between nobody
can tell. Without --results they are written.

Exit codes: 0 written, 1 damaged, or the beginning has been given up and --partial was
not asked for, 2 no journal there, or one that cannot be read or that no engine has used
yet, 3 the engine that has DIR open has given up what was being read: what has been
written is right and not all of it, 4 the output could not be written.`,
		Example: `  lkactor journal export /var/lib/locks | lkactor replay --format lines -
  lkactor journal export --results /var/lib/locks | lkactor replay --format lines --expect -`,
		Args: takes(1, "one DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var gap durable.Gap
			e.Gap = func(g durable.Gap) { gap = g }
			out := &counted{to: shown(cmd.OutOrStdout())}
			err := examine(args[0], func(v *durable.View) error {
				update, finish := showRecords(cmd, v, "export", cmd.OutOrStdout())
				defer finish()
				e.Progress = update
				return v.Export(cmd.Context(), out, e)
			}, func() bool { return out.bytes == 0 })
			if errors.Is(err, durable.ErrPartial) {
				return fmt.Errorf("%w; --partial writes it all the same", err)
			}
			if err == nil {
				sayGap(cmd.ErrOrStderr(), gap)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&e.Results, "results", false, "write each operation with its result")
	cmd.Flags().BoolVar(&e.Partial, "partial", false, "write a history that does not begin with its beginning")
	return cmd
}

// sayGap says what an export has left out, and why.
func sayGap(stderr io.Writer, gap durable.Gap) {
	if gap.Released > 0 {
		say(stderr, fmt.Sprintf("lkactor: not in it: the first %s, given up after a snapshot", telling.Many(gap.Released, "operation")))
	}
	if gap.Unanswered > 0 {
		say(stderr, fmt.Sprintf("lkactor: not in it: operations %d to %d, whose results cannot be known, as there is no whole snapshot from before them; "+
			"without --results they are written", gap.Released+1, gap.Released+gap.Unanswered))
	}
}

// counted is a writer that knows how much it has been given.
type counted struct {
	to    io.Writer
	bytes int64
}

// Write implements io.Writer.
func (c *counted) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.bytes += int64(n)
	return n, err
}

func newJournalBump() *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use:   "bump DIR (LOCK TOKEN | --all TOKEN)",
		Short: "Raise token counters, after an old backup was restored",
		Long: `bump has the counter of LOCK at TOKEN at least, so that every token it issues from
now on is higher. With --all it does so for all locks, those that nobody has used yet
too. No engine may have DIR open.

An engine that starts from an old backup would issue tokens again that the stores have
seen since: at once, where leases in it have run out and others wait. So bump before the
first start; it is recorded at the last instant of the backup, before any of that.
TOKEN is one that no store has seen a higher of, and at most 2^62 - 2^32, so that enough
can follow; see docs/DURABILITY.md. It needs room on the disk for what it writes only,
some 50 bytes and the name for each lock.

Exit codes: 0 done, 1 damaged, in use or not to be written, 2 no journal there, or one
that no engine has used yet, 4 the output could not be written, and the counters are
raised all the same.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if all {
				return takes(2, "DIR and TOKEN")(cmd, args)
			}
			return takes(3, "DIR, LOCK and TOKEN")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.ParseInt(args[len(args)-1], 10, 64)
			if err != nil || n < 1 || n > lease.MaxBump {
				return &usageError{badToken(args[len(args)-1]), cmd.CommandPath()}
			}
			return runBump(cmd, args, all, lease.Token(n))
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "do so for all locks")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			if number := "-" + unknown.GetSpecifiedShortnames(); len(number) > 1 && number[1] >= '0' && number[1] <= '9' {
				return badToken(number)
			}
		}
		return err
	})
	return cmd
}

func badToken(text string) error {
	return fmt.Errorf("TOKEN is %q and must be a whole number from 1 to %d, so that enough can follow", text, int64(lease.MaxBump))
}

// runBump is bump with its command line read.
func runBump(cmd *cobra.Command, args []string, all bool, token lease.Token) error {
	dir := args[0]
	if _, err := look(dir); err != nil { // opening would make the directory
		return err
	}
	if all {
		known, err := durable.BumpAll(dir, durable.Options{}, token)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s and all to come: every token from now on is above %d\n", telling.Many(known, "lock"), token)
		return err
	}
	counter, err := durable.Bump(dir, durable.Options{}, args[1], token)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "the counter is at %d\n", counter)
	return err
}

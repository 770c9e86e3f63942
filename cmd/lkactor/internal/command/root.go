package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/replay"
)

// Run runs lkactor with the arguments of a command line, its name not among
// them, and answers its exit code. It may be called by a test as well as by
// main.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	started := false
	root := newRoot()
	root.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &output{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil && len(args) == 0 {
		err = errors.New("no command")
	}
	// Whatever kept a command from starting was in the command line.
	if err != nil && !started {
		err = &usageError{err, cmd.CommandPath()}
	}
	if out.failed != nil {
		err = &replay.OutputError{Err: out.failed}
	}
	if err != nil {
		say(stderr, message(err))
	}
	return exitCode(err)
}

// output is stdout. It remembers that something could not be written to it, however the
// command took that.
type output struct {
	io.Writer
	failed error
}

// Write implements io.Writer.
func (o *output) Write(text []byte) (int, error) {
	n, err := o.Writer.Write(text)
	if o.failed == nil {
		o.failed = err
	}
	return n, err
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "lkactor",
		Short: "Locks with leases, queues and fencing tokens, on actors",
		Long: `lkactor runs logs of lock operations: acquire, renew, release, inspect, status,
write, read and repeat. Every operation gets exactly one result, worked out by
the actor engine; equal logs give equal results, to the byte.`,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		SilenceErrors:     true, // Run prints them
		SilenceUsage:      true,
	}
	root.AddCommand(newReplay(), newExplain(), newTimeline(), newGraph(), newJournal(), newVersion())
	return root
}

// takes makes a check of the number of arguments.
func takes(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("%s takes %s, not %d", cmd.Name(), what, len(args))
		}
		return nil
	}
}

package command

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/leasekeeper/lkactor/actors/durable"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
	"github.com/leasekeeper/lkactor/sequencer/journal"
)

func newJournalAcceptLoss() *cobra.Command {
	return &cobra.Command{
		Use:   "accept-loss DIR",
		Short: "Go on without what was at the end of a journal that has been cut short",
		Long: `accept-loss makes a directory fit for a start whose newest segment file is shorter
than it was made, or empty, or has been written over at its end. No crash leaves that: a
copy that was broken off does, or a file system that was repaired. The whole records that are left stay. What came after
them is lost, with whatever was acknowledged in it, so put a copy back instead if there
is one. No engine may have DIR open.

Tokens of the time that is lost would be issued again: before an engine starts, raise
the counters with lkactor journal bump --all; see docs/DURABILITY.md. Any other damage
is refused as ever.

Exit codes: 0 fit for a start, or nothing was cut short; 1 damaged otherwise, in use, or
not to be written; 2 no journal there; 4 the output could not be written.`,
		Args: takes(1, "one DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := look(args[0]); err != nil { // opening would make the directory
				return err
			}
			options := durable.Options{SnapshotBytes: -1}
			options.Journal.AcceptCut, options.Journal.Sparing = true, true
			s, err := durable.Open(args[0], options)
			if err != nil {
				return err
			}
			recovery, _ := s.Recovery()
			last := s.Journal().Durable()
			if err := s.Close(); err != nil {
				return err
			}
			if !recovery.Torn.CutShort {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), "nothing was cut short")
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s left; what followed, if anything did, is lost, with whatever was acknowledged in it\n"+
				"before an engine starts, raise the counters: lkactor journal bump --all %s TOKEN\n", telling.Many(last, "record"), escape.Message(args[0]))
			return err
		},
	}
}

// afterCut says what the owner of a directory can do about its damage, if it is of the one
// kind that can be accepted.
func afterCut(err error) string {
	var damage *journal.DamageError
	if errors.As(err, &damage) && damage.CutShort {
		return "; where there is no copy, lkactor journal accept-loss goes on without them"
	}
	return ""
}

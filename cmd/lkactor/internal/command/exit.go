package command

import (
	"errors"
	"fmt"
	"io"

	"github.com/leasekeeper/lkactor/actors/durable"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/replay"
)

// The exit codes of lkactor.
const (
	// ExitOK: what was asked for has been done. Results that are errors of the
	// rules are results.
	ExitOK = 0
	// ExitFailed: --check or --expect found a difference, a journal is damaged, or what was
	// asked for could not be done.
	ExitFailed = 1
	// ExitUnreadable: the input cannot be read as a log, or the command line not
	// as a command.
	ExitUnreadable = 2
	// ExitMoving: whoever has the directory open has given up files each time while
	// they were read. That is no damage; the same command may succeed the next time.
	ExitMoving = 3
	// ExitUnwritten: the output could not be written, so nothing is known of what it would
	// have said.
	ExitUnwritten = 4
	// ExitInterrupted: a signal ended the command, after the output so far.
	ExitInterrupted = 130
)

// usageError is a command line that says nothing lkactor can do.
type usageError struct {
	err  error
	path string // of the command whose help to look at
}

func (e *usageError) Error() string {
	return fmt.Sprintf("%v\nRun '%s --help' for what it takes.", e.err, e.path)
}

// exitCode gives the code that err ends the program with.
func exitCode(err error) int {
	var (
		usage  *usageError
		input  *inputError
		syntax *oplog.SyntaxError
		signal *interruption
		output *replay.OutputError
	)
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, durable.ErrMoved):
		return ExitMoving
	case errors.As(err, &output):
		return ExitUnwritten
	case errors.As(err, &usage), errors.As(err, &input), errors.As(err, &syntax), errors.Is(err, durable.ErrUnused):
		return ExitUnreadable
	case errors.As(err, &signal):
		return ExitInterrupted
	}
	return ExitFailed
}

// say writes a line for people. File names and flags stand in it as they were given, and
// are anybody's text.
func say(stderr io.Writer, line string) { fmt.Fprintln(stderr, escape.Message(line)) }

// message gives the text for err on stderr. The position in a log comes first on
// its line, where editors look for it; everything else says who speaks.
func message(err error) string {
	var syntax *oplog.SyntaxError
	if errors.As(err, &syntax) {
		return err.Error()
	}
	var difference *replay.Difference
	if errors.As(err, &difference) {
		return "lkactor: engine and model disagree: " + err.Error()
	}
	return "lkactor: " + err.Error() + afterCut(err)
}

package command

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/replay"
)

// logReader reads the log of a FILE argument, plain or live, for the commands that
// tell its story. An entry may be a record with an answer, which is passed over.
type logReader struct {
	*oplog.Decoder
	in     *input
	header *oplog.Header
	clock  replay.Clock
}

// openLog opens the log of a FILE argument and reads its header, if it has one.
func openLog(cmd *cobra.Command, file string, format formatFlag) (*logReader, error) {
	in, err := openInput(file, cmd.InOrStdin())
	if err != nil {
		return nil, err
	}
	d := oplog.NewDecoder(in, in.name, format.of(file))
	header, err := d.Header()
	if err != nil {
		in.close()
		return nil, hint(err, format)
	}
	return &logReader{Decoder: d, in: in, header: header}, nil
}

func (r *logReader) close() { r.in.close() }

// each calls do with every operation of the log and its number from 1, until do
// answers an error, which becomes its own, or ctx ends.
func (r *logReader) each(ctx context.Context, do func(number int64, op *lease.Operation, record oplog.Record) error) error {
	for number := int64(1); ; number++ {
		if ctx.Err() != nil {
			return &interruption{"operations gone through", number - 1}
		}
		var op lease.Operation
		record, err := r.NextRecord(&op)
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		r.clock.See(&op, r.header.Dialect())
		if err := do(number, &op, record); err != nil {
			return err
		}
	}
}

// notice says on stderr if the log went back in time (O11).
func (r *logReader) notice(cmd *cobra.Command) {
	if back := r.clock.Back(); back != nil {
		say(cmd.ErrOrStderr(), "lkactor: "+back.Notice(r.in.name))
	}
}

// tellLog runs the log of a FILE argument and has its events told. begin is called
// first, with the input and the header of a live log, nil for a plain one.
func tellLog(cmd *cobra.Command, file string, format formatFlag, begin func(*input, *oplog.Header) error, tell func(*story.Event) error) error {
	log, err := openLog(cmd, file, format)
	if err != nil {
		return err
	}
	defer log.close()
	if err := begin(log.in, log.header); err != nil {
		return err
	}
	var failed error
	s := story.New(log.header.Dialect(), func(e *story.Event) {
		if failed == nil {
			failed = tell(e)
		}
	})
	err = log.each(cmd.Context(), func(_ int64, op *lease.Operation, record oplog.Record) error {
		s.DoForm(op, oplog.FormOf(op, record.Op, log.header.Dialect()))
		return failed
	})
	log.notice(cmd)
	return hint(err, format)
}

// flagError makes an error of a flag's value that only the log shows to be wrong.
func flagError(cmd *cobra.Command, flag string, err error) error {
	return &usageError{fmt.Errorf("--%s: %w", flag, err), cmd.CommandPath()}
}

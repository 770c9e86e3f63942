package replay

import (
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

// OutputError tells that output could not be written.
type OutputError struct{ Err error }

func (e *OutputError) Error() string { return fmt.Sprintf("cannot write the output: %v", e.Err) }

// Unwrap gives what the output answered.
func (e *OutputError) Unwrap() error { return e.Err }

// Summary is what there is to say of a replay besides its results.
type Summary struct {
	// Operations is how many have their result written.
	Operations int64
	// Back is where the log first went back in time, nil if it never did (O11).
	Back *StepBack
	// Strange says that there were operations and not one of them could be
	// recognised: the layout may be another one.
	Strange bool
}

// Replay runs the log that in decodes, plain or live, and writes its results to
// out. Progress, if not nil, is told from time to time how many bytes of the log
// are done.
//
// Err is nil when the log has been run to its end. Otherwise it is that of the
// decoder, a *[Difference], an *[OutputError], that of the runner, or the cause
// of ctx; the results of all operations before it have been written, as far as
// the output took them, and a JSON array is left without its end. A decoder that
// waits for its input when ctx ends is left waiting.
func Replay(ctx context.Context, in *oplog.Decoder, runner Runner, out *oplog.Encoder, progress func(int64)) (Summary, error) {
	group, ctx := errgroup.WithContext(ctx)
	p := &pipeline{
		decoded: make(chan *batch, batchCount),
		ran:     make(chan *batch, batchCount),
		free:    make(chan *batch, batchCount),
	}
	for range batchCount {
		p.free <- newBatch()
	}
	go p.decode(ctx, in) // outside of the group: nothing can end a read that waits
	group.Go(func() error { return p.run(ctx, runner) })
	group.Go(func() error { return p.encode(out, progress) })
	err := group.Wait()
	return Summary{
		Operations: p.written, Back: p.clock.Back(), Strange: p.clock.seen > 0 && p.clock.none == p.clock.seen,
	}, err
}

// pipeline is what the stages share. Every channel has room for all batches
// there are, so only receiving ever waits.
type pipeline struct {
	decoded, ran, free chan *batch

	dialect lease.Dialect // set by the decode stage before its first batch

	written int64 // of the encode stage, as is the clock
	clock   Clock
}

// decode is the first stage.
func (p *pipeline) decode(ctx context.Context, in *oplog.Decoder) {
	// An error comes again with the first batch.
	header, _ := in.Header()
	p.dialect = header.Dialect()
	var carried []lease.Operation
	for {
		var b *batch
		select {
		case b = <-p.free:
		case <-ctx.Done():
			return
		}
		if len(carried) > 0 {
			b.n, b.err = copy(b.ops, carried), nil
		} else {
			b.n, b.err = in.Read(b.ops)
		}
		cut := cutAtRepeat(b.ops[:b.n])
		carried = append([]lease.Operation(nil), b.ops[cut:b.n]...)
		b.n = cut
		b.offset = in.Offset()
		last := b.err != nil // asked while b is still ours
		p.decoded <- b
		if last {
			return
		}
	}
}

// cutAtRepeat tells how many of the operations go together. A repeat goes alone, as
// it may take long: what comes before it need not wait to be written.
func cutAtRepeat(ops []lease.Operation) int {
	for i := range ops {
		if ops[i].Kind == lease.Repeat {
			return max(i, 1)
		}
	}
	return len(ops)
}

// run is the second stage. It hands on its errors; all that it returns is nil.
func (p *pipeline) run(ctx context.Context, runner Runner) error {
	for begun := false; ; {
		var b *batch
		select {
		case b = <-p.decoded:
		case <-ctx.Done():
			b = new(batch)
			b.err = context.Cause(ctx)
		}
		if b.n > 0 {
			var err error
			if !begun {
				begun, err = true, begin(runner, p.dialect)
			}
			if err == nil {
				err = runner.Run(ctx, b.ops[:b.n], b.results[:b.n])
			}
			if err != nil {
				b = b.upTo(err)
			}
		}
		last := b.err != nil
		p.ran <- b
		if last {
			return nil
		}
	}
}

// upTo gives the part of a batch that counts when its run ended with err.
func (b *batch) upTo(err error) *batch {
	var difference *Difference
	if errors.As(err, &difference) {
		b.n, b.err = difference.index, err
		return b
	}
	// The runner may still be at work on the slices: they are left to it.
	return &batch{err: err}
}

// encode is the last stage, and the one that says how the replay ended.
func (p *pipeline) encode(out *oplog.Encoder, progress func(int64)) error {
	for {
		b := <-p.ran
		for i := range b.ops[:b.n] {
			p.clock.See(&b.ops[i], p.dialect)
		}
		if err := out.Write(b.results[:b.n]); err != nil {
			return &OutputError{err}
		}
		p.written += int64(b.n)
		if b.err != nil {
			return finish(out, b.err)
		}
		// A batch that is not full was all there was to read at the time, and
		// somebody may be waiting for the answer.
		if b.n < batchSize && len(p.ran) == 0 {
			if err := out.Flush(); err != nil {
				return &OutputError{err}
			}
		}
		if progress != nil {
			progress(b.offset)
		}
		clear(b.results[:b.n])
		p.free <- b
	}
}

// finish writes what is left. The end of the log is no error of a replay.
func finish(out *oplog.Encoder, reason error) error {
	end := out.BreakOff
	if reason == io.EOF {
		end, reason = out.Close, nil
	}
	if err := end(); err != nil {
		return &OutputError{err}
	}
	return reason
}

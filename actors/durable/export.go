package durable

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/sequencer"
)

// Export is what to write of a history.
type Export struct {
	// Results has each operation written with its result, as {"op":…,"result":…}.
	Results bool
	// Partial allows for a history whose beginning has been given up; its log then
	// begins somewhere, and only the results, which take the snapshot into account, tell
	// what had been before. Its header says how many operations are missing, which
	// keeps a replay from taking it for a whole one.
	Partial bool
	// Gap is told what is left out, if anything is, before the first operation is written.
	// May be nil.
	Gap func(Gap)
	// Progress is told how far it is. May be nil.
	Progress func(Progress)
}

// Gap is what an export leaves out at its beginning, in operations.
type Gap struct {
	// Released: their records have been given up after a snapshot.
	Released uint64
	// Unanswered come next. Their records are there and their results cannot be known, as no
	// whole snapshot has the state before them: somebody has taken it away, or it is
	// damaged. An export without results has them.
	Unanswered uint64
}

// ErrPartial is the error of an export of a history that does not begin with its
// beginning.
var ErrPartial = errors.New("durable: the first records have been given up after a snapshot, so what is left is no log that can be replayed")

// Export writes the operation log: its header and one operation on each line (E).
func (v *View) Export(ctx context.Context, out io.Writer, e Export) error {
	return moved(v.export(ctx, out, e))
}

func (v *View) export(ctx context.Context, out io.Writer, e Export) error {
	if err := v.files.Report.Err; err != nil {
		return err
	}
	from := viewed{v.files}
	first, last := from.bounds()
	if first > 1 && !e.Partial {
		return ErrPartial
	}
	b, err := v.beginning(ctx, first, last, e.Results)
	if err != nil {
		return err
	}
	w := &exporter{out: bufio.NewWriterSize(out, stateBufferBytes), results: e.Results, model: model.Resume(b.order, lease.Live, nil)}
	seq, start := b.gap.Released+b.gap.Unanswered, b.record-1
	w.buf = oplog.AppendHeader(nil, b.header)
	if seq > 0 {
		w.buf = oplog.AppendPartialHeader(w.buf[:0], b.header, seq)
		if e.Gap != nil {
			e.Gap(b.gap)
		}
	}
	w.buf = append(w.buf, '\n')
	w.flush()
	told := Progress{Snapshot: start, Record: start, Last: last}
	err = replay(ctx, from, b.record, last, seq, func(p *portion) error {
		w.add(p.ops)
		if told.Record = p.last; e.Progress != nil {
			e.Progress(told)
		}
		return w.err
	})
	if err != nil {
		return err
	}
	return w.out.Flush()
}

// beginning is where an export begins.
type beginning struct {
	header oplog.Header
	record uint64               // the first one that is written
	order  *sequencer.Sequencer // the state before it, which results need
	gap    Gap
}

// beginning finds where an export of the records first..last begins. Operations can be
// written as soon as their records are there; their results only from the oldest whole
// snapshot on that leaves no record out.
func (v *View) beginning(ctx context.Context, first, last uint64, results bool) (*beginning, error) {
	if first == 1 {
		r := &recovered{last: last}
		if err := r.start(&before{viewed{v.files}, 1}, first); err != nil {
			return nil, err
		}
		if !r.begun {
			return nil, ErrUnused
		}
		return &beginning{header: r.header, record: 1, order: r.order}, nil
	}
	oldest := uint64(0)
	for _, s := range v.files.Report.Snapshots { // the newest first
		if s.Index+1 >= first {
			oldest = s.Index
		}
	}
	if oldest == 0 {
		return nil, fmt.Errorf("%w: the first one held is %d", ErrIncomplete, first)
	}
	r, err := recoverState(ctx, &before{viewed{v.files}, oldest + 1}, oldest, nil)
	if err != nil {
		return nil, err
	}
	seq, _ := r.order.Stamp()
	b := &beginning{header: r.header, record: oldest + 1, order: r.order, gap: Gap{Released: seq}}
	if first > oldest {
		return b, nil
	}
	if b.gap.Released, err = v.operationsBefore(first, seq); err != nil {
		return nil, err
	}
	if results {
		b.gap.Unanswered = seq - b.gap.Released
	} else {
		b.record = first
	}
	return b, nil
}

// operationsBefore gives how many operations came before a record, as it says itself.
// They cannot be more than there were in the state after it, most.
func (v *View) operationsBefore(index, most uint64) (n uint64, err error) {
	err = v.files.Replay(index, index, func(index uint64, record []byte) error {
		first, _, err := splitRecord(index, record)
		switch {
		case err != nil:
			return err
		case first == 0:
			return &RecordError{index, "a header in the middle"}
		case first > most:
			return &RecordError{index, fmt.Sprintf("it begins with operation %d, and a later snapshot is of %d", first, most)}
		}
		n = first - 1
		return nil
	})
	return n, err
}

// exporter writes operations, with their results if they are wanted.
type exporter struct {
	out     *bufio.Writer
	results bool
	model   *model.Model
	answers []lease.Result
	buf     []byte
	err     error
}

func (w *exporter) flush() {
	if w.err == nil {
		_, w.err = w.out.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

func (w *exporter) add(ops []lease.Operation) {
	if w.results {
		w.answers = append(w.answers[:0], make([]lease.Result, len(ops))...)
		w.model.Run(ops, w.answers)
	}
	for i := range ops {
		if !w.results {
			w.buf = append(oplog.AppendOperationIn(w.buf, &ops[i], lease.Live), '\n')
		} else {
			w.buf = oplog.AppendOperationIn(append(w.buf, `{"op":`...), &ops[i], lease.Live)
			w.buf = oplog.AppendResult(append(w.buf, `,"result":`...), &w.answers[i])
			w.buf = append(w.buf, "}\n"...)
		}
		w.flush()
	}
}

package durable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

// records is what a journal and a view of one have in common.
type records interface {
	Replay(from, to uint64, visit func(index uint64, record []byte) error) error
}

// portion is some records on their way: their text, and then their operations.
type portion struct {
	text  []byte
	first uint64 // index of the first record
	size  int64
	ops   []lease.Operation
	last  uint64 // index of the last record
}

// portionBytes is how much text is decoded together.
const portionBytes = 512 << 10

// portionsAhead is how many portions each stage may be ahead of the next.
const portionsAhead = 2

// replay gives run the operations of the records from..to in their order, many at a
// time. seq is the number of the operation before the first of them. Reading,
// decoding and running go on at once. Errors are those of the journal, of run, of
// ctx, *RecordError or *VersionError; run has then been given no operation of a record
// after the place.
func replay(ctx context.Context, journal records, from, to, seq uint64, run func(*portion) error) error {
	group, ctx := errgroup.WithContext(ctx)
	texts, decoded := make(chan *portion, portionsAhead), make(chan *portion, portionsAhead)
	hand := func(to chan<- *portion, p *portion) error {
		select {
		case to <- p:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	group.Go(func() error {
		defer close(texts)
		return readPortions(journal, from, to, seq, func(p *portion) error { return hand(texts, p) })
	})
	group.Go(func() error {
		defer close(decoded)
		for p := range texts {
			if err := p.decode(); err != nil {
				return err
			}
			if err := hand(decoded, p); err != nil {
				return err
			}
		}
		return nil
	})
	group.Go(func() error {
		for p := range decoded {
			if err := run(p); err != nil {
				return err
			}
		}
		return nil
	})
	return group.Wait()
}

// readPortions collects the text of records and checks that their numbers go on
// from each other.
func readPortions(journal records, from, to, seq uint64, hand func(*portion) error) error {
	p := &portion{first: from}
	err := journal.Replay(from, to, func(index uint64, record []byte) error {
		first, text, err := splitRecord(index, record)
		if err != nil {
			return err
		}
		if first == 0 {
			if index == 1 {
				p.last = index // the header, which has been read before
				return nil
			}
			return &RecordError{index, "a header in the middle"}
		}
		if first != seq+1 {
			return &RecordError{index, fmt.Sprintf("it begins with operation %d, and operation %d came before", first, seq)}
		}
		seq += uint64(bytes.Count(text, []byte{'\n'}))
		p.text, p.last = append(p.text, text...), index
		if len(p.text) < portionBytes {
			return nil
		}
		full := p
		p = &portion{first: index + 1}
		return hand(full)
	})
	if err != nil || len(p.text) == 0 {
		return err
	}
	return hand(p)
}

// decode makes operations of the text.
func (p *portion) decode() error {
	lines := bytes.Count(p.text, []byte{'\n'})
	p.ops = make([]lease.Operation, lines)
	d := oplog.NewDecoder(io.MultiReader(bytes.NewReader(liveHeader), bytes.NewReader(p.text)), "journal", oplog.Lines)
	var pace pace
	for i := range p.ops {
		pace.step()
		if err := d.Next(&p.ops[i]); err != nil {
			return p.flaw(err)
		}
	}
	if err := d.Next(new(lease.Operation)); err != io.EOF {
		return p.flaw(err)
	}
	p.size, p.text = int64(len(p.text)), nil
	return nil
}

func (p *portion) flaw(err error) error {
	if errors.Is(err, io.EOF) {
		err = errors.New("a line of it is blank")
	}
	return &RecordError{p.first, fmt.Sprintf("in it or in one of those up to %d: %v", p.last, err)}
}

// liveHeader tells the decoder which dialect the operations are of.
var liveHeader = append(oplog.AppendHeader(nil, oplog.Header{}), '\n')

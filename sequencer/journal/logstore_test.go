package journal_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// raftLog stands for raft.Log of hashicorp/raft, which this module does not
// import: what matters here is that an entry brings its own index.
type raftLog struct {
	Index, Term uint64
	Data        []byte
}

var errLogNotFound = errors.New("log not found")

// logStore shows how raft's LogStore lies on a journal. Its six methods have the
// meaning that raft gives them: indexes are 0 for an empty log, StoreLogs returns
// once its entries are durable, DeleteRange takes an inclusive range that is a
// prefix, a suffix or everything.
type logStore struct{ j *journal.Journal }

func (s logStore) FirstIndex() (uint64, error) { return s.j.FirstIndex(), s.j.Err() }
func (s logStore) LastIndex() (uint64, error)  { return s.j.LastIndex(), s.j.Err() }

func (s logStore) GetLog(index uint64, log *raftLog) error {
	b, err := s.j.Read(index, nil)
	if errors.Is(err, journal.ErrNotFound) {
		return errLogNotFound
	}
	if err != nil {
		return err
	}
	log.Index, log.Term, log.Data = index, binary.LittleEndian.Uint64(b), b[8:]
	return nil
}

func (s logStore) StoreLog(log *raftLog) error { return s.StoreLogs([]*raftLog{log}) }

func (s logStore) StoreLogs(logs []*raftLog) error {
	for _, log := range logs {
		if log.Index != s.j.NextIndex() {
			// Only after a snapshot of the leader's was installed, and then the log
			// is empty.
			if s.j.FirstIndex() != 0 {
				return errors.New("a gap in the log")
			}
			if err := s.j.Reset(log.Index); err != nil {
				return err
			}
		}
		if _, err := s.j.Append(append(binary.LittleEndian.AppendUint64(nil, log.Term), log.Data...)); err != nil {
			return err
		}
	}
	return s.j.Sync()
}

func (s logStore) DeleteRange(lo, hi uint64) error {
	first, last := s.j.FirstIndex(), s.j.LastIndex()
	switch {
	case first == 0 || hi < first || lo > last:
		return nil
	case lo <= first:
		return s.j.ReleaseBefore(min(hi, last) + 1)
	case hi >= last:
		return s.j.TruncateAfter(lo - 1)
	}
	return errors.New("neither a prefix nor a suffix")
}

func TestFitsUnderRaftsLogStore(t *testing.T) {
	fs := crashfs.New(1)
	s := logStore{mustOpen(t, dir, options(fs, 1024))}
	bounds := func(first, last uint64) {
		t.Helper()
		f, errFirst := s.FirstIndex()
		l, errLast := s.LastIndex()
		if f != first || l != last || errFirst != nil || errLast != nil {
			t.Fatalf("%d to %d, want %d to %d: %v %v", f, l, first, last, errFirst, errLast)
		}
	}
	store := func(first, last, term uint64) {
		t.Helper()
		var logs []*raftLog
		for i := first; i <= last; i++ {
			logs = append(logs, &raftLog{Index: i, Term: term, Data: record(i)})
		}
		if err := s.StoreLogs(logs); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(lo, hi uint64) {
		t.Helper()
		if err := s.DeleteRange(lo, hi); err != nil {
			t.Fatal(err)
		}
	}
	bounds(0, 0)
	store(1, 50, 1)
	bounds(1, 50)
	remove(1, 10)
	bounds(11, 50)
	remove(40, 50) // a conflict with the leader's log
	bounds(11, 39)
	store(40, 45, 2)
	var log raftLog
	if err := s.GetLog(40, &log); err != nil || log.Term != 2 || string(log.Data) != string(record(40)) {
		t.Errorf("%+v, %v", log, err)
	}
	if err := s.GetLog(10, &log); !errors.Is(err, errLogNotFound) {
		t.Error(err)
	}
	if err := s.DeleteRange(20, 30); err == nil {
		t.Error("a hole was made")
	}
	remove(1, 1000)
	bounds(0, 0)
	store(501, 510, 3) // after a snapshot was installed
	bounds(501, 510)
	mustClose(t, s.j)
	s = logStore{mustOpen(t, dir, options(fs, 1024))}
	bounds(501, 510)
	if err := s.GetLog(505, &log); err != nil || log.Term != 3 {
		t.Errorf("%+v, %v", log, err)
	}
}

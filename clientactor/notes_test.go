package clientactor

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// life makes notes as locks and the sequencer make them for one client: it holds
// some locks and waits for at most one.
type life struct {
	rng     *rand.Rand
	locks   []*lease.Lock
	held    map[*lease.Lock]lease.Note
	waiting *lease.Lock
	token   lease.Token
}

func newLife(seed uint64) *life {
	f := &life{rng: rand.New(rand.NewPCG(seed, 0)), held: map[*lease.Lock]lease.Note{}}
	for i := range 4 {
		f.locks = append(f.locks, &lease.Lock{ID: uint32(i + 1), Name: fmt.Sprint("L", i)})
	}
	return f
}

func (f *life) next() lease.Note {
	for {
		l := f.locks[f.rng.IntN(len(f.locks))]
		known, holds := f.held[l]
		switch what := f.rng.IntN(6); {
		case what == 0 && !holds && f.waiting == nil:
			f.waiting = l
			return lease.Note{Change: lease.ChangeQueued, Lock: l}
		case what == 1 && f.waiting == l:
			f.waiting = nil
			return lease.Note{Change: lease.ChangeWithdrawn, Lock: l}
		case what == 2 && f.waiting == l:
			f.waiting = nil
			return f.grant(l, true)
		case what == 3 && !holds && f.waiting == nil:
			return f.grant(l, false)
		case what == 4 && holds:
			known.Change = lease.ChangeRenewed
			known.FromQueue = false
			known.Until += lease.Instant(f.rng.IntN(9))
			f.held[l] = known
			return known
		case what == 5 && holds:
			delete(f.held, l)
			known.Change = lease.ChangeReleased
			if f.rng.IntN(2) == 0 {
				known.Change = lease.ChangeLapsed
			}
			known.FromQueue = false
			return known
		}
	}
}

func (f *life) grant(l *lease.Lock, fromQueue bool) lease.Note {
	f.token++
	n := lease.Note{
		Change: lease.ChangeGranted, Lock: l, Token: f.token, Until: lease.Instant(100 + f.token), FromQueue: fromQueue,
	}
	f.held[l] = n
	return n
}

// A client that is told what Append leaves of its notes knows what it would know
// from all of them, whenever it is asked.
func TestNothingIsMissed(t *testing.T) {
	dropped := 0
	for seed := range uint64(500) {
		f := newLife(seed)
		id := &lease.Client{ID: 1, Name: "c"}
		all, left := New(id, 1), New(id, 1)
		var pending []lease.Note
		for range 200 {
			n := f.next()
			all.Apply(&n)
			before := len(pending)
			if pending = lease.Append(pending, &n); len(pending) <= before {
				dropped++
			}
			if f.rng.IntN(8) > 0 {
				continue
			}
			for i := range pending {
				left.Apply(&pending[i])
			}
			pending = pending[:0]
			if want, got := all.status(0), left.status(0); !reflect.DeepEqual(want, got) {
				t.Fatalf("seed %d: %+v, after all notes %+v", seed, got.Detail.Client, want.Detail.Client)
			}
		}
	}
	if dropped < 10_000 {
		t.Errorf("only %d notes were taken up by others", dropped)
	}
}

// Package cycle measures how often clients can acquire and release, each a lock
// of its own or many together the same few. It owns how that is counted, and
// checks on its own that nobody holds a lock that somebody else holds.
package cycle

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leasekeeper/lkactor/bench/peers/internal/peer"
)

// Case is how many clients use how many locks.
type Case struct {
	Clients int `json:"clients"`
	Locks   int `json:"locks"` // each is used by as many clients as any other
}

// Contended tells whether clients share locks.
func (c Case) Contended() bool { return c.Locks < c.Clients }

// String names the case.
func (c Case) String() string {
	if c.Contended() {
		return fmt.Sprintf("%d on %d locks", c.Clients, c.Locks)
	}
	return strconv.Itoa(c.Clients)
}

// Round is what was counted in one round.
type Round struct {
	Cycles   float64 `json:"cycles_per_s"`
	HandOffs float64 `json:"hand_offs_per_s"` // grants to another client than the one before
	P50      float64 `json:"p50_us"`          // of one cycle, from the request to the answer of the release
	P99      float64 `json:"p99_us"`
	// Least is the share that the client with the fewest cycles had of an equal
	// share.
	Least float64 `json:"least_share"`
}

// Stand is the clients of one case on one system.
type Stand struct {
	Case
	workers []*worker
}

// place is one lock, as the measurement sees it.
type place struct {
	inside   atomic.Int64 // clients that hold it by their own account
	last     int          // the client that held it last; only the holder looks
	handOffs int          // likewise
}

// enter notes that the client holds the lock. It fails if another one does.
func (p *place) enter(client int) error {
	if n := p.inside.Add(1); n != 1 {
		return fmt.Errorf("%d clients hold one lock", n)
	}
	if p.last != client {
		p.last = client
		p.handOffs++
	}
	return nil
}

// leave notes that the client is about to give the lock back.
func (p *place) leave() { p.inside.Add(-1) }

type worker struct {
	number int
	client peer.Client
	place  *place
	took   []time.Duration // of each cycle of a round
}

// Open makes the clients.
func (c Case) Open(ctx context.Context, s peer.System) (*Stand, error) {
	stand := &Stand{Case: c}
	places := make([]*place, c.Locks)
	for i := range places {
		places[i] = &place{last: -1}
	}
	for n := range c.Clients {
		lock := n % c.Locks
		client, err := s.Open(ctx, fmt.Sprintf("peers/%d-%d/lock-%d", c.Clients, c.Locks, lock))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open client %d of %v: %w", n, c, err), stand.Close())
		}
		stand.workers = append(stand.workers, &worker{number: n, client: client, place: places[lock]})
	}
	return stand, nil
}

// Close closes the clients.
func (s *Stand) Close() (err error) {
	for _, w := range s.workers {
		err = errors.Join(err, w.client.Close())
	}
	return err
}

// Run has all clients acquire and release for that long; then each finishes its
// cycle.
func (s *Stand) Run(ctx context.Context, length time.Duration) (Round, error) {
	var (
		group sync.WaitGroup
		fail  = make(chan error, len(s.workers))
		start = time.Now()
	)
	before := s.handOffs()
	for _, w := range s.workers {
		group.Go(func() {
			if err := w.run(ctx, start, length, s.Contended()); err != nil {
				fail <- fmt.Errorf("client %d of %v: %w", w.number, s.Case, err)
			}
		})
	}
	group.Wait()
	took := time.Since(start)
	close(fail)
	if err := <-fail; err != nil {
		return Round{}, err
	}
	return s.round(took, s.handOffs()-before), nil
}

// run is one client's part of a round. Where locks are shared it lets others run
// while it holds its lock: a goroutine that does not would go through many cycles
// before anybody else gets to ask, and nothing would be handed over.
func (w *worker) run(ctx context.Context, start time.Time, length time.Duration, shared bool) error {
	w.took = w.took[:0]
	for begun := time.Since(start); begun < length; {
		if err := w.client.Acquire(ctx); err != nil {
			return err
		}
		if err := w.place.enter(w.number); err != nil {
			return err
		}
		if shared {
			runtime.Gosched()
		}
		w.place.leave()
		if err := w.client.Release(ctx); err != nil {
			return err
		}
		done := time.Since(start)
		w.took = append(w.took, done-begun)
		begun = done
	}
	return nil
}

// handOffs adds up the hand-offs so far; nobody may be running.
func (s *Stand) handOffs() (n int) {
	for _, w := range s.workers[:s.Locks] { // the first of each lock
		n += w.place.handOffs
	}
	return n
}

func (s *Stand) round(took time.Duration, handOffs int) Round {
	var all []time.Duration
	least := len(s.workers[0].took)
	for _, w := range s.workers {
		all = append(all, w.took...)
		least = min(least, len(w.took))
	}
	slices.Sort(all)
	micro := func(share float64) float64 {
		return float64(all[int(share*float64(len(all)-1))].Nanoseconds()) / 1e3
	}
	return Round{
		Cycles:   float64(len(all)) / took.Seconds(),
		HandOffs: float64(handOffs) / took.Seconds(),
		P50:      micro(0.50),
		P99:      micro(0.99),
		Least:    float64(least) * float64(len(s.workers)) / float64(len(all)),
	}
}

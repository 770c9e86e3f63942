package client_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

var (
	seed  = flag.Uint64("seed", 0, "the first seed of the random courses")
	seeds = flag.Int("seeds", 60, "how many of them")
)

// slow is a service at the end of a line on which everything takes its time:
// operations, answers and events, each of them in order but not against the others.
// It may lose operations and answers, too.
type slow struct {
	engine *actors.Engine
	rng    *rand.Rand
	losses bool

	mu                     sync.Mutex
	ops, answers, messages time.Time // when the last one arrives
}

func (s *slow) Submit(ctx context.Context, op lease.Operation, done func(client.Answer)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	answer := func(a client.Answer) {
		if s.loses() {
			a = client.Answer{Err: client.ErrUnanswered}
		}
		s.later(&s.answers, func() { done(a) })
	}
	s.later(&s.ops, func() {
		if s.loses() {
			answer(client.Answer{Err: client.ErrUnanswered})
		} else if err := s.engine.Submit(context.Background(), op, answer); err != nil {
			answer(client.Answer{Err: err})
		}
	})
	return nil
}

func (s *slow) Watch(ctx context.Context, name string, instance uuid.UUID, told func(lease.Event)) (func(), error) {
	return s.engine.Watch(ctx, name, instance, func(e lease.Event) {
		s.later(&s.messages, func() { told(e) })
	})
}

// later does it after a random while, and after all that came before it on the same
// line.
func (s *slow) later(last *time.Time, f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delay := time.Duration(s.rng.IntN(5)) * time.Millisecond
	if s.rng.IntN(30) == 0 {
		delay *= 100
	}
	at := time.Now().Add(delay)
	if !at.After(*last) {
		at = last.Add(1)
	}
	*last = at
	time.AfterFunc(time.Until(at), f)
}

func (s *slow) loses() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.losses && s.rng.IntN(8) == 0
}

// board has the leases that somebody may believe in.
type board struct {
	mu     sync.Mutex
	leases map[string][]*client.Lease
	tokens map[string]lease.Token
	grants int

	// calm says that nobody is aborted. An abort ends a lease before its time (D5),
	// and its holder believes in it until it is told.
	calm bool
}

// post adds a lease. Of two that exclude each other at most one is believed in by
// its holder, whatever the service knows.
func (b *board) post(t *testing.T, l *client.Lease) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.grants++
	if !believed(l) {
		return // it took too long
	}
	for _, other := range b.leases[l.Lock()] {
		if b.calm && believed(other) && (l.Mode() == lease.Exclusive || other.Mode() == lease.Exclusive) {
			t.Errorf("%v: two hold %s: %v with token %d until %v, %v with %d until %v",
				time.Now(), l.Lock(), other.Mode(), other.Token(), other.Expiry(), l.Mode(), l.Token(), l.Expiry())
		}
	}
	b.leases[l.Lock()] = append(b.leases[l.Lock()], l)
	if l.Mode() == lease.Exclusive {
		if l.Token() <= b.tokens[l.Lock()] {
			t.Errorf("token %d of %s after %d", l.Token(), l.Lock(), b.tokens[l.Lock()])
		}
		b.tokens[l.Lock()] = l.Token()
	}
}

func believed(l *client.Lease) bool { return l.Err() == nil && time.Now().Before(l.Expiry()) }

// Random clients on slow lines, in a time of its own: no two believe in leases that
// exclude each other, and nothing is left when all are closed.
func TestRandomCourses(t *testing.T) {
	most := *seeds
	if raced || testing.Short() {
		most /= 6
	}
	grants, errs := 0, map[string]int{}
	for n := range most {
		seed := *seed + uint64(n)
		synctest.Test(t, func(t *testing.T) {
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("with -seed %d -seeds 1", seed)
				}
			})
			engine := start(t)
			b := &board{leases: map[string][]*client.Lease{}, tokens: map[string]lease.Token{}, calm: seed%3 > 0}
			var group sync.WaitGroup
			var mu sync.Mutex
			for i := range 5 {
				group.Go(func() {
					rng := rand.New(rand.NewPCG(seed, uint64(i)))
					line := &slow{engine: engine, rng: rand.New(rand.NewPCG(seed, 100+uint64(i))), losses: seed%2 == 1}
					var options []client.Option
					if line.losses {
						options = append(options, client.WithRequestIDs())
					}
					c := open(t, line, fmt.Sprint("c", i), options...)
					for range 60 {
						err := course(t, rng, c, b)
						if b.calm && (errors.Is(err, lease.ClientBusy) || errors.Is(err, client.ErrDeadlock)) {
							t.Errorf("%v, although nothing was left of what came before", err)
						}
						mu.Lock()
						errs[kindOf(err)]++
						mu.Unlock()
					}
					if err := c.Close(t.Context()); err != nil && !errors.Is(err, client.ErrUnanswered) {
						t.Error(err)
					}
				})
			}
			group.Wait()
			time.Sleep(time.Minute) // what was lost on the last day lapses
			for _, lock := range courseLocks {
				empty(t, engine, lock)
			}
			grants += b.grants
			if err := engine.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
	t.Logf("%d grants, errors %v", grants, errs)
	for _, kind := range []string{"none", "cancelled", "blocked", "deadlock", "limit", "lost"} {
		if errs[kind] == 0 && !raced && !testing.Short() {
			t.Errorf("no course ended with %s", kind)
		}
	}
}

var courseLocks = []string{"A", "B", "C"}

// course is one thing a client does: it gets a lock or several, works for a while
// and lets go, or not.
func course(t *testing.T, rng *rand.Rand, c *client.Client, b *board) error {
	terms := client.Terms{
		TTL:       time.Duration(20+rng.IntN(400)) * time.Millisecond,
		Mode:      lease.Mode(rng.IntN(2)),
		KeepAlive: rng.IntN(2) == 0,
	}
	if rng.IntN(4) == 0 {
		terms.Wait = time.Duration(rng.IntN(100)) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(1500))*time.Millisecond)
	defer cancel()
	var leases []*client.Lease
	got := func(l *client.Lease, err error) error {
		if err == nil {
			b.post(t, l)
			leases = append(leases, l)
		}
		return err
	}
	var err error
	first, second := rng.IntN(3), rng.IntN(3)
	if b.calm {
		first, second = min(first, second), max(first, second)
	}
	switch rng.IntN(4) {
	case 0:
		err = got(c.TryAcquire(ctx, courseLocks[first], terms))
	case 1:
		var set *client.Set
		if set, err = c.AcquireAll(ctx, terms, courseLocks[:1+second]...); err == nil {
			for _, l := range set.Leases() {
				_ = got(l, nil)
			}
		}
	default:
		if err = got(c.Acquire(ctx, courseLocks[first], terms)); err == nil && second != first {
			time.Sleep(time.Duration(rng.IntN(10)) * time.Millisecond)
			err = got(c.Acquire(ctx, courseLocks[second], terms))
		}
	}
	for _, l := range leases {
		if rng.IntN(3) == 0 {
			_ = l.Renew(ctx, time.Duration(10+rng.IntN(500))*time.Millisecond)
		}
		time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
		if !b.calm && rng.IntN(4) == 0 { // it is forgotten, and lapses
			l.KeepAlive(false)
			continue
		}
		if lost := l.Release(t.Context()); err == nil {
			err = lost
		}
	}
	return err
}

func kindOf(err error) string {
	for _, k := range []struct {
		name string
		err  error
	}{
		{"deadlock", client.ErrDeadlock}, {"lost", client.ErrLost}, {"limit", client.ErrWaitLimit},
		{"blocked", client.ErrWouldBlock}, {"closing", client.ErrClosing}, {"busy", lease.ClientBusy}, {"cancelled", context.DeadlineExceeded},
	} {
		if errors.Is(err, k.err) {
			return k.name
		}
	}
	if err != nil {
		return err.Error()
	}
	return "none"
}

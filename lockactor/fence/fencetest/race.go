package fencetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// The shape of a race.
const (
	raceRacers = 64
	raceRounds = 3  // each in scopes of its own
	raceCalls  = 8  // by each racer
	raceScopes = 2  // fewer racers on each, and P3 is in it
	raceKeys   = 3  // in each scope
	raceStores = 4  // how often the store is opened: "processes"
	raceSpread = 12 // tokens around the one whose time it is
)

// 64 goroutines with random tokens write, read and ask at once. What they were
// told must be what one store told that did one thing after the other.
func raceIsLinearizable(tr *trial) {
	for round := range raceRounds {
		seed := rand.Uint64()
		stores := make([]fence.Store, raceStores)
		for i := range stores {
			stores[i] = tr.store()
		}
		history, err := Race(tr.ctx, stores, tr.scope(fmt.Sprint("round ", round, " ")), raceRacers, seed)
		if err != nil {
			tr.failf("seed %d: %v", seed, err)
		}
		if err := history.Check(); err != nil {
			tr.failf("seed %d: %v", seed, err)
		}
		if len(tr.failures) > 0 {
			return
		}
	}
}

// Race lets so many goroutines loose on the stores, which are all open on the
// same data, and gives what they were told. They write under 3 keys with random
// tokens that rise as the race goes on, read and ask for the mark, in scopes whose
// names begin with prefix and that must be fresh. At the end, when all is quiet,
// everything is read once. The error is that of calls that ended as no call
// should.
func Race(ctx context.Context, stores []fence.Store, prefix string, racers int, seed uint64) (History, error) {
	r := &race{ctx: ctx, prefix: prefix}
	var wait sync.WaitGroup
	start := make(chan struct{})
	for id := range racers {
		wait.Go(func() {
			chance := rand.New(rand.NewPCG(seed, uint64(id)))
			<-start
			for n := range raceCalls {
				r.call(stores[id%len(stores)], chance, fmt.Sprintf("by %d, call %d", id, n))
			}
		})
	}
	close(start)
	wait.Wait()
	for scope := range raceScopes {
		r.accepted(stores[0], r.scope(scope))
		for key := range raceKeys {
			r.read(stores[0], r.scope(scope), fmt.Sprint("k", key))
		}
	}
	slices.SortFunc(r.events, func(a, b Event) int { return int(a.Call - b.Call) })
	return r.events, errors.Join(r.strange...)
}

type race struct {
	ctx    context.Context
	prefix string
	clock  atomic.Int64 // numbers calls and returns
	begun  atomic.Int64 // writes, for the tokens to rise

	mu      sync.Mutex
	events  History
	strange []error
}

func (r *race) scope(n int) string { return fmt.Sprint(r.prefix, n) }

func (r *race) call(s fence.Store, chance *rand.Rand, value string) {
	scope, key := r.scope(chance.IntN(raceScopes)), fmt.Sprint("k", chance.IntN(raceKeys))
	switch chance.IntN(8) {
	case 0:
		r.accepted(s, scope)
	case 1, 2:
		r.read(s, scope, key)
	default:
		token := 1 + r.begun.Add(1)/8 + chance.Int64N(raceSpread)
		r.write(s, scope, key, value, lease.Token(token))
	}
}

func (r *race) write(s fence.Store, scope, key, value string, token lease.Token) {
	e := Event{Kind: WriteEvent, Scope: scope, Key: key, Value: value, Token: token, Call: r.clock.Add(1)}
	err := persist(r.ctx, s, scope, key, value, token)
	e.Return = r.clock.Add(1)
	var stale *fence.StaleError
	switch {
	case err == nil:
		e.End = Done
	case errors.As(err, &stale):
		e.End, e.Accepted = Refused, stale.Accepted
	case errors.Is(err, fence.ErrAmbiguous):
		e.End = Unknown
	default:
		e.End = Unknown
		r.complain(fmt.Errorf("%v: %w", e, err))
	}
	r.add(e)
}

func (r *race) read(s fence.Store, scope, key string) {
	e := Event{Kind: ReadEvent, Scope: scope, Key: key, Call: r.clock.Add(1)}
	var err error
	e.Value, e.Found, err = s.Read(r.ctx, scope, key)
	e.Return = r.clock.Add(1)
	if err != nil {
		r.complain(fmt.Errorf("read of %q: %w", key, err))
		return
	}
	r.add(e)
}

func (r *race) accepted(s fence.Store, scope string) {
	e := Event{Kind: AcceptedEvent, Scope: scope, Call: r.clock.Add(1)}
	var err error
	e.Token, err = s.Accepted(r.ctx, scope)
	e.Return = r.clock.Add(1)
	if err != nil {
		r.complain(fmt.Errorf("highest accepted token: %w", err))
		return
	}
	r.add(e)
}

func (r *race) add(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *race) complain(err error) {
	// A store may give way to others on a read, too.
	if errors.Is(err, fence.ErrConflict) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.strange = append(r.strange, err)
}

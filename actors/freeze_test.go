package actors_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/internal/chance"
	"github.com/leasekeeper/lkactor/actors/internal/twin"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/sequencer"
)

// A state that is frozen, saved, loaded and gone on from, again and again in the
// middle of a log, changes no result: what the twin answers without any of it is
// what comes of it.
func TestP1_FreezeSaveLoadResume(t *testing.T) {
	system := newSystem(t)
	n := uint64(*logs / 8)
	if testing.Short() || raceEnabled {
		n /= 10
	}
	for s := range n {
		s += *seed
		profile := chance.LiveProfiles[s%uint64(len(chance.LiveProfiles))]
		log := chance.Log(s, profile)
		if why := unfrozen(t, system, s, log); why != "" {
			small := chance.Shrink(log, func(log [][]byte) bool { return unfrozen(t, system, s, log) != "" })
			t.Fatalf("profile %q, seed %d: %s\n%s", profile.Name, s, unfrozen(t, system, s, small), lines(small))
		}
	}
}

// unfrozen says where a log that is cut by restarts answers otherwise than the
// twin, or nothing.
func unfrozen(t *testing.T, system *actor.ActorSystem, seed uint64, log [][]byte) string {
	oracle := twin.NewLive()
	want := make([]string, len(log))
	for i, op := range log {
		want[i] = oracle.Do(op)
	}
	ops := decode(t, chance.LiveText(log))
	rng := rand.New(rand.NewPCG(seed, 11))
	var watch func(*lease.Effect)
	if seed%2 == 0 {
		watch = func(*lease.Effect) {}
	}
	results := make([]lease.Result, len(ops))
	m := model.Make(lease.Live, watch)
	for from := 0; from < len(ops); {
		to := min(from+1+rng.IntN(12), len(ops))
		m.Run(ops[from:to], results[from:to])
		from = to
		order := m.Freeze()
		if rng.IntN(2) == 0 {
			var err error
			if order, err = copied(order); err != nil {
				return err.Error()
			}
		}
		if rng.IntN(4) == 0 { // the rest, by an engine
			if err := runFrom(system, order, ops[from:], results[from:], seed); err != nil {
				return err.Error()
			}
			break
		}
		m = model.Resume(order, lease.Live, watch)
	}
	return compare(results, want)
}

// copied saves and loads an order.
func copied(order *sequencer.Sequencer) (*sequencer.Sequencer, error) {
	state, clients, locks := order.Save()
	loader := sequencer.NewLoader(lease.Live, state)
	known := map[string]*lease.Client{}
	for c := range clients {
		identity, err := loader.Client(c)
		if err != nil {
			return nil, err
		}
		known[c.Name] = identity
	}
	for l := range locks {
		if l.Claims != nil {
			claims := &lease.Claims{}
			for _, c := range l.Claims.Holders {
				c.Client = known[c.Client.Name]
				claims.Holders = append(claims.Holders, c)
			}
			for _, c := range l.Claims.Queue {
				c.Client = known[c.Client.Name]
				claims.Queue = append(claims.Queue, c)
			}
			l.Claims = claims
		}
		if err := loader.Lock(l); err != nil {
			return nil, err
		}
	}
	return loader.Done(), nil
}

func runFrom(system *actor.ActorSystem, order *sequencer.Sequencer, ops []lease.Operation, results []lease.Result, seed uint64) error {
	keep := int(seed % 5)
	engine, err := actors.Start(system, actors.WithDialect(lease.Live), actors.WithOrder(order),
		actors.WithDispatch(dispatches[seed%3]), actors.WithBatchLimits(randomLimits(seed)), actors.WithKeep(keep, keep))
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	err = engine.Run(context.Background(), ops, results)
	return errors.Join(err, engine.Stop(context.Background()))
}

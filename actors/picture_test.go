package actors_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// painter is an actor that makes itself a picture of what its client holds, out of the
// answers and notices it gets. It takes its time to confirm them.
type painter struct {
	engine *actor.PID
	client string
	rng    *rand.Rand
	pace   int // it confirms one in so many at once

	mu    sync.Mutex
	holds map[string]lease.Token
	over  map[string]lease.Token // the highest token of each lock that it knows to be over
	kept  *actors.Confirm
	asked []lease.Operation // not yet answered, in order
	wrong string

	currents int // how often it was told how its client stands
}

func (p *painter) Receive(ctx actor.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m := ctx.Message().(type) {
	case *actor.Started:
		ctx.Request(p.engine, &actors.Attach{Client: p.client})
	case lease.Operation:
		p.asked = append(p.asked, m)
		ctx.Request(p.engine, &actors.Request{Op: m})
	case *actors.Reply:
		p.answered(m)
	case *actors.Notice:
		for _, e := range m.Events {
			p.told(e)
		}
		if p.kept = m.Confirm(); p.rng.IntN(p.pace) == 0 {
			p.confirm(ctx)
		}
	case string: // from the test: catch up
		p.pace = 1
		p.confirm(ctx)
	}
}

func (p *painter) confirm(ctx actor.Context) {
	if p.kept != nil {
		ctx.Request(p.engine, p.kept)
		p.kept = nil
	}
}

func (p *painter) answered(m *actors.Reply) {
	op := p.asked[0]
	p.asked = p.asked[1:]
	switch {
	case m.Err != nil:
		p.wrong = m.Err.Error()
	case m.Result.Outcome == lease.Granted:
		p.has(op.Lock, m.Result.Token)
	case m.Result.Outcome == lease.Deadlocked:
		p.lostAll()
	case m.Result.Outcome == lease.Released:
		p.lost(op.Lock, p.holds[op.Lock])
	}
}

func (p *painter) told(e lease.Event) {
	switch e.Kind {
	case lease.EventCurrent:
		p.currents++
		p.lostAll()
		for _, h := range e.State.Holds {
			p.holds[h.Lock] = h.Token // whatever was thought of it
		}
	case lease.EventGranted:
		p.has(e.Lock, e.Token)
	case lease.EventLost:
		p.lost(e.Lock, e.Token)
	}
}

func (p *painter) has(lock string, token lease.Token) {
	if token > p.over[lock] {
		p.holds[lock] = token
	}
}

func (p *painter) lost(lock string, token lease.Token) {
	p.over[lock] = max(p.over[lock], token)
	if p.holds[lock] <= token {
		delete(p.holds, lock)
	}
}

func (p *painter) lostAll() {
	for lock, token := range p.holds {
		p.over[lock] = max(p.over[lock], token)
	}
	clear(p.holds)
}

// However slowly actors confirm what they are told, and whatever happens meanwhile,
// each ends up with the right picture of its client.
func TestActorsKnowWhereTheyStand(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 10
	}
	behind := 0
	for seed := range uint64(rounds) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 17))
			system := newSystem(t)
			engine := start(t, system, actors.WithClock(actors.SystemClock()), actors.WithDispatch(dispatches[seed%3]))
			painters, pids := make([]*painter, 8), make([]*actor.PID, 8)
			for i := range painters {
				painters[i] = &painter{
					engine: engine.PID(), client: fmt.Sprint("c", i), rng: rand.New(rand.NewPCG(seed, uint64(i))), pace: 1 + rng.IntN(200),
					holds: map[string]lease.Token{}, over: map[string]lease.Token{},
				}
				pids[i] = system.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return painters[i] }))
			}
			locks := 3 + rng.IntN(150)
			for range 1_500 {
				i := rng.IntN(len(painters))
				op := live0(lease.Acquire, painters[i].client, fmt.Sprint("L", rng.IntN(locks)))
				switch rng.IntN(8) {
				case 0:
					op = lease.Operation{Kind: lease.Release, Client: op.Client, Lock: op.Lock}
				case 1:
					if err := engine.Evict(t.Context(), op.Client, op.Lock); err != nil && err != lease.NotHolder {
						t.Error(err)
					}
					continue
				}
				system.Root.Send(pids[i], op)
				if rng.IntN(10) == 0 {
					time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
				}
			}
			for range 3 { // the portion on its way, what waits behind it, how the client stands
				synctest.Wait()
				for _, pid := range pids {
					system.Root.Send(pid, "catch up")
				}
			}
			synctest.Wait()
			for i, p := range painters {
				real := map[string]lease.Token{}
				for _, h := range ask(t, engine, lease.Status, p.client, "", 0).Detail.Client.Holds {
					real[h.Lock] = h.Token
				}
				behind += p.currents - 1
				if p.wrong != "" || !maps.Equal(p.holds, real) {
					t.Errorf("seed %d: client %d holds %v, its actor thinks %v; %s", seed, i, real, p.holds, p.wrong)
				}
			}
			if err := engine.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute) // for what Proto.Actor has going on about dead letters
		})
	}
	if behind == 0 {
		t.Error("no actor was ever too slow")
	}
}

package actors_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// sabotage makes one message to the actors of a part unreadable, so that whoever
// gets it panics in the middle of its work: the one at which after has been
// counted down to zero, or the next that spoil knows how to spoil.
func sabotage(p *actor.Props, after int, spoil func(any) bool) {
	var mu sync.Mutex
	p.Configure(actor.WithReceiverMiddleware(func(next actor.ReceiverFunc) actor.ReceiverFunc {
		return func(ctx actor.ReceiverContext, envelope *actor.MessageEnvelope) {
			mu.Lock()
			after--
			now := after == 0
			mu.Unlock()
			if now && !spoil(envelope.Message) {
				mu.Lock()
				after++ // not a message to spoil: the next one is
				mu.Unlock()
			}
			next(ctx, envelope)
		}
	}))
}

// places are where a message can be spoilt, and what is said of it then.
var places = []struct {
	name string
	want string
	cast func(*actor.Props, int)
}{
	{"lock", `actor of lock "L`, func(p *actor.Props, after int) {
		sabotage(p, after, func(m any) bool {
			lane, ok := m.(*lease.Lane)
			if ok {
				lane.First.Client = nil
			}
			return ok
		})
	}},
	{"client", `actor of client "c`, func(p *actor.Props, after int) {
		sabotage(p, after, func(m any) bool {
			post, ok := m.(*lease.Post)
			if ok {
				post.Questions = []lease.Question{{Kind: lease.AskStatus}} // without room for the answer
			}
			return ok
		})
	}},
	{"deadlock", "deadlock actor failed", func(p *actor.Props, after int) {
		sabotage(p, after/4+1, func(m any) bool {
			in, ok := m.(*lease.Inquiry)
			if ok {
				in.Effects = []*lease.Effect{nil}
			}
			return ok
		})
	}},
}

// A panic anywhere ends the engine: whoever waits gets an error that says where,
// nobody is answered from a half-changed state, and nothing starts anew.
func TestPanicEndsTheEngine(t *testing.T) {
	system := newSystem(t)
	for _, place := range places {
		for _, d := range dispatches {
			for _, after := range []int{3, 17, 40} {
				t.Run(fmt.Sprint(place.name, "/", d, "/", after), func(t *testing.T) {
					engine := start(t, system, actors.WithDispatch(d),
						actors.WithRecast(func(part string, p *actor.Props) {
							if part == place.name {
								place.cast(p, after)
							}
						}))
					failsForAll(t, engine, place.want)
				})
			}
		}
	}
	t.Run("sequencer", func(t *testing.T) {
		batches := 0
		engine := start(t, system, actors.WithBatchLimits(func() int {
			if batches++; batches == 9 {
				panic("no limit to be had")
			}
			return 2
		}))
		failsForAll(t, engine, "no limit to be had")
	})
}

// failsForAll has many callers use the engine until each has had an error.
func failsForAll(t *testing.T, engine *actors.Engine, want string) {
	t.Helper()
	var group sync.WaitGroup
	for caller := range 16 {
		group.Go(func() {
			for i := range 1_000_000 {
				// Take two locks one after the other, give them back, and ask how one stands,
				// as clients are told little of what comes and goes unasked.
				round, step := i/5, i%5
				op := acquire(lease.Instant(i), fmt.Sprint("c", caller), fmt.Sprint("L", (round+step%2*caller)%3))
				switch {
				case step == 4:
					op.Kind = lease.Status
				case step > 1:
					op.Kind = lease.Release
				}
				_, err := engine.Do(t.Context(), op)
				if err == nil {
					continue
				}
				failure := (*lease.Failure)(nil)
				if !errors.Is(err, actors.ErrFailed) || !errors.As(err, &failure) || !strings.Contains(err.Error(), want) {
					t.Errorf("caller %d: %v", caller, err)
				}
				return
			}
			t.Errorf("caller %d was answered to the end", caller)
		})
	}
	group.Wait()
	if err := engine.Err(); !errors.Is(err, actors.ErrFailed) {
		t.Errorf("Err: %v", err)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Errorf("Stop: %v", err)
	}
}

// Whenever a live engine fails, all are told: callers by an error, subscribers by the
// end, which comes once and last. Nobody is answered afterwards.
func TestPanicAtRandomMoments(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 20
	}
	system := newSystem(t)
	for seed := range uint64(rounds) {
		rng := rand.New(rand.NewPCG(seed, 13))
		place, after := places[rng.IntN(len(places))], 1+rng.IntN(80)
		engine := start(t, system, actors.WithClock(actors.SystemClock()), actors.WithDispatch(dispatches[seed%3]),
			actors.WithBatchLimits(randomLimits(seed)),
			actors.WithRecast(func(part string, p *actor.Props) {
				if part == place.name {
					place.cast(p, after)
				}
			}))
		var listeners []*listener
		for c := range 16 {
			listeners = append(listeners, subscribe(t, engine, fmt.Sprint("c", c)))
		}
		var failed atomic.Bool
		var group sync.WaitGroup
		for caller := range 16 {
			group.Go(func() {
				for i := 0; ; i++ {
					round := i / 4
					op := live0(lease.Acquire, fmt.Sprint("c", caller), fmt.Sprint("L", (round+i%2*caller)%3))
					if i%4 > 1 {
						op.Kind = lease.Release
					}
					late := failed.Load()
					_, err := engine.Do(t.Context(), op)
					if err == nil && late {
						t.Errorf("seed %d: caller %d is answered after somebody has had an error", seed, caller)
					}
					if err != nil {
						failed.Store(true)
						if !errors.Is(err, actors.ErrFailed) || !strings.Contains(err.Error(), place.want) {
							t.Errorf("seed %d: caller %d: %v", seed, caller, err)
						}
						return
					}
				}
			})
		}
		group.Wait()
		if err := engine.Stop(t.Context()); err != nil {
			t.Errorf("seed %d: Stop: %v", seed, err)
		}
		for c, l := range listeners {
			for i, e := range l.events {
				if (e.Kind == lease.EventEnded) != (i == len(l.events)-1) {
					t.Errorf("seed %d: client %d is told as event %d of %d: %s", seed, c, i+1, len(l.events), describe(e))
				}
				if e.Kind == lease.EventEnded && !errors.Is(e.Err, actors.ErrFailed) {
					t.Errorf("seed %d: client %d is told: %v", seed, c, e.Err)
				}
			}
		}
	}
}

// fragile is a subscriber that panics at an event.
type fragile struct{ at lease.EventKind }

func (f fragile) Tell(e lease.Event) {
	if e.Kind == f.at {
		panic("no more of this")
	}
}

// A subscriber that panics ends the engine, and all others hear of it: those who are
// answered in the same intake, too.
func TestListenersThatPanic(t *testing.T) {
	live(t, func(t *testing.T, engine *actors.Engine) {
		first, last := subscribe(t, engine, "b"), new(listener)
		if _, err := engine.Subscribe(t.Context(), "b", "", fragile{lease.EventGranted}); err != nil {
			t.Fatal(err)
		}
		if _, err := engine.Subscribe(t.Context(), "b", "", fragile{lease.EventEnded}); err != nil {
			t.Fatal(err)
		}
		if _, err := engine.Subscribe(t.Context(), "b", "", last); err != nil {
			t.Fatal(err)
		}
		ask(t, engine, lease.Acquire, "a", "L", 10)
		ask(t, engine, lease.Acquire, "b", "L", 10)
		first.take()
		last.take()
		time.Sleep(10 * time.Millisecond)
		first.want(t, "granted L token 2 from 10000000 to 20000000; ended: lkactor: engine failed: listener failed: no more of this")
		last.want(t, "ended: lkactor: engine failed: listener failed: no more of this")
		if _, err := engine.Do(t.Context(), live0(lease.Inspect, "", "L")); !errors.Is(err, actors.ErrFailed) {
			t.Errorf("answered: %v", err)
		}
	})
}

// Likewise one whose answer panics, and those who are answered after it.
func TestAnswersThatPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, goOn := stalled(t, 10)
		var answers []error
		submit := func(lock string, done func(client.Answer)) {
			go func() {
				if err := engine.Submit(t.Context(), live0(lease.Acquire, "a", lock), done); err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
		}
		submit("L", func(client.Answer) {}) // holds up the others
		submit("M", func(client.Answer) { panic("no more of this") })
		for range 3 {
			submit("N", func(a client.Answer) { answers = append(answers, a.Err) })
		}
		goOn()
		synctest.Wait()
		if len(answers) != 3 {
			t.Errorf("answers: %v", answers)
		}
		for _, err := range answers {
			if !errors.Is(err, actors.ErrFailed) {
				t.Errorf("answered: %v", err)
			}
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

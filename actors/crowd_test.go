package actors_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// However many wait, a release concerns the next in line only: nobody else is told,
// and the work is the same.
func TestOneReleaseTellsOne(t *testing.T) {
	work := func(t *testing.T, waiters int) (effects int, lanes, posts uint64) {
		synctest.Test(t, func(t *testing.T) {
			var seen atomic.Int64
			engine := start(t, newSystem(t), actors.WithClock(actors.SystemClock()), actors.WithIdle(time.Hour),
				actors.WithWatch(func(*lease.Effect) { seen.Add(1) }))
			ask(t, engine, lease.Acquire, "holder", "L", 1000)
			all := make([]*listener, waiters)
			for i := range all {
				name := fmt.Sprint("c", i)
				ask(t, engine, lease.Acquire, name, "L", 1000)
				all[i] = subscribe(t, engine, name)
			}
			for _, l := range all {
				l.take()
			}
			before, err := engine.Counts(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			seen.Store(0)
			ask(t, engine, lease.Release, "holder", "L", 0)
			all[0].want(t, "granted L token 2 from 0 to 1000000000")
			for i, l := range all[1:] {
				if told := l.take(); told != "" {
					t.Errorf("waiter %d of %d was told: %s", i+2, waiters, told)
				}
			}
			after, err := engine.Counts(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			effects, lanes, posts = int(seen.Load()), after.Lanes-before.Lanes, after.Posts-before.Posts
			if err := engine.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
		return effects, lanes, posts
	}
	few, fewLanes, fewPosts := work(t, 2)
	many, manyLanes, manyPosts := work(t, 500)
	if few != 2 || many != few || manyLanes != fewLanes || manyPosts != fewPosts {
		t.Errorf("a release before 2 waiters: %d effects, %d lanes, %d posts; before 500: %d, %d, %d",
			few, fewLanes, fewPosts, many, manyLanes, manyPosts)
	}
}

// Whatever is thrown at an engine at full speed is answered once each, and then there
// is quiet.
func TestFullSpeed(t *testing.T) {
	total := 100_000
	if testing.Short() {
		total = 20_000
	}
	for _, locks := range []int{1, 1000} {
		t.Run(fmt.Sprint(locks, " locks"), func(t *testing.T) {
			clock := newHandClock()
			engine := start(t, newSystem(t), actors.WithClock(clock), actors.WithIdle(time.Hour), actors.WithForget(0))
			const callers = 100
			var answers atomic.Int64
			var group sync.WaitGroup
			for c := range callers {
				group.Go(func() {
					rng := rand.New(rand.NewPCG(uint64(c), 9))
					name := fmt.Sprint("c", c)
					for i := range total / callers {
						op := live0(lease.Acquire, name, fmt.Sprint("L", rng.IntN(locks)))
						if i%2 == 1 {
							op.Kind = lease.Release
						}
						if c%2 == 0 {
							if err := engine.Submit(t.Context(), op, answered(t, &answers)); err != nil {
								t.Error(err)
							}
							continue
						}
						if _, err := engine.Do(t.Context(), op); err != nil {
							t.Error(err)
						}
						answers.Add(1)
					}
				})
			}
			group.Wait()
			// The next answer comes after all others.
			ask(t, engine, lease.Tick, "", "", 0)
			if n := answers.Load(); n != int64(total) {
				t.Errorf("%d answers to %d operations", n, total)
			}
			idle, err := engine.Counts(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			rung := clock.alarms()
			time.Sleep(50 * time.Millisecond) // whatever still goes on would show
			after, err := engine.Counts(t.Context())
			if err != nil || after != idle || clock.alarms() != rung {
				t.Errorf("the engine goes on: %+v, then %+v; %d alarms, then %d; %v", idle, after, rung, clock.alarms(), err)
			}
			if err := engine.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Of a thousand who use a name for the first time at once, one gets the lock and the
// others a place each.
func TestFirstUseOfAName(t *testing.T) {
	const callers = 1000
	system := newSystem(t)
	for _, d := range dispatches {
		engine := start(t, system, actors.WithClock(actors.SystemClock()), actors.WithDispatch(d))
		var group sync.WaitGroup
		places := make([]atomic.Int32, callers)
		ready := make(chan struct{})
		for c := range callers {
			group.Go(func() {
				<-ready
				op := live0(lease.Acquire, fmt.Sprint("c", c), "new")
				op.TTL = lease.MaxTTLNanoseconds
				r, err := engine.Do(t.Context(), op)
				switch {
				case err != nil:
					t.Error(err)
				case r.Outcome == lease.Granted && r.Token == 1:
					places[0].Add(1)
				case r.Outcome == lease.Queued:
					places[r.Position].Add(1)
				default:
					t.Errorf("%+v", r)
				}
			})
		}
		close(ready)
		group.Wait()
		for i := range places {
			if n := places[i].Load(); n != 1 {
				t.Errorf("%v: place %d was given %d times", d, i, n)
			}
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// Nothing is left of what has come and gone: neither actors nor goroutines, and in the
// end no names.
func TestBackToBase(t *testing.T) {
	rounds := 10_000
	if testing.Short() {
		rounds = 2_000
	}
	synctest.Test(t, func(t *testing.T) {
		system := newSystem(t)
		engine := start(t, system, actors.WithClock(actors.SystemClock()), actors.WithForget(time.Minute))
		ask(t, engine, lease.Acquire, "first", "first", 1)
		time.Sleep(time.Hour)
		synctest.Wait()
		actorsBefore := population(system)
		base := goleak.IgnoreCurrent()
		for i := range rounds {
			client, lock := fmt.Sprint("c", i%500), fmt.Sprint("L", i%700)
			l := new(listener)
			cancel, err := engine.Subscribe(t.Context(), client, "", l)
			if err != nil {
				t.Fatal(err)
			}
			ctx, end := context.WithCancel(t.Context())
			if _, err := engine.Ask(ctx, live0(lease.Acquire, client, lock)); err != nil {
				t.Fatal(err)
			}
			ask(t, engine, lease.Acquire, "other", lock, 1000)
			switch i % 3 {
			case 0:
				ask(t, engine, lease.Release, client, lock, 0)
			case 1:
				end()
				if _, err := engine.Ask(ctx, live0(lease.Renew, client, lock)); err == nil {
					t.Error("asked with a context that has ended")
				}
				ask(t, engine, lease.Release, "other", lock, 0) // gives up its place
			case 2:
				time.Sleep(2 * time.Second) // all lapses
			}
			end()
			cancel()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if now := population(system); now != actorsBefore {
			t.Errorf("%d actors before, %d after", actorsBefore, now)
		}
		goleak.VerifyNone(t, base)
		locks, err := engine.Locks(t.Context())
		if err != nil || len(locks) != 0 {
			t.Errorf("%d locks are known, %v", len(locks), err)
		}
		clients, err := engine.Clients(t.Context())
		if err != nil || len(clients) != 0 {
			t.Errorf("%d clients are known, %v", len(clients), err)
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// One request that is sent twice at once has one effect, and both get its answer (E3).
func TestE3_ARequestSentTwiceAtOnce(t *testing.T) {
	engine := start(t, newSystem(t), actors.WithClock(actors.SystemClock()))
	for i := range 200 {
		op := live0(lease.Acquire, fmt.Sprint("c", i), fmt.Sprint("L", i))
		op.ID = fmt.Sprint("request ", i)
		var group sync.WaitGroup
		var until atomic.Int64
		for range 4 {
			group.Go(func() {
				r, err := engine.Do(t.Context(), op)
				if err != nil || r.Outcome != lease.Granted || r.Token != 1 {
					t.Errorf("%+v, %v", r, err)
				}
				if first := until.Swap(int64(r.Until)); first != 0 && first != int64(r.Until) {
					t.Errorf("two answers: until %d and until %d", first, r.Until)
				}
			})
		}
		group.Wait()
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// answered counts an answer that comes in its own time.
func answered(t *testing.T, n *atomic.Int64) func(client.Answer) {
	return func(a client.Answer) {
		if a.Err != nil {
			t.Error(a.Err)
		}
		n.Add(1)
	}
}

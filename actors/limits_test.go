package actors_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// An engine takes on so many locks, clients, waiters and no more, and names of so
// many bytes. What is refused is no operation: it has no number.
func TestLimits(t *testing.T) {
	engine := start(t, newSystem(t), actors.WithClock(newHandClock()),
		actors.WithLimits(actors.Limits{Locks: 3, Clients: 4, Waiters: 2, NameBytes: 10}))
	for _, c := range []struct {
		op   lease.Operation
		want string // nothing for taken
	}{
		{live0(lease.Acquire, "a", "L1"), ""},
		{live0(lease.Acquire, "b", "L1"), ""},
		{live0(lease.Acquire, "c", "L1"), ""},
		{live0(lease.Acquire, "d", "L1"), `"L1" is over 2 waiters for lock`},
		{live0(lease.Release, "b", "L1"), ""},
		{live0(lease.Acquire, "d", "L1"), ""},
		{live0(lease.Acquire, "e", "L2"), `"e" is over 4 clients`},
		{live0(lease.Acquire, "a", "L2"), ""},
		{lease.Operation{Kind: lease.Write, Lock: "L3", Key: "k", Value: strings.Repeat("v", 99), Token: 1}, ""},
		{live0(lease.Acquire, "a", "L4"), `"L4" is over 3 locks`},
		{lease.Operation{Kind: lease.Bump, Lock: "L4", Token: 7}, `"L4" is over 3 locks`},
		{live0(lease.Inspect, "", "L4"), ""},
		{live0(lease.Inspect, "", "L4567890123"), `the engine: "L456789012" is over 10 bytes in a name`},
		{lease.Operation{Kind: lease.Bump, Lock: "L1", Token: lease.MaxMagnitude}, "a bump above 4611686014132420608 leaves too few tokens that can be written with"},
		{lease.Operation{Kind: lease.Bump, Lock: "L1", Token: lease.MaxBump + 1}, "a bump above 4611686014132420608 leaves too few tokens that can be written with"},
		{lease.Operation{Kind: lease.Bump, Lock: "L1", Token: lease.MaxMagnitude + 1}, ""}, // by the rules: invalid arguments
		{lease.Operation{Kind: lease.Bump, Lock: "L3", Token: lease.MaxBump}, ""},
		{lease.Operation{Kind: lease.Write, Lock: "L3", Key: "k", Value: strings.Repeat("v", actors.MaxOperationBytes), Token: 1}, `"L3" is over 2097152 bytes in an operation`},
		{live0(lease.Forget, "", "L9"), ""},
	} {
		before, err := engine.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = engine.Do(t.Context(), c.op)
		if c.want == "" {
			if err != nil {
				t.Errorf("%+v: %v", c.op, err)
			}
			continue
		}
		limit := (*actors.LimitError)(nil)
		if !errors.Is(err, actors.ErrLimit) || !errors.As(err, &limit) && !errors.Is(err, actors.ErrBump) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.op, err, c.want)
		}
		if after, _ := engine.Counts(t.Context()); after.Operations != before.Operations {
			t.Errorf("%+v was refused and counts as an operation", c.op)
		}
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Clients that ask once and are closed take nobody's place, though their ids are
// remembered; those have a limit of their own, and go in their time, whether or not
// anybody asks for anything (E3).
func TestE3_LimitOfRequests(t *testing.T) {
	clock := newHandClock()
	engine := start(t, newSystem(t), actors.WithClock(clock), actors.WithForget(0),
		actors.WithLimits(actors.Limits{Clients: 2, Requests: 40}))
	ask := func(client, id string) error {
		op := live0(lease.Acquire, client, "L")
		op.ID = id
		_, err := engine.Do(t.Context(), op)
		return err
	}
	once := func(client string) {
		t.Helper()
		if err := ask(client, "id"); err != nil {
			t.Fatal(err)
		}
		if _, err := engine.Do(t.Context(), live0(lease.Release, client, "L")); err != nil {
			t.Fatal(err)
		}
		if err := engine.CloseClient(t.Context(), client); err != nil {
			t.Fatal(err)
		}
	}
	for round := range 2 {
		for i := range 40 {
			once(fmt.Sprint("c", i))
		}
		const full = `over the limit of the engine: no room to remember request "id": there are 40 remembered requests`
		if err := ask("new", "id"); !errors.Is(err, actors.ErrLimit) || !strings.HasSuffix(err.Error(), full) {
			t.Errorf("round %d: %v", round, err)
		}
		once("c39") // what is remembered can be asked again
		if list, err := engine.Clients(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("round %d: %v, %v", round, list, err)
		}
		clock.advance(24*time.Hour + time.Minute)
	}
	if err := ask("new", "id"); err != nil {
		t.Error(err)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Idle names take their places until they have been idle for as long as WithForget says,
// whoever else wants them, and not a round longer; an operator can make room at once.
func TestE4_ForgottenNamesMakeRoom(t *testing.T) {
	clock := newHandClock()
	engine := start(t, newSystem(t), actors.WithClock(clock), actors.WithForget(time.Minute), actors.WithIdle(time.Hour),
		actors.WithLimits(actors.Limits{Locks: 2, Clients: 2}))
	use := func(client, lock string) (lease.Token, error) {
		t.Helper()
		granted, err := engine.Do(t.Context(), live0(lease.Acquire, client, lock))
		if err != nil {
			return 0, err
		}
		if r, err := engine.Do(t.Context(), live0(lease.Release, client, lock)); err != nil || r.Outcome != lease.Released {
			t.Fatalf("%+v, %v", r, err)
		}
		return granted.Token, nil
	}
	fits := func(client, lock string, token lease.Token) {
		t.Helper()
		if got, err := use(client, lock); err != nil || got != token {
			t.Fatalf("%v: %s, %s: token %d, %v, want %d", clock.Elapsed(), client, lock, got, err, token)
		}
	}
	full := func(client, lock, what string) {
		t.Helper()
		limit := (*actors.LimitError)(nil)
		if _, err := use(client, lock); !errors.As(err, &limit) || limit.What != what {
			t.Fatalf("%v: %s, %s: %v, want too many %s", clock.Elapsed(), client, lock, err, what)
		}
	}
	fits("a", "K", 1)
	fits("b", "L", 1)
	clock.advance(time.Minute)
	full("b", "M", "locks")
	full("c", "L", "clients")
	fits("b", "L", 2)
	clock.advance(time.Minute - 1)
	full("b", "M", "locks")
	full("c", "L", "clients")
	clock.advance(1)
	fits("c", "M", 2) // one more than was forgotten
	full("d", "M", "clients")
	full("b", "N", "locks")
	fits("b", "L", 3) // is as it was
	if err := errors.Join(engine.Forget(t.Context(), "L"), engine.CloseClient(t.Context(), "b")); err != nil {
		t.Fatal(err)
	}
	fits("d", "N", 4)
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Of operations that are submitted together all count, and none is taken.
func TestLimitsWithinOneCall(t *testing.T) {
	engine := start(t, newSystem(t), actors.WithClock(newHandClock()), actors.WithLimits(actors.Limits{Locks: 3, Clients: 4}))
	for i := range 4 {
		for _, lock := range []string{"L1", "L2", "L3"} {
			if _, err := engine.Do(t.Context(), live0(lease.Acquire, string(rune('a'+i)), lock)); err != nil {
				t.Fatal(err)
			}
			if _, err := engine.Do(t.Context(), live0(lease.Release, string(rune('a'+i)), lock)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		op   func(i int) lease.Operation
		want string
	}{
		{func(i int) lease.Operation { return live0(lease.Acquire, "a", fmt.Sprint("M", i)) }, `"M1" is over 3 locks`},
		{func(i int) lease.Operation { return live0(lease.Acquire, fmt.Sprint("f", i), "L3") }, `"f0" is over 4 clients`},
	} {
		if err := engine.Forget(t.Context(), "L2"); err != nil { // room for one
			t.Fatal(err)
		}
		ops := make([]lease.Operation, 3)
		for i := range ops {
			ops[i] = c.op(i)
		}
		if err := engine.Run(t.Context(), ops, make([]lease.Result, len(ops))); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("together: %v, want %s", err, c.want)
		}
		if locks, err := engine.Locks(t.Context()); err != nil || len(locks) != 2 {
			t.Errorf("%v, %v", locks, err)
		}
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Many callers together do not take an engine over its limits.
func TestLimitsHoldTogether(t *testing.T) {
	const most = 40
	engine := start(t, newSystem(t), actors.WithClock(newHandClock()),
		actors.WithLimits(actors.Limits{Locks: most, Clients: most, Waiters: most / 4}))
	var group sync.WaitGroup
	for caller := range 16 {
		group.Go(func() {
			ops := make([]lease.Operation, 50)
			for i := range ops {
				ops[i] = live0(lease.Acquire, fmt.Sprint("c", caller, i), fmt.Sprint("L", (caller*i)%97))
			}
			for range 3 {
				for i := range ops {
					if _, err := engine.Do(t.Context(), ops[i]); err != nil && !errors.Is(err, actors.ErrLimit) {
						t.Error(err)
					}
				}
				if err := engine.Run(t.Context(), ops, make([]lease.Result, len(ops))); err != nil && !errors.Is(err, actors.ErrLimit) {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	locks, err := engine.Locks(t.Context())
	if err != nil || len(locks) > most || len(locks) < most/4 {
		t.Errorf("%d locks, %v", len(locks), err)
	}
	for _, l := range locks {
		if l.Waiters > most/4 {
			t.Errorf("%d wait for %s", l.Waiters, l.Name)
		}
	}
	clients, err := engine.Clients(t.Context())
	if err != nil || len(clients) != most {
		t.Errorf("%d clients, %v", len(clients), err)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Who subscribes to clients, by whichever way, is held to the limits as who asks for
// locks is; what is refused leaves nothing behind, and who leaves makes room.
func TestLimitsOfSubscribers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		system := newSystem(t)
		engine := start(t, system, actors.WithClock(actors.SystemClock()),
			actors.WithLimits(actors.Limits{Clients: 2, NameBytes: 10, Subscribers: 3}))
		_, pid := hire(system, engine)
		ways := map[string]func(name, instance string) error{
			"Subscribe": func(name, instance string) error {
				_, err := engine.Subscribe(t.Context(), name, instance, new(listener))
				return err
			},
			"Watch": func(name, _ string) error {
				_, err := engine.Watch(t.Context(), name, uuid.New(), func(lease.Event) {})
				return err
			},
			"Open": func(name, _ string) error {
				_, err := client.Open(t.Context(), engine, name)
				return err
			},
			"Attach": func(name, instance string) error {
				answer, err := system.Root.RequestFuture(engine.PID(), &actors.Attach{Client: name, To: pid, Instance: instance}, time.Minute).Result()
				if err != nil {
					return err
				}
				return answer.(*actors.Attached).Err
			},
		}
		refused := func(name, instance, want string, only ...string) {
			t.Helper()
			for way, try := range ways {
				if len(only) > 0 && !slices.Contains(only, way) {
					continue
				}
				if err := try(name, instance); !errors.Is(err, actors.ErrLimit) || !strings.HasSuffix(err.Error(), want) {
					t.Errorf("%s of %q: %v, want %s", way, name, err, want)
				}
			}
		}
		long := strings.Repeat("n", 11)
		refused(long, "", `"nnnnnnnnnn" is over 10 bytes in a name`)
		refused("a", long, `"nnnnnnnnnn" is over 10 bytes in a name`, "Subscribe", "Attach")
		if err := ways["Subscribe"]("b", ""); err != nil { // not known yet
			t.Fatal(err)
		}
		ask(t, engine, lease.Acquire, "a", "L", 1000)
		ask(t, engine, lease.Acquire, "b", "M", 1000)
		refused("c", "", `"c" is over 2 clients`, "Subscribe", "Attach")
		if err := ways["Subscribe"]("a", ""); err != nil {
			t.Fatal(err)
		}
		cancel, err := engine.Subscribe(t.Context(), "b", "", new(listener))
		if err != nil {
			t.Fatal(err)
		}
		refused("a", "", `"a" is over 3 subscribers`, "Subscribe", "Attach")
		cancel()
		cancel() // twice makes no more room than once
		synctest.Wait()
		if err := ways["Attach"]("a", ""); err != nil {
			t.Fatal(err)
		}
		refused("b", "", `"b" is over 3 subscribers`, "Subscribe", "Attach")
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // for what Proto.Actor has going on about dead letters
	})
}

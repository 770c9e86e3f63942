package actors_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// Operators see who holds and awaits what, and can take it.
func TestOperatorsVerbs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := start(t, newSystem(t), actors.WithClock(actors.SystemClock()))
		for _, pair := range []string{"a L", "b L", "c L", "a M", "d M"} {
			client, lock, _ := strings.Cut(pair, " ")
			ask(t, engine, lease.Acquire, client, lock, 1000)
		}
		locks, err := engine.Locks(t.Context())
		want := []actors.LockInfo{{Name: "L", Holders: 1, Waiters: 2, Until: 1000 * ms}, {Name: "M", Holders: 1, Waiters: 1, Until: 1000 * ms}}
		if err != nil || fmt.Sprint(locks) != fmt.Sprint(want) {
			t.Errorf("%+v, %v", locks, err)
		}
		clients, err := engine.Clients(t.Context())
		if err != nil || fmt.Sprint(clients) != "[{a 1 2 } {b 2 0 L} {c 3 0 L} {d 4 0 M}]" {
			t.Errorf("%v, %v", clients, err)
		}
		graph, err := engine.WaitGraph(t.Context())
		if err != nil || fmt.Sprint(graph) != "[{L {[{a exclusive 1 1000000000}] [{b exclusive} {c exclusive}]}} {M {[{a exclusive 1 1000000000}] [{d exclusive}]}}]" {
			t.Errorf("%v, %v", graph, err)
		}
		if err := engine.CloseClient(t.Context(), "d"); !errors.Is(err, lease.ClientBusy) {
			t.Errorf("close: %v", err)
		}
		if err := engine.Forget(t.Context(), "M"); !errors.Is(err, lease.LockInUse) {
			t.Errorf("forget: %v", err)
		}
		if n, err := engine.Abandon(t.Context(), "a"); n != 2 || err != nil {
			t.Errorf("abandon: %d, %v", n, err)
		}
		if err := engine.Evict(t.Context(), "c", "L"); err != nil {
			t.Errorf("evict: %v", err)
		}
		if err := engine.Evict(t.Context(), "c", "L"); !errors.Is(err, lease.NotHolder) {
			t.Errorf("evict twice: %v", err)
		}
		if _, err := engine.Abandon(t.Context(), ""); !errors.Is(err, lease.InvalidArguments) {
			t.Errorf("abandon nobody: %v", err)
		}
		for _, err := range []error{engine.Evict(t.Context(), "b", "L"), engine.Evict(t.Context(), "d", "M"),
			engine.Forget(t.Context(), "L"), engine.CloseClient(t.Context(), "d"), engine.Stop(t.Context())} {
			if err != nil {
				t.Error(err)
			}
		}
		if _, err := engine.Locks(t.Context()); !errors.Is(err, actors.ErrStopped) {
			t.Errorf("Locks of a stopped engine: %v", err)
		}
	})
}

// Names that never come back are forgotten, by and by; whatever is in use stays, and
// so does what is stored. No token is given twice (E4).
func TestE4_IdleNamesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := start(t, newSystem(t), actors.WithClock(actors.SystemClock()), actors.WithForget(time.Minute), actors.WithKeep(10, 10))
		do := func(op lease.Operation) lease.Result {
			t.Helper()
			r, err := engine.Do(t.Context(), op)
			if err != nil || r.Outcome == lease.Failed {
				t.Fatalf("%+v: %+v, %v", op, r, err)
			}
			return r
		}
		watched := subscribe(t, engine, "watched")
		held := live0(lease.Acquire, "holder", "held")
		held.TTL = lease.Duration(time.Hour)
		do(held)
		do(live0(lease.Acquire, "waiter", "held"))
		do(live0(lease.Acquire, "watched", "L"))
		do(lease.Operation{Kind: lease.Write, Lock: "stored", Key: "k", Value: "v", Token: 1})
		const names = 10_000
		for i := range names {
			do(live0(lease.Acquire, fmt.Sprint("c", i), fmt.Sprint("L", i)))
		}
		do(lease.Operation{Kind: lease.Bump, Lock: "L7", Token: 99})
		locks := func() int {
			t.Helper()
			list, err := engine.Locks(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return len(list)
		}
		if n := locks(); n != names+3 {
			t.Fatalf("%d locks", n)
		}
		for range 4 { // in use all the time
			time.Sleep(30 * time.Second)
			do(live0(lease.Acquire, "c5", "L5"))
		}
		time.Sleep(10 * time.Second)
		if n := locks(); n != 3 {
			t.Errorf("%d locks are left", n)
		}
		clients, err := engine.Clients(t.Context())
		if err != nil || len(clients) != 4 {
			t.Errorf("clients are left: %+v, %v", clients, err)
		}
		if r := do(live0(lease.Acquire, "c", "L7")); r.Token != 100 {
			t.Errorf("token %d after one of 99", r.Token)
		}
		if r := do(lease.Operation{Kind: lease.Read, Lock: "stored", Key: "k"}); r.Value != "v" {
			t.Errorf("%+v", r)
		}
		watched.take()
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// A name goes between once and twice the time of WithForget after its last use, also where
// its actor would be kept for much longer; what is used, held or stored meanwhile stays, and
// what stays for good costs nothing from round to round.
func TestE4_ForgettingWaitsForNoSeat(t *testing.T) {
	clock := newHandClock()
	engine := start(t, newSystem(t), actors.WithClock(clock), actors.WithForget(time.Minute), actors.WithIdle(time.Hour))
	do := func(op lease.Operation) lease.Result {
		t.Helper()
		r, err := engine.Do(t.Context(), op)
		if err != nil || r.Outcome == lease.Failed {
			t.Fatalf("%+v: %+v, %v", op, r, err)
		}
		return r
	}
	use := func(name string) {
		t.Helper()
		do(live0(lease.Acquire, name, name))
		do(live0(lease.Release, name, name))
	}
	names := func() string {
		t.Helper()
		locks, err := engine.Locks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		clients, err := engine.Clients(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, l := range locks {
			list = append(list, l.Name)
		}
		list = append(list, "and")
		for _, c := range clients {
			list = append(list, c.Name)
		}
		return strings.Join(list, " ")
	}
	counts := func() (operations, lanes uint64) {
		t.Helper()
		c, err := engine.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c.Operations, c.Lanes
	}

	held := live0(lease.Acquire, "held", "held")
	held.TTL = lease.Duration(time.Hour)
	do(held)
	do(lease.Operation{Kind: lease.Write, Lock: "stored", Key: "k", Value: "v", Token: 1})
	use("once")
	use("again")
	for _, round := range []struct {
		after time.Duration
		use   string
		want  string
	}{
		{after: time.Minute, want: "again held once stored and again held once"},
		{after: time.Minute - time.Second, want: "again held once stored and again held once", use: "again"},
		{after: time.Second, want: "again held stored and again held"},
		{after: time.Minute - time.Second, want: "again held stored and again held"},
		{after: time.Second, want: "held stored and held"}, // 61 seconds after its last use
	} {
		clock.advance(round.after)
		if got := names(); got != round.want {
			t.Fatalf("%v: %s, want %s", clock.Elapsed(), got, round.want)
		}
		if round.use != "" {
			use(round.use)
		}
	}
	operations, lanes := counts()
	for range 5 {
		clock.advance(time.Minute)
		if o, l := counts(); o != operations || l != lanes {
			t.Errorf("%v: a round over what stays is %d operations and %d lanes", clock.Elapsed(), o-operations, l-lanes)
		}
	}
	if r := do(lease.Operation{Kind: lease.Read, Lock: "stored", Key: "k"}); r.Value != "v" {
		t.Errorf("%+v", r)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// An engine with nothing left to tidy up is not woken any more.
func TestNothingToTidyUp(t *testing.T) {
	clock := newHandClock()
	engine := start(t, newSystem(t), actors.WithClock(clock), actors.WithForget(time.Second), actors.WithIdle(0), actors.WithKeep(0, 0))
	for i := range 20 {
		if _, err := engine.Do(t.Context(), live0(lease.Acquire, fmt.Sprint("c", i), fmt.Sprint("L", i))); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 { // rounds: one may find leases that have just ended, one notes the names, one drops them
		clock.advance(time.Second)
		if _, err := engine.Locks(t.Context()); err != nil { // the engine has come to it
			t.Fatal(err)
		}
	}
	if list, err := engine.Clients(t.Context()); err != nil || len(list) != 0 {
		t.Fatalf("%v, %v", list, err)
	}
	before := clock.alarms()
	for range 10 {
		clock.advance(time.Hour)
	}
	if after := clock.alarms(); after != before {
		t.Errorf("woken %d times", after-before)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

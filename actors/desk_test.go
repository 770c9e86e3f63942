package actors_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// job is an actor that writes down what it is told. It confirms notices as soon as
// it has them, unless told to keep them.
type job struct {
	engine *actor.PID
	mu     sync.Mutex
	lines  []string
	lazy   bool
	kept   *actors.Confirm // to be sent later
}

func (j *job) Receive(ctx actor.Context) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch m := ctx.Message().(type) {
	case *actors.Attached:
		j.lines = append(j.lines, fmt.Sprintf("attached %s: %v", m.Client, m.Err))
	case *actors.Reply:
		if m.Err != nil {
			j.lines = append(j.lines, "reply: "+m.Err.Error())
			return
		}
		j.lines = append(j.lines, fmt.Sprintf("reply %d: token %d, position %d", m.Seq, m.Result.Token, m.Result.Position))
	case *actors.Notice:
		for _, e := range m.Events {
			j.lines = append(j.lines, describe(e))
		}
		if j.lazy {
			j.kept = m.Confirm()
		} else {
			ctx.Respond(m.Confirm())
		}
	case *actors.Confirm: // from the test: now
		if j.kept != nil {
			ctx.Request(j.engine, j.kept)
			j.kept = nil
		}
	case *actors.Request, *actors.Attach, *actors.Detach:
		ctx.Request(j.engine, m)
	}
}

// want fails unless the job has just been told this.
func (j *job) want(t *testing.T, want string) {
	t.Helper()
	synctest.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	if got := strings.Join(j.lines, "; "); got != want {
		t.Errorf("told: %s\n want: %s", got, want)
	}
	j.lines = nil
}

func (j *job) be(lazy bool) {
	j.mu.Lock()
	j.lazy = lazy
	j.mu.Unlock()
}

// desk runs a test with a system and an engine in it that has a clock, and with
// what the engine has logged.
func desk(t *testing.T, test func(t *testing.T, system *actor.ActorSystem, engine *actors.Engine, log *bytes.Buffer)) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		system := newSystem(t)
		engine := start(t, system, actors.WithClock(actors.SystemClock()), actors.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		test(t, system, engine, &log)
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // for what Proto.Actor has going on about dead letters
	})
}

func hire(system *actor.ActorSystem, engine *actors.Engine) (*job, *actor.PID) {
	j := &job{engine: engine.PID()}
	return j, system.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return j }))
}

func request(kind lease.Kind, client, lock, instance string) *actors.Request {
	return &actors.Request{Op: lease.Operation{Kind: kind, Client: client, Lock: lock, TTL: lease.Duration(time.Second)}, Instance: instance}
}

// An actor does by messages what a goroutine does by calls: it is answered, and told
// what follows.
func TestActorsAreAnsweredAndTold(t *testing.T) {
	desk(t, func(t *testing.T, system *actor.ActorSystem, engine *actors.Engine, _ *bytes.Buffer) {
		a, aPID := hire(system, engine)
		b, bPID := hire(system, engine)
		system.Root.Send(aPID, &actors.Attach{Client: "a"})
		system.Root.Send(aPID, request(lease.Acquire, "a", "L", ""))
		a.want(t, "attached a: <nil>; current: age 0; reply 1: token 1, position 0")
		system.Root.Send(bPID, request(lease.Acquire, "b", "L", ""))
		b.want(t, "reply 2: token 0, position 1")
		system.Root.Send(bPID, &actors.Attach{Client: "b"}) // late: told where it stands
		b.want(t, "attached b: <nil>; current: age 2, waits for L")
		time.Sleep(time.Second)
		a.want(t, "lost L token 1 at 1000000000, lapsed")
		b.want(t, "granted L token 2 from 1000000000 to 2000000000")
		system.Root.Send(bPID, &actors.Attach{Client: "b"}) // comes back: told again
		b.want(t, "attached b: <nil>; current: age 2, L token 2 until 2000000000")
		system.Root.Send(bPID, &actors.Detach{Client: "b"})
		time.Sleep(time.Hour)
		b.want(t, "")
		system.Root.Send(bPID, &actors.Attach{})
		b.want(t, "attached : invalid arguments")
		system.Root.Send(aPID, &actors.Attach{Client: "a", AtEnd: 3})
		a.want(t, `attached a: attach to "a": AtEnd is 3, which is none: invalid arguments`) // and stays attached as it was
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.want(t, "ended: "+actors.ErrStopped.Error())
	})
}

// When a client's actor terminates, what it waits for is withdrawn, and its leases
// are released if it asked for that; whoever only looks on changes nothing.
func TestActorsThatTerminate(t *testing.T) {
	for _, c := range []struct {
		end   actors.AtEnd
		holds int
		waits string
	}{{actors.WithdrawWaits, 2, ""}, {actors.ReleaseAll, 0, ""}, {actors.LeaveAll, 2, "M"}} {
		for _, late := range []bool{false, true} {
			desk(t, func(t *testing.T, system *actor.ActorSystem, engine *actors.Engine, log *bytes.Buffer) {
				ask(t, engine, lease.Acquire, "z", "M", 1000)
				for _, lock := range []string{"K", "L", "M"} {
					ask(t, engine, lease.Acquire, "a", lock, 1000)
				}
				j, pid := hire(system, engine)
				if late { // attached by somebody else when it has gone already
					system.Root.Stop(pid)
					synctest.Wait()
					system.Root.Send(engine.PID(), &actors.Attach{Client: "a", To: pid, AtEnd: c.end})
				} else {
					system.Root.Send(pid, &actors.Attach{Client: "a", AtEnd: c.end})
					j.want(t, "attached a: <nil>; current: age 2, K token 1 until 1000000000, L token 1 until 1000000000, waits for M")
					system.Root.Stop(pid)
				}
				synctest.Wait()
				state := ask(t, engine, lease.Status, "a", "", 0).Detail.Client
				if len(state.Holds) != c.holds || state.Waiting != c.waits {
					t.Errorf("at end %d, late %v: %+v", c.end, late, state)
				}
				if err := engine.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(log.String(), `msg="subscriber has terminated"`) || !strings.Contains(log.String(), "client=a") {
					t.Errorf("log: %s", log)
				}
			})
		}
	}
}

// One instance acts for a client at a time; the others are told so.
func TestE3_OneInstanceAtATime(t *testing.T) {
	desk(t, func(t *testing.T, system *actor.ActorSystem, engine *actors.Engine, _ *bytes.Buffer) {
		one, onePID := hire(system, engine)
		other, otherPID := hire(system, engine)
		system.Root.Send(onePID, &actors.Attach{Client: "a", Instance: "1"})
		one.want(t, "attached a: <nil>; current: age 0")
		refused := `client is in use by another instance: "a"`
		system.Root.Send(otherPID, &actors.Attach{Client: "a", Instance: "2"})
		other.want(t, "attached a: "+refused)
		for _, instance := range []string{"", "2"} {
			for _, kind := range []lease.Kind{lease.Acquire, lease.Renew, lease.Release} {
				system.Root.Send(otherPID, request(kind, "a", "L", instance))
				other.want(t, "reply: "+refused)
			}
		}
		if _, err := engine.Subscribe(t.Context(), "a", "2", new(listener)); !errors.Is(err, actors.ErrClientInUse) {
			t.Errorf("Subscribe: %v", err)
		}
		system.Root.Send(onePID, request(lease.Acquire, "a", "L", "1"))
		one.want(t, "reply 1: token 1, position 0")
		system.Root.Send(otherPID, &actors.Attach{Client: "a"}) // looks on
		other.want(t, "attached a: <nil>; current: age 1, L token 1 until 1000000000")
		system.Root.Stop(onePID)
		synctest.Wait()
		system.Root.Send(otherPID, request(lease.Release, "a", "L", "2"))
		other.want(t, "reply 2: token 0, position 0; lost L token 1 at 0, released")
	})
}

// A subscriber that does not confirm costs nobody anything: others are told at
// once, what waits for it is bounded, it is reported once, and when it comes back
// it is told how its client stands.
func TestSlowSubscribers(t *testing.T) {
	desk(t, func(t *testing.T, system *actor.ActorSystem, engine *actors.Engine, log *bytes.Buffer) {
		slow, pid := hire(system, engine)
		slow.be(true)
		quick := subscribe(t, engine, "a")
		system.Root.Send(pid, &actors.Attach{Client: "a"})
		slow.want(t, "attached a: <nil>; current: age 0")
		quick.want(t, "current: age 0")
		ask(t, engine, lease.Acquire, "a", "L", 10)
		time.Sleep(10 * time.Millisecond)
		ask(t, engine, lease.Acquire, "a", "L", 10)
		time.Sleep(10 * time.Millisecond)
		slow.want(t, "")
		system.Root.Send(pid, &actors.Confirm{})
		slow.want(t, "lost L token 2 at 20000000, lapsed") // the newest of it
		for i := range 1_000 {
			ask(t, engine, lease.Acquire, "a", fmt.Sprint("M", i), 10)
		}
		ask(t, engine, lease.Acquire, "a", "K", 1000)
		time.Sleep(10 * time.Millisecond)
		slow.want(t, "")
		list, err := engine.Subscribers(t.Context())
		if err != nil || len(list) != 1 || list[0].Client != "a" || !list[0].PID.Equal(pid) || list[0].Since != 20*ms || !list[0].Behind {
			t.Errorf("%+v, %v", list, err)
		}
		if n := strings.Count(quick.take(), "lost"); n != 1_002 {
			t.Errorf("the quick one was told of %d losses", n)
		}
		system.Root.Send(pid, &actors.Confirm{})
		slow.want(t, "current: age 1, K token 1 until 1020000000")
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if strings.Count(log.String(), `msg="subscriber is slow"`) != 1 {
			t.Errorf("log: %s", log)
		}
	})
}

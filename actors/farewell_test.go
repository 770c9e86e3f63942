package actors_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// brief is how many actors come and go in these tests.
const brief = 300

// hold keeps the engine's turn until the function it gives is called; what comes
// meanwhile waits in the engine's mailbox.
func hold(t *testing.T, engine *actors.Engine) (goOn func()) {
	t.Helper()
	end := make(chan struct{})
	go func() {
		err := engine.Submit(t.Context(), lease.Operation{Kind: lease.Inspect, Lock: "any"}, func(client.Answer) { <-end })
		if err != nil {
			t.Error(err)
		}
	}()
	synctest.Wait()
	return func() { close(end); synctest.Wait() }
}

// crew hires actors and has them attached, each to a client of its own.
func crew(system *actor.ActorSystem, engine *actors.Engine, end actors.AtEnd) (pids []*actor.PID) {
	for i := range brief {
		_, pid := hire(system, engine)
		system.Root.Send(pid, &actors.Attach{Client: fmt.Sprint("c", i), AtEnd: end})
		pids = append(pids, pid)
	}
	synctest.Wait()
	return pids
}

// leave has each actor ask for two locks, the second in the name of another client, to
// which it attaches just before, and end at once.
func leave(system *actor.ActorSystem, pids []*actor.PID, end actors.AtEnd) {
	for i, pid := range pids {
		mine, other := fmt.Sprint("c", i), fmt.Sprint("d", i)
		system.Root.Send(pid, request(lease.Acquire, mine, "L-"+mine, ""))
		system.Root.Send(pid, &actors.Attach{Client: other, AtEnd: end})
		system.Root.Send(pid, request(lease.Acquire, other, "L-"+other, ""))
		system.Root.Poison(pid)
	}
	synctest.Wait()
}

// nothingLeft fails for each client of the crew that holds or awaits anything, and for
// each attachment.
func nothingLeft(t *testing.T, engine *actors.Engine) {
	t.Helper()
	left := 0
	for i := range brief {
		for _, name := range []string{"c", "d"} {
			state := ask(t, engine, lease.Status, fmt.Sprint(name, i), "", 0).Detail.Client
			if state.Age == 0 {
				t.Errorf("%s%d has never asked for anything", name, i)
			}
			if len(state.Holds) > 0 || state.Waiting != "" {
				left++
			}
		}
	}
	list, err := engine.Subscribers(t.Context())
	if left > 0 || len(list) > 0 || err != nil {
		t.Errorf("%d clients have something left, %d are attached: %v", left, len(list), err)
	}
}

func stop(t *testing.T, engine *actors.Engine) {
	t.Helper()
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Minute) // for what Proto.Actor has going on about dead letters
}

// That an actor has terminated is known to the engine before it comes to what the
// actor asked for just before; that is done first all the same, so that nothing of it
// is left.
func TestWhatAnActorSentComesBeforeItsFarewell(t *testing.T) {
	for _, logged := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			system, log := newSystem(t), new(heldLog)
			options := []actors.Option{actors.WithClock(actors.SystemClock())}
			if logged {
				options = append(options, actors.WithJournal(log))
			}
			engine := start(t, system, options...)
			if logged {
				log.letGo()
			}
			pids := crew(system, engine, actors.ReleaseAll)
			goOn := hold(t, engine)
			leave(system, pids, actors.ReleaseAll)
			goOn()
			nothingLeft(t, engine)
			stop(t, engine)
		})
	}
}

// The same where the engine has taken no more for a while, since too much waits for
// the journal: the farewell is put off behind what the actor asked for.
func TestAFarewellWaitsBehindWhatIsPutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		system, log := newSystem(t), new(heldLog)
		engine := start(t, system, actors.WithClock(actors.SystemClock()), actors.WithJournal(log))
		log.letGo()
		pids := crew(system, engine, actors.ReleaseAll)
		log.hold()
		ops := make([]lease.Operation, 1<<15) // as many as may wait for a journal
		for i := range ops {
			ops[i] = lease.Operation{Kind: lease.Inspect, Lock: "any"}
		}
		ran := make(chan error)
		go func() { ran <- engine.Run(t.Context(), ops, make([]lease.Result, len(ops))) }()
		synctest.Wait()
		leave(system, pids, actors.ReleaseAll)
		log.letGo()
		if err := <-ran; err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		nothingLeft(t, engine)
		stop(t, engine)
	})
}

// The news that an actor has ended may come when another one has its name already and has
// attached: that one keeps what it has, and its own end is noticed like any other.
func TestNewsOfANamesakeIsNotOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		system := newSystem(t)
		engine := start(t, system, actors.WithClock(actors.SystemClock()))
		holds := func() int {
			return len(ask(t, engine, lease.Status, "c", "", 0).Detail.Client.Holds)
		}
		name := func() *actor.PID {
			j := &job{engine: engine.PID()}
			pid, err := system.Root.SpawnNamed(actor.PropsFromProducer(func() actor.Actor { return j }), "worker")
			if err != nil {
				t.Fatal(err)
			}
			system.Root.Send(pid, &actors.Attach{Client: "c", AtEnd: actors.ReleaseAll})
			return pid
		}
		first := name()
		synctest.Wait()
		if err := system.Root.PoisonFuture(first).Wait(); err != nil {
			t.Fatal(err)
		}
		second := name()
		system.Root.Send(second, &actors.Request{Op: lease.Operation{
			Kind: lease.Acquire, Client: "c", Lock: "L", TTL: lease.MaxTTLNanoseconds,
		}})
		synctest.Wait()
		// The registry forgets an actor before it tells of its end; so this can come late.
		process, _ := system.ProcessRegistry.Get(engine.PID())
		process.SendSystemMessage(engine.PID(), &actor.Terminated{Who: first})
		synctest.Wait()
		if list, err := engine.Subscribers(t.Context()); holds() != 1 || len(list) != 1 || err != nil {
			t.Fatalf("the namesake holds %d leases, %d are attached: %v", holds(), len(list), err)
		}
		system.Root.Poison(second)
		synctest.Wait()
		if list, err := engine.Subscribers(t.Context()); holds() != 0 || len(list) != 0 || err != nil {
			t.Errorf("after its end it holds %d leases, %d are attached: %v", holds(), len(list), err)
		}
		stop(t, engine)
	})
}

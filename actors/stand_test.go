package actors_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/sequencer"
)

// stand is one way to run a log: the model, or an engine under some policy. If
// told is not nil it is told of every effect and deadlock.
type stand struct {
	name string
	run  func(ops []lease.Operation, told *story) ([]lease.Result, error)
}

// stands gives every way to run a log of the dialect in the system; batches are of
// random sizes drawn from seed.
func stands(system *actor.ActorSystem, d lease.Dialect, seed uint64) []stand {
	all := []stand{{"model", func(ops []lease.Operation, told *story) ([]lease.Result, error) {
		results := make([]lease.Result, len(ops))
		m := model.Make(d, nil)
		if told != nil {
			m = model.Watched(d, told)
		}
		m.Run(ops, results)
		return results, nil
	}}}
	for _, policy := range dispatches {
		all = append(all, stand{policy.String(), func(ops []lease.Operation, told *story) ([]lease.Result, error) {
			keep := int(seed % 5) // few enough that locks and clients come and go all the time
			options := []actors.Option{actors.WithDialect(d), actors.WithDispatch(policy),
				actors.WithBatchLimits(randomLimits(seed)), actors.WithKeep(keep, keep), actors.WithRecast(yields)}
			if told != nil {
				options = append(options, actors.WithWatch(told.Effect), actors.WithDeadlocks(told.Deadlock))
			}
			return runEngine(system, ops, options...)
		}})
	}
	return all
}

// yields has actors give way now and then before they take a message, so that the
// others come in orders that they would not come in by themselves.
func yields(_ string, p *actor.Props) {
	p.Configure(actor.WithReceiverMiddleware(func(next actor.ReceiverFunc) actor.ReceiverFunc {
		return func(ctx actor.ReceiverContext, envelope *actor.MessageEnvelope) {
			if rand.IntN(4) == 0 {
				runtime.Gosched()
			}
			next(ctx, envelope)
		}
	}))
}

var dispatches = []actors.Dispatch{actors.Inline, actors.OwnGoroutine, actors.ProtoDefault}

// randomLimits draws small batches more often than large ones: that is where
// operations that belong together come apart.
func randomLimits(seed uint64) func() int {
	rng := rand.New(rand.NewPCG(seed, 3))
	return func() int {
		if rng.IntN(4) == 0 {
			return sequencer.MaxBatch
		}
		return 1 + rng.IntN(9)
	}
}

func runEngine(system *actor.ActorSystem, ops []lease.Operation, options ...actors.Option) ([]lease.Result, error) {
	engine, err := actors.Start(system, options...)
	if err != nil {
		return nil, err
	}
	results := make([]lease.Result, len(ops))
	err = engine.Run(context.Background(), ops, results)
	return results, errors.Join(err, engine.Stop(context.Background()))
}

// newSystem gives an actor system that keeps its log to itself.
func newSystem(t testing.TB) *actor.ActorSystem {
	system := quietSystem()
	t.Cleanup(system.Shutdown)
	return system
}

func quietSystem() *actor.ActorSystem {
	quiet := slog.New(slog.DiscardHandler)
	return actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }))
}

// decode reads a log, a JSON array.
func decode(t testing.TB, log []byte) []lease.Operation {
	t.Helper()
	d := oplog.NewDecoder(bytes.NewReader(log), "log", oplog.Array)
	var ops []lease.Operation
	for {
		var op lease.Operation
		err := d.Next(&op)
		if errors.Is(err, io.EOF) {
			return ops
		}
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, op)
	}
}

// story collects effects as text. Whatever happens is told when it happens: time
// never goes back in a story.
type story struct {
	lines []string
	last  lease.Instant
	wrong string // the first effect that was told too late
}

// Begin and End make a story a lease.Watcher; engines tell no such thing.
func (s *story) Begin(uint64, lease.Instant, *lease.Operation) {}

func (s *story) End(*lease.Answer) {}

// Effect adds an effect.
func (s *story) Effect(e *lease.Effect) {
	if len(s.lines) > 0 && e.At < s.last && s.wrong == "" {
		s.wrong = fmt.Sprintf("effect %d is of instant %d, after one of %d", len(s.lines), e.At, s.last)
	}
	s.last = e.At
	line := fmt.Sprintf("%d %v token %d at %d until %d age %d", e.Change, e.Mode, e.Token, e.At, e.Until, e.Age)
	if e.Lock != nil {
		line += " lock " + e.Lock.Name
	}
	s.lines = append(s.lines, fmt.Sprintf("%s client %s queued %v abort %v", line, e.Client.Name, e.FromQueue, e.Abort))
}

// Deadlock adds a victim, with the cycles it was on and who else was.
func (s *story) Deadlock(d *lease.Deadlock) {
	route := func(edges []lease.Edge) (text string) {
		for _, e := range edges {
			text += fmt.Sprintf("%s -%s-> %s token %d, ", e.Waiter.Name, e.Lock.Name, e.Blocker.Name, e.Token)
		}
		return text
	}
	members := ""
	for _, m := range d.Members {
		members += fmt.Sprintf(" %s %d %v", m.Client.Name, m.Age, m.Bystander)
	}
	s.lines = append(s.lines, fmt.Sprintf("deadlock of %s for %s, victim %s, cycle %sby way of %samong %d%s",
		d.Requester.Name, d.Lock.Name, d.Victim.Name, route(d.Cycle), route(d.Through), d.Count, members))
}

// compare gives a text for the first result that is not as wanted, or nothing.
func compare(results []lease.Result, want []string) string {
	for i := range results {
		if got := string(oplog.AppendResult(nil, &results[i])); got != want[i] {
			return fmt.Sprintf("operation %d: got %s, want %s", i, got, want[i])
		}
	}
	return ""
}

func join(log [][]byte) []byte {
	return append(append([]byte("["), bytes.Join(log, []byte(",\n"))...), ']')
}

func lines(log [][]byte) string {
	var b strings.Builder
	for i, op := range log {
		fmt.Fprintf(&b, "%4d  %s\n", i, op)
	}
	return b.String()
}

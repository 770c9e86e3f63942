package actors_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/sequencer"
)

var histories = flag.Int("histories", 1000, "how many histories of concurrent callers are checked")

// notebook is a journal in memory: it has every operation of an engine by its
// number, and says a little later that they are durable.
type notebook struct {
	mu     sync.Mutex
	ops    []lease.Operation
	wrong  string // the first number that did not follow the one before
	ticket uint64
	told   func(uint64, error)
	later  bool
}

var _ actors.Journal = (*notebook)(nil)

func (n *notebook) Resume(zero time.Time, id uuid.UUID, told func(uint64, error)) (time.Time, uuid.UUID, *sequencer.Sequencer, error) {
	n.told = told
	return zero, id, model.Make(lease.Live, nil).Freeze(), nil
}

func (n *notebook) Add(seq uint64, op *lease.Operation) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ops = append(n.ops, *op); seq != uint64(len(n.ops)) && n.wrong == "" {
		n.wrong = fmt.Sprintf("operation %d has number %d", len(n.ops), seq)
	}
}

func (n *notebook) Commit() (uint64, error) {
	n.ticket++
	ticket := n.ticket
	if n.later {
		go n.told(ticket, nil)
	} else {
		n.told(ticket, nil)
	}
	return ticket, nil
}

// deed is one operation as its caller saw it. began and ended are places in the order
// of all callers' beginnings and endings.
type deed struct {
	op           lease.Operation
	began, ended int64
	answer       actors.Answer
	err          error
}

// history is what many callers do at once with one engine.
type history struct {
	seed  uint64
	clock atomic.Int64 // counts beginnings and endings
	mu    sync.Mutex
	deeds []deed
	told  map[string][]lease.Event
}

// happen has callers use an engine until it is stopped under their hands, or they are
// done.
func (h *history) happen(t *testing.T, system *actor.ActorSystem, log *notebook) {
	rng := rand.New(rand.NewPCG(h.seed, 11))
	var limits actors.Limits
	if rng.IntN(3) == 0 { // so few that some find no room, and go away or wait
		limits = actors.Limits{Operations: 1 + rng.IntN(3), Waiters: 1 + rng.IntN(3)}
	}
	engine := start(t, system, actors.WithJournal(log), actors.WithClock(actors.SystemClock()), actors.WithLimits(limits),
		actors.WithDispatch(dispatches[h.seed%3]), actors.WithBatchLimits(randomLimits(h.seed)), actors.WithKeep(2, 2),
		actors.WithForget(10*time.Millisecond))
	callers, each := 2+rng.IntN(7), 10+rng.IntN(30)
	var group sync.WaitGroup
	for c := range callers {
		name := fmt.Sprint("c", c)
		l := new(listener)
		if _, err := engine.Subscribe(t.Context(), name, "", l); err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			h.call(t, engine, name, rand.New(rand.NewPCG(h.seed, uint64(100+c))), each)
		})
		defer func() { h.told[name] = l.events }() // when the engine has ended
	}
	if rng.IntN(3) == 0 {
		time.Sleep(time.Duration(rng.IntN(2000)) * time.Microsecond)
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(300))*time.Microsecond)
		_ = engine.Stop(ctx) // in the middle of it all; whether it had to hurry does not matter
		cancel()
	}
	group.Wait()
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// call has one client do this and that; sometimes it does not wait for the answer.
func (h *history) call(t *testing.T, engine *actors.Engine, name string, rng *rand.Rand, each int) {
	for i := range each {
		op := lease.Operation{
			Kind: lease.Acquire, Client: name, Lock: fmt.Sprint("L", rng.IntN(3)), Mode: lease.Mode(rng.IntN(2)),
			TTL: lease.Duration(1+rng.IntN(4)) * lease.MinTTLNanoseconds,
		}
		switch rng.IntN(8) {
		case 0, 1:
			op = lease.Operation{Kind: lease.Release, Client: name, Lock: op.Lock}
		case 2:
			op.Kind, op.Mode = lease.Renew, 0
		case 3:
			op = lease.Operation{Kind: lease.Inspect, Lock: op.Lock}
		case 4:
			op = lease.Operation{Kind: lease.Status, Client: name}
		case 5:
			op.ID = fmt.Sprint(rng.IntN(3))
		}
		ctx, cancel := context.WithCancel(t.Context())
		if rng.IntN(6) == 0 {
			go cancel()
		}
		d := deed{op: op, began: h.clock.Add(1)}
		d.answer, d.err = engine.Ask(ctx, op)
		d.ended = h.clock.Add(1)
		cancel()
		h.mu.Lock()
		h.deeds = append(h.deeds, d)
		h.mu.Unlock()
		if errors.Is(d.err, actors.ErrStopped) {
			return
		}
		if i%16 == 15 {
			time.Sleep(time.Millisecond) // let something lapse
		}
	}
}

// check replays the log by number: it must give every answer again, tell every client
// the same, and its order must be one that the callers may have seen.
func (h *history) check(log *notebook) error {
	if log.wrong != "" {
		return errors.New(log.wrong)
	}
	var seq uint64
	effects := map[string][]string{}
	m := model.Make(lease.Live, func(e *lease.Effect) {
		if text, ok := telling(e); ok {
			effects[e.Client.Name] = append(effects[e.Client.Name], text)
		}
	})
	results := make([]string, len(log.ops))
	for i := range log.ops {
		seq++
		result := m.Do(&log.ops[i])
		if client := log.ops[i].Client; result.Outcome == lease.Granted && result.Detail != nil {
			// Granted after aborts: that is in the answer, and no event.
			effects[client] = slices.DeleteFunc(effects[client], func(text string) bool {
				return strings.HasPrefix(text, fmt.Sprintf("granted %s token %d ", log.ops[i].Lock, result.Token))
			})
		}
		results[i] = string(oplog.AppendResult(nil, &result))
	}
	answered := make(map[uint64]bool)
	for _, d := range h.deeds {
		if d.err != nil {
			continue
		}
		if d.answer.Seq == 0 || d.answer.Seq > seq || answered[d.answer.Seq] {
			return fmt.Errorf("%v has number %d, of %d or twice", d.op.Kind, d.answer.Seq, seq)
		}
		answered[d.answer.Seq] = true
		logged := log.ops[d.answer.Seq-1]
		d.op.At = d.answer.Now
		if logged != d.op {
			return fmt.Errorf("number %d is %+v in the log, and was %+v", d.answer.Seq, logged, d.op)
		}
		if got := string(oplog.AppendResult(nil, &d.answer.Result)); got != results[d.answer.Seq-1] {
			return fmt.Errorf("number %d, %v by %s: answered %s, replayed %s", d.answer.Seq, d.op.Kind, d.op.Client, got, results[d.answer.Seq-1])
		}
	}
	for client, events := range h.told {
		var told []string
		for _, e := range events {
			switch e.Kind {
			case lease.EventCurrent, lease.EventEnded:
			case lease.EventDeadlock: // the model has not been asked why
				told = append(told, "deadlock")
			default:
				told = append(told, describe(e))
			}
		}
		// What was run at the very end may not have been told any more.
		if n := len(told); n > len(effects[client]) || !slices.Equal(told, effects[client][:n]) {
			return fmt.Errorf("client %s was told\n%q, replayed\n%q", client, told, effects[client])
		}
	}
	return h.inOrder()
}

// telling gives an effect as the client's subscribers are told of it.
func telling(e *lease.Effect) (string, bool) {
	event := lease.Event{Client: e.Client.Name, Token: e.Token, At: e.At, Reason: lease.GivenUp}
	if e.Lock != nil {
		event.Lock = e.Lock.Name
	}
	switch e.Change {
	case lease.ChangeGranted:
		event.Kind, event.Until = lease.EventGranted, e.Until
		return describe(event), e.FromQueue
	case lease.ChangeLapsed:
		event.Kind, event.Reason = lease.EventLost, lease.Lapse
	case lease.ChangeReleased:
		event.Kind = lease.EventLost
	case lease.ChangeWithdrawn:
		event.Kind = lease.EventWithdrawn
	case lease.ChangeAborted:
		return "deadlock", true
	default:
		return "", false
	}
	if e.Abort {
		event.Reason = lease.Abortion
	}
	return describe(event), true
}

// inOrder tells whether an operation that ended before another began has the lower
// number.
func (h *history) inOrder() error {
	var done []deed
	for _, d := range h.deeds {
		if d.err == nil {
			done = append(done, d)
		}
	}
	byEnd := slices.Clone(done)
	slices.SortFunc(done, func(a, b deed) int { return int(a.began - b.began) })
	slices.SortFunc(byEnd, func(a, b deed) int { return int(a.ended - b.ended) })
	var last uint64 // the highest number of all that ended before the one in hand began
	next := 0
	for _, d := range done {
		for ; byEnd[next].ended < d.began; next++ {
			last = max(last, byEnd[next].answer.Seq)
		}
		if d.answer.Seq <= last {
			return fmt.Errorf("number %d began after number %d had ended", d.answer.Seq, last)
		}
	}
	return nil
}

// Every answer carries its place in one order, which respects what callers see, and
// replaying the log in that order gives every answer again.
func TestLinearizable(t *testing.T) {
	system := newSystem(t)
	n := *histories
	if testing.Short() {
		n = min(n, 150)
	}
	answered, failed, lapses := 0, 0, 0
	for seed := range uint64(n) {
		h, log := &history{seed: seed, told: map[string][]lease.Event{}}, &notebook{later: seed%2 == 0}
		h.happen(t, system, log)
		if err := h.check(log); err != nil {
			t.Fatalf("history of seed %d: %v", seed, err)
		}
		for _, d := range h.deeds {
			if d.err == nil {
				answered++
			} else {
				failed++
			}
		}
		for _, op := range log.ops {
			if op.Kind == lease.Tick {
				lapses++
			}
		}
	}
	t.Logf("%d histories: %d operations answered, %d not, %d ticks", n, answered, failed, lapses)
	if answered < 50*n || failed < n || lapses == 0 {
		t.Errorf("the histories are too tame: %d operations answered, %d not, %d ticks", answered, failed, lapses)
	}
}

package deadlock

import (
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// effects gives shorthands for effects on one lock.
type effects struct{ lock *lease.Lock }

func (f effects) queued(c *lease.Client, age lease.Age) *lease.Effect {
	return &lease.Effect{Change: lease.ChangeQueued, Contended: true, Lock: f.lock, Client: c, Age: age}
}

func (f effects) of(change lease.Change, c *lease.Client, token lease.Token) *lease.Effect {
	return &lease.Effect{Change: change, Contended: true, Lock: f.lock, Client: c, Token: token}
}

func (f effects) promoted(c *lease.Client, token lease.Token) *lease.Effect {
	return &lease.Effect{Change: lease.ChangeGranted, FromQueue: true, Contended: true, Lock: f.lock, Client: c, Token: token}
}

var (
	ann = &lease.Client{ID: 1, Name: "ann"}
	bob = &lease.Client{ID: 2, Name: "bob"}
	cyd = &lease.Client{ID: 70_000, Name: "cyd"} // IDs need not be dense to work
	onL = effects{&lease.Lock{ID: 1, Name: "L"}}
	onM = effects{&lease.Lock{ID: 80_000, Name: "M"}}
)

func apply(g *Graph, effects ...*lease.Effect) {
	for _, e := range effects {
		g.Apply(e)
	}
}

func TestApplyKeepsNothingOfACalmLock(t *testing.T) {
	g := New()
	apply(g,
		onL.of(lease.ChangeHeld, ann, 1), onL.of(lease.ChangeHeld, bob, 2), onL.queued(cyd, 3),
		onL.of(lease.ChangeRenewed, ann, 1), onL.of(lease.ChangeWithdrawn, cyd, 0),
		onL.of(lease.ChangeGranted, cyd, 3), onL.of(lease.ChangeLapsed, bob, 2),
	)
	if list := g.List(); len(list) != 1 || len(list[0].Holders) != 2 || len(list[0].Queue) != 0 {
		t.Errorf("the graph is %v", list)
	}
	apply(g, onL.of(lease.ChangeCalm, nil, 0), &lease.Effect{Change: lease.ChangeAborted, Client: ann})
	if list := g.List(); list != nil {
		t.Errorf("the graph kept %v", list)
	}
	if used := len(g.nodes.cells) - 1 - len(g.nodes.freed); used != 0 {
		t.Errorf("%d nodes are in use", used)
	}
}

func TestListIsSortedByName(t *testing.T) {
	g := New()
	for i, name := range []string{"b", "é", "a", "L10", "L2"} {
		lock := effects{&lease.Lock{ID: uint32(i + 1), Name: name}}
		waiter := &lease.Client{ID: uint32(100 + i), Name: name}
		apply(g, lock.of(lease.ChangeHeld, ann, 1), lock.queued(waiter, lease.Age(i)))
	}
	var got strings.Builder
	for _, c := range g.List() {
		got.WriteString(c.Lock.Name + " ")
	}
	if want := "L10 L2 a b é "; got.String() != want {
		t.Errorf("order is %s, want %s", got.String(), want)
	}
}

// An effect that cannot be true must not pass unnoticed: the graph would be wrong
// from then on, and so would the choice of victims.
func TestApplyRefusesContradictions(t *testing.T) {
	held := []*lease.Effect{onL.of(lease.ChangeHeld, ann, 1), onL.queued(bob, 2), onL.queued(cyd, 3)}
	for name, e := range map[string]*lease.Effect{
		"waits twice":           onM.queued(bob, 2),
		"released by a waiter":  onL.of(lease.ChangeReleased, bob, 0),
		"released by a nobody":  onM.of(lease.ChangeReleased, ann, 1),
		"lapsed elsewhere":      onM.of(lease.ChangeLapsed, ann, 1),
		"withdrawn by a holder": onL.of(lease.ChangeWithdrawn, ann, 0),
		"withdrawn elsewhere":   onM.of(lease.ChangeWithdrawn, bob, 0),
		"granted not the head":  onL.promoted(cyd, 2),
		"granted, not waiting":  onL.promoted(ann, 2),
		"calm with a queue":     onL.of(lease.ChangeCalm, nil, 0),
		"calm but unknown":      onM.of(lease.ChangeCalm, nil, 0),
		"no change":             onL.of(0, ann, 1),
	} {
		t.Run(name, func(t *testing.T) {
			g := New()
			apply(g, held...)
			defer func() {
				text, _ := recover().(string)
				if !strings.HasPrefix(text, "deadlock: ") {
					t.Errorf("recovered %q", text)
				}
			}()
			g.Apply(e)
		})
	}
}

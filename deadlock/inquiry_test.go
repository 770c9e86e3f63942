package deadlock

import (
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// An inquiry's effects come before its question, and one without a question only
// brings effects.
func TestAnswerTakesEffectsFirst(t *testing.T) {
	g := New()
	before, after := knot()
	g.Answer(&lease.Inquiry{Effects: before[:3]})
	begin := &lease.Inquiry{Effects: before[3:], Ask: lease.AskBegin, Requester: ann}
	if g.Answer(begin); !begin.Found {
		t.Fatal("no cycle")
	}
	victim := &lease.Inquiry{Ask: lease.AskVictim}
	if g.Answer(victim); !victim.Found || victim.Victim != bob {
		t.Fatalf("victim is %v, %v; want bob", victim.Victim, victim.Found)
	}
	last := &lease.Inquiry{Effects: after, Ask: lease.AskVictim}
	if g.Answer(last); last.Found || last.Victim != nil {
		t.Errorf("victim is %v, %v; want none", last.Victim, last.Found)
	}
}

package deadlock

import (
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

const (
	exclusive = lease.Exclusive
	shared    = lease.Shared
)

// cast registers clients in the order given, so that the first is the oldest.
func (r *rig) cast(clients ...string) {
	for _, name := range clients {
		r.take(name, "home of "+name, exclusive)
	}
}

func (r *rig) wantVictims(want ...string) {
	r.t.Helper()
	if got := r.resolve(); !slices.Equal(got, want) {
		r.failf("victims are %v, want %v", got, want)
	}
	r.checkMirror()
	r.checkStorage()
}

// wantMembers compares C with the clients given, the youngest first.
func (r *rig) wantMembers(requester string, want ...string) {
	r.t.Helper()
	if got := names(r.checkCycles(r.table.client(requester))); !slices.Equal(got, want) {
		r.failf("members are %v, want %v", got, want)
	}
}

func (r *rig) wantCycle(client, lock string) {
	r.t.Helper()
	if !r.wait(client, lock, exclusive) {
		r.failf("acquire %s %s closed no cycle", client, lock)
	}
}

func TestD1_AWaiterHasAnEdgeToEveryHolder(t *testing.T) {
	for _, blocked := range []string{"r1", "r2", "r3"} {
		r := newRig(t, 1)
		r.cast("r1", "r2", "r3", "w")
		for _, reader := range []string{"r1", "r2", "r3"} {
			r.take(reader, "L", shared)
		}
		r.take("w", "K", exclusive)
		r.waitInVain(blocked, "K")
		r.wantCycle("w", "L")
		r.wantVictims("w")
	}
}

func TestD1_AWaiterHasAnEdgeToEveryoneAheadOfIt(t *testing.T) {
	r := newRig(t, 1)
	r.cast("holder", "z", "a", "b", "c")
	r.take("holder", "L", exclusive)
	r.take("z", "K", exclusive)
	for _, ahead := range []string{"a", "b", "c"} {
		r.waitInVain(ahead, "L")
	}
	r.waitInVain("holder", "K")
	r.wantCycle("z", "L")
	r.wantMembers("z", "c", "b", "a", "z", "holder")
	r.wantVictims("c", "b", "a", "z")
}

func TestD1_AWaiterHasNoEdgeToThoseBehindIt(t *testing.T) {
	r := newRig(t, 1)
	r.cast("holder", "z", "a", "b", "c")
	r.take("holder", "L", exclusive)
	r.take("z", "K", exclusive)
	r.waitInVain("holder", "K")
	for _, behind := range []string{"a", "b", "c"} {
		r.waitInVain(behind, "K")
	}
	r.wantCycle("z", "L")
	r.wantMembers("z", "z", "holder")
	r.wantVictims("z")
}

func TestD1_ASharedWaiterHasAnEdgeToASharedHolderToo(t *testing.T) {
	r := newRig(t, 1)
	r.cast("reader", "writer", "late")
	r.take("reader", "L", shared)
	r.waitInVain("writer", "L")
	r.take("late", "K", exclusive)
	r.waitInVain("reader", "K")
	// late is queued behind the writer: it waits for both, compatible or not.
	if !r.wait("late", "L", shared) {
		t.Error("no edge from a shared request to a shared holder")
	}
	r.wantVictims("late")
}

func TestD1_AClientThatDoesNotWaitHasNoEdge(t *testing.T) {
	r := newRig(t, 1)
	r.cast("a", "b", "c")
	r.take("a", "L", exclusive)
	r.take("b", "M", exclusive)
	r.waitInVain("b", "L")
	r.waitInVain("c", "M") // c waits for b, b for a, and a for nobody
	r.leave("b", "L")
	r.wait("a", "M", exclusive)
	if _, ok := r.graph.Victim(); ok {
		t.Error("b was taken for a waiter after it withdrew")
	}
}

func TestD2_NoSearchNoCycleForOneWhoDoesNotWait(t *testing.T) {
	r := newRig(t, 1)
	r.cast("a", "b")
	for _, name := range []string{"a", "b", "never seen"} {
		if r.graph.Begin(r.table.client(name).id) {
			t.Errorf("%s is on a cycle", name)
		}
	}
	if _, ok := r.graph.Victim(); ok {
		t.Error("a victim of nothing")
	}
}

// A cycle seen on a graph that is out of date closes when the question is asked
// again after the effects of what has lapsed.
func TestD2_BeginningAgainStartsAnew(t *testing.T) {
	r := newRig(t, 1)
	r.cast("a", "b", "c")
	r.take("a", "L", exclusive)
	r.take("b", "M", exclusive)
	r.take("c", "N", exclusive)
	r.waitInVain("c", "M")
	r.waitInVain("b", "L")
	r.wantCycle("a", "N")
	r.table.leave(r.table.client("b"), r.table.lock("M"), lease.ChangeLapsed)
	if r.graph.Begin(r.table.client("a").id) {
		t.Error("the cycle outlived the lease of b")
	}
	r.wantVictims()
}

// A resolution that was left unfinished does not speak of later requests.
func TestD2_ANewRequestClosesAResolution(t *testing.T) {
	r := newRig(t, 1)
	r.cast("a", "b", "c")
	r.take("a", "L", exclusive)
	r.take("b", "M", exclusive)
	r.waitInVain("a", "M")
	r.wantCycle("b", "L")
	r.table.acquire(r.table.client("c"), r.table.lock("L"), exclusive)
	if victim, ok := r.graph.Victim(); ok {
		t.Errorf("%s is a victim of a request that was forgotten", victim.Name)
	}
	if r.graph.Cycle(r.table.client("b").id) != nil {
		t.Error("a cycle without a resolution")
	}
}

func TestD3_OnlyThoseOnACycleAreMembers(t *testing.T) {
	r := newRig(t, 1)
	r.cast("a", "b", "ahead", "behind", "holder", "waiter")
	r.take("a", "L", exclusive)
	r.take("b", "M", exclusive)
	r.take("holder", "M2", exclusive)
	r.waitInVain("b", "L")
	r.waitInVain("waiter", "M") // waits for the cycle, is not on it
	r.waitInVain("behind", "L") // likewise, in a queue of it
	r.waitInVain("ahead", "M2") // is waited for by nobody
	r.wantCycle("a", "M")       // behind waiter: so waiter is on it now
	r.wantMembers("a", "waiter", "b", "a")
	r.wantVictims("waiter", "b")
}

// The same client may be reached by several ways, by holders and by queues; one
// abort that cuts one of them leaves the others.
func TestD3_WaysThatRemainKeepTheirMembers(t *testing.T) {
	r := newRig(t, 1)
	r.cast("r", "x", "y", "p", "q")
	r.take("p", "S", shared)
	r.take("q", "S", shared)
	r.take("x", "X", exclusive)
	r.take("r", "K", exclusive)
	r.waitInVain("x", "K")
	r.waitInVain("p", "X")
	r.waitInVain("q", "X")
	r.wantCycle("r", "S") // by p and, behind it, q; both by x
	r.wantVictims("q", "p")
}

func TestD4_TheYoungestIsTheVictim(t *testing.T) {
	for _, order := range [][]string{{"a", "b", "c"}, {"b", "c", "a"}, {"c", "a", "b"}, {"c", "b", "a"}} {
		r := newRig(t, 1)
		r.cast(order...)
		r.take("a", "A", exclusive)
		r.take("b", "B", exclusive)
		r.take("c", "C", exclusive)
		r.waitInVain("a", "B")
		r.waitInVain("b", "C")
		r.wantCycle("c", "A")
		r.wantVictims(order[2])
	}
}

func TestD4_TheVictimStaysTheSameUntilEffectsCome(t *testing.T) {
	r := newRig(t, 1)
	r.cast("a", "b")
	r.take("a", "A", exclusive)
	r.take("b", "B", exclusive)
	r.waitInVain("a", "B")
	r.wantCycle("b", "A")
	for range 3 {
		if victim, ok := r.graph.Victim(); !ok || victim.Name != "b" {
			t.Fatalf("victim is %v, %v; want b", victim, ok)
		}
	}
}

// The age is that of the request: a victim that comes back is the youngest (C2).
func TestD4_AReturnedVictimIsTheYoungest(t *testing.T) {
	r := newRig(t, 1)
	r.cast("a", "b", "c")
	r.take("a", "A", exclusive)
	r.take("b", "B", exclusive)
	r.waitInVain("b", "A")
	r.wantCycle("a", "B")
	r.wantVictims("b")
	r.leave("a", "B")
	r.take("b", "B", exclusive)
	r.take("c", "C", exclusive)
	r.waitInVain("b", "C")
	r.wantCycle("c", "B")
	r.wantVictims("b")
}

// The worked example: alice is granted L2 by the abort of bob.
func TestD6_TheRequesterIsGrantedByAnAbort(t *testing.T) {
	r := newRig(t, 1)
	r.take("alice", "L1", exclusive)
	r.take("bob", "L2", exclusive)
	r.waitInVain("bob", "L1")
	r.wantCycle("alice", "L2")
	r.wantVictims("bob")
	if alice := r.table.client("alice"); alice.waits != nil || len(alice.holds) != 2 {
		t.Error("alice was not granted L2")
	}
}

// The worked example: Y is queued ahead of Z, on the cycle, and the youngest.
func TestD6_ABystanderAheadIsAbortedFirst(t *testing.T) {
	r := newRig(t, 1)
	r.take("H", "L", exclusive)
	r.take("Z", "M", exclusive)
	r.waitInVain("Y", "L")
	r.waitInVain("H", "M")
	r.wantCycle("Z", "L")
	r.wantVictims("Y", "Z")
}

// Case 17: the requester is the youngest of three; one abort breaks the ring.
func TestD6_ARingTakesOneVictim(t *testing.T) {
	r := newRig(t, 1)
	r.take("alma", "x", exclusive)
	r.take("bram", "y", exclusive)
	r.take("cleo", "z", exclusive)
	r.waitInVain("alma", "y")
	r.waitInVain("bram", "z")
	r.wantCycle("cleo", "x")
	r.wantVictims("cleo")
	if bram := r.table.client("bram"); len(bram.holds) != 2 {
		t.Error("bram was not granted z")
	}
	r.waitInVain("cleo", "x")
}

// Case 19: abe has the lock that bly waits for since hale's lease ran out.
func TestD1_EdgesFollowTheNewHolder(t *testing.T) {
	r := newRig(t, 1)
	r.take("hale", "lode", exclusive)
	r.take("bly", "mint", exclusive)
	r.waitInVain("abe", "lode")
	r.waitInVain("bly", "lode")
	r.table.leave(r.table.client("hale"), r.table.lock("lode"), lease.ChangeLapsed)
	r.waitInVain("hale", "mint")
	r.wantCycle("abe", "mint")
	r.wantVictims("abe")
}

// Case 25: everything a victim has is handed on, to writers and to readers.
func TestD5_TheVictimFreesAllItsLocks(t *testing.T) {
	r := newRig(t, 1)
	r.take("gus", "L2", exclusive)
	r.take("hy", "L10", exclusive)
	r.take("hy", "L3", exclusive)
	r.take("hy", "l1", exclusive)
	r.waitInVain("ike", "L3")
	r.wait("joy", "l1", shared)
	r.wait("kay", "l1", shared)
	r.waitInVain("hy", "L2")
	r.wantCycle("gus", "L10")
	r.wantVictims("hy")
	for _, name := range []string{"gus", "ike", "joy", "kay"} {
		if r.table.client(name).waits != nil {
			t.Errorf("%s still waits", name)
		}
	}
	r.leave("joy", "l1")
	r.leave("kay", "l1")
	if list := r.graph.List(); len(list) > 1 {
		t.Errorf("the graph kept %v", list)
	}
}

// An abort may free readers that stood behind the victim, the requester with
// them: a batch that the victim, a writer, had kept waiting (Q3).
func TestD5_AnAbortedHeadLetsReadersIn(t *testing.T) {
	r := newRig(t, 1)
	r.cast("reader", "late", "writer")
	r.take("reader", "L", shared)
	r.take("late", "K", exclusive)
	r.waitInVain("writer", "L")
	r.waitInVain("reader", "K")
	if !r.wait("late", "L", shared) {
		t.Fatal("no cycle")
	}
	r.wantVictims("writer")
	if late := r.table.client("late"); late.waits != nil {
		t.Error("late still waits though L is shared")
	}
}

package deadlock

import (
	"fmt"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Costs are counted in edges looked at (Graph.Steps), so these tests hold on any
// machine.

// spent is how many edges the graph looks at during an action.
func (r *rig) spent(action func()) int {
	before := r.graph.Steps()
	action()
	return int(r.graph.Steps() - before)
}

// wantAtMost runs an action that must not look at more than limit edges.
func (r *rig) wantAtMost(limit int, what string, action func()) {
	r.t.Helper()
	if got := r.spent(action); got > limit {
		r.failf("%s: %d edges looked at, want %d at most", what, got, limit)
	}
}

// wantLinear wants that twice the size costs no more than twice the edges.
func wantLinear(t *testing.T, n int, cost func(n int) int) {
	t.Helper()
	const slack = 20
	once, twice := cost(n), cost(2*n)
	if twice > 2*once+slack {
		t.Errorf("%d edges looked at for size %d, %d for size %d", once, n, twice, 2*n)
	}
	t.Logf("%d edges looked at for size %d, %d for size %d", once, n, twice, 2*n)
}

func each(n int, format string, do func(i int, name string)) {
	for i := range n {
		do(i, fmt.Sprintf(format, i))
	}
}

// readers has n clients r0, r1 … hold a lock together.
func (r *rig) readers(n int, lock string) {
	each(n, "r%d", func(_ int, name string) { r.take(name, lock, shared) })
}

func TestCost_NobodyWaitsForTheRequester(t *testing.T) {
	r := newRig(t, 1)
	each(1000, "own%d", func(_ int, lock string) { r.take("requester", lock, exclusive) })
	r.readers(1000, "L")
	each(1000, "w%d", func(_ int, name string) { r.waitInVain(name, "L") })
	r.wantAtMost(0, "request", func() { r.waitInVain("requester", "L") })
}

// A chain whose new requester is always the last: nobody waits for it yet.
func TestCost_ChainThatGrowsAtItsTail(t *testing.T) {
	r := newRig(t, 1)
	r.wantAtMost(0, "chain", func() {
		each(10_000, "c%d", func(i int, name string) {
			r.take(name, fmt.Sprint("L", i), exclusive)
			if i > 0 {
				r.waitInVain(name, fmt.Sprint("L", i-1))
			}
		})
	})
}

// A chain whose new requester is always the first: it waits for one who does not
// wait, however many wait for it.
func TestCost_ChainThatGrowsAtItsHead(t *testing.T) {
	r := newRig(t, 1)
	each(10_000, "c%d", func(i int, name string) { r.take(name, fmt.Sprint("L", i), exclusive) })
	each(9_999, "c%d", func(i int, name string) {
		r.wantAtMost(5, name, func() { r.waitInVain(name, fmt.Sprint("L", i+1)) })
	})
}

// One long queue: the last one waits for all the others, and the search from
// behind it ends at once.
func TestCost_LongQueue(t *testing.T) {
	r := newRig(t, 1)
	r.take("holder", "L", exclusive)
	each(10_000, "c%d", func(i int, name string) { r.waitInVain(name, "L") })
	r.take("requester", "K", exclusive)
	r.waitInVain("other", "K")
	r.wantAtMost(5, "request", func() { r.waitInVain("requester", "L") })
}

// ring has n clients wait for each other and gives the edges looked at by the
// last request and its resolution.
func ring(t *testing.T, n int) int {
	r := newRig(t, 1)
	each(n, "c%d", func(i int, name string) { r.take(name, fmt.Sprint("L", i), exclusive) })
	each(n-1, "c%d", func(i int, name string) { r.waitInVain(name, fmt.Sprint("L", i+1)) })
	return r.spent(func() {
		r.wantCycle(fmt.Sprint("c", n-1), "L0")
		r.wantVictims(fmt.Sprint("c", n-1))
	})
}

func TestCost_Ring(t *testing.T) {
	const n = 10_000
	if got, limit := ring(t, n), 2*2*n+10; got > limit {
		t.Errorf("%d edges looked at, want %d at most", got, limit)
	}
	wantLinear(t, n/2, func(n int) int { return ring(t, n) })
}

// hub has n readers of one lock, of whom each also holds a lock of its own that
// another waits for.
func hub(t *testing.T, n int) *rig {
	r := newRig(t, 1)
	r.readers(n, "hub")
	each(n, "own%d", func(i int, lock string) {
		r.take(fmt.Sprint("r", i), lock, exclusive)
		r.waitInVain(fmt.Sprint("w", i), lock)
	})
	return r
}

func TestCost_ReadersThatAllHoldContendedLocks(t *testing.T) {
	const n = 2_000
	r := hub(t, n)
	r.take("idle", "X", exclusive)
	r.wantAtMost(5, "request of a reader", func() { r.waitInVain("r7", "X") })
	r.wantAtMost(0, "request of a writer", func() { r.waitInVain("writer", "hub") })
	// A cycle among 2,000 holders: writer → hub → r8 → K → writer.
	r.leave("writer", "hub")
	r.take("writer", "K", exclusive)
	r.waitInVain("r8", "K")
	r.wantAtMost(20, "request that closes a cycle", func() {
		r.wantCycle("writer", "hub")
		r.wantVictims("writer")
	})
}

// lopsided gives a requester that n clients wait for and that waits for n
// clients, of which one is the same.
func lopsided(t *testing.T, n int) (begin, resolve int) {
	r := newRig(t, 1)
	r.cast("requester")
	r.take("requester", "K", exclusive)
	r.readers(n, "S")
	r.waitInVain("r0", "K")
	each(n, "w%d", func(_ int, name string) { r.waitInVain(name, "K") })
	begin = r.spent(func() { r.wantCycle("requester", "S") })
	r.wantMembers("requester", "r0", "requester")
	resolve = r.spent(func() { r.wantVictims("r0") })
	return begin, resolve
}

func TestCost_ManyOnEitherSideTwoOnTheCycle(t *testing.T) {
	const n = 2_000
	begin, resolve := lopsided(t, n)
	if begin > 2*(n+4) || resolve > 10 {
		t.Errorf("%d edges looked at to begin, %d to resolve", begin, resolve)
	}
	wantLinear(t, n/2, func(n int) int { begin, resolve := lopsided(t, n); return begin + resolve })
}

// bystanders has n clients, younger than all others, stand ahead of a requester
// that closes a cycle with the holder. All of them are aborted first.
func bystanders(t *testing.T, n int) int {
	r := newRig(t, 1)
	r.cast("holder", "requester")
	r.take("holder", "L", exclusive)
	r.take("requester", "M", exclusive)
	each(n, "b%d", func(i int, name string) {
		r.take(name, fmt.Sprint("own", i), exclusive)
		r.waitInVain(name, "L")
	})
	r.waitInVain("holder", "M")
	return r.spent(func() {
		r.wantCycle("requester", "L")
		if victims := r.resolve(); len(victims) != n+1 || victims[n] != "requester" {
			r.failf("%d victims, want %d", len(victims), n+1)
		}
	})
}

func TestCost_ManyBystandersAborted(t *testing.T) {
	const n = 600
	if got, limit := bystanders(t, n), 5*n; got > limit {
		t.Errorf("%d edges looked at, want %d at most", got, limit)
	}
	wantLinear(t, n, func(n int) int { return bystanders(t, n) })
}

// heads has n victims leave a queue one after the other, each as its head, over
// any number of holders of whom one is on the cycle. The search from the
// requester's waiters is the smaller one.
func heads(t *testing.T, n, holders int) int {
	r := newRig(t, 1)
	r.cast("r0", "requester")
	for i := n - 1; i >= 0; i-- {
		r.cast(fmt.Sprint("v", i)) // the first in the queue is the youngest
	}
	r.readers(holders, "S")
	r.take("requester", "K", exclusive)
	each(n, "v%d", func(_ int, name string) { r.waitInVain(name, "S") })
	r.waitInVain("r0", "K")
	return r.spent(func() {
		r.wantCycle("requester", "S")
		if victims := r.resolve(); len(victims) != n+1 || victims[0] != "v0" {
			r.failf("victims are %v", victims)
		}
	})
}

func TestCost_AbortedHeadsOverManyHolders(t *testing.T) {
	const n = 200
	few, many := heads(t, n, 1), heads(t, n, 2_000)
	if many > few || many > 5*n+20 {
		t.Errorf("%d edges looked at over 2,000 holders, %d over one", many, few)
	}
	wantLinear(t, n, func(n int) int { return heads(t, n, 2_000) })
}

// When the search from the blockers is the smaller one, the holders of S are
// looked at, but once and not once per victim.
func TestCost_AbortedHeadsOverManyHoldersSeenForward(t *testing.T) {
	const n, holders, behind = 200, 2_000, 10_000
	r := newRig(t, 1)
	r.cast("r0", "requester")
	for i := n - 1; i >= 0; i-- {
		r.cast(fmt.Sprint("v", i))
	}
	r.readers(holders, "S")
	r.take("requester", "K", exclusive)
	each(n, "v%d", func(_ int, name string) { r.waitInVain(name, "S") })
	r.waitInVain("r0", "K")
	each(behind, "w%d", func(_ int, name string) { r.waitInVain(name, "K") })
	r.wantAtMost(2*(n+holders+10)+5*n, "request and aborts", func() {
		r.wantCycle("requester", "S")
		r.resolve()
	})
}

// A member that is granted its lock leaves C. It may hold any number of other
// locks that are awaited; only those on the cycles are looked at.
func TestCost_AMemberWithManyLocksIsGrantedOne(t *testing.T) {
	const locks = 5_000
	r := newRig(t, 1)
	r.cast("requester", "owner", "victim")
	each(locks, "own%d", func(i int, lock string) {
		r.take("owner", lock, exclusive)
		r.waitInVain(fmt.Sprint("w", i), lock)
	})
	r.take("owner", "L", exclusive)
	r.take("victim", "M", exclusive)
	r.take("requester", "N", exclusive)
	r.waitInVain("owner", "M")
	r.waitInVain("victim", "N")
	r.wantAtMost(40, "request and abort", func() {
		r.wantCycle("requester", "L")
		if victim, _ := r.graph.Victim(); victim.Name != "victim" {
			r.failf("victim is %s", victim.Name)
		}
		r.resolve()
	})
}

// A writer that tries in vain, over and over: the readers are introduced once.
func TestCost_WriterInVainOverManyReaders(t *testing.T) {
	const readers, times = 2_000, 10_000
	r := newRig(t, 4)
	effects := 0
	r.table.sink = func(e *lease.Effect) {
		effects++
		r.graph.Apply(e)
	}
	r.readers(readers, "S")
	r.take("writer", "K", exclusive)
	r.waitInVain("other", "K")
	for range times {
		r.wantAtMost(5, "request", func() { r.waitInVain("writer", "S") })
		r.leave("writer", "S")
	}
	if limit := readers + 2*times + 2; effects > limit {
		t.Errorf("%d effects, want %d at most", effects, limit)
	}
}

// Holdings that rest are woken at the expense of the searches that put them to
// rest: each looks at one edge on either side and has one woken later, whatever
// the writer does.
func TestCost_ReadersThatRestAreWokenOnce(t *testing.T) {
	const readers, times = 500, 2_000
	r := newRig(t, 1)
	r.readers(readers, "S")
	r.take("idle", "X", exclusive)
	r.waitInVain("writer", "S")
	r.leave("writer", "S")
	searches := 0
	for i := range times {
		if i%100 == 0 { // all readers look while nobody waits
			each(readers, "r%d", func(_ int, name string) {
				r.waitInVain(name, "X")
				r.leave(name, "X")
				searches++
			})
		}
		r.waitInVain("writer", "S")
		r.leave("writer", "S")
	}
	if got := r.graph.Steps(); got > uint64(3*searches) {
		t.Errorf("%d edges looked at for %d searches", got, searches)
	}
}

// landlord gives a client that shares n mirrored locks, none of which is awaited
// any more, and a lock X with a queue of the same length.
func landlord(t *testing.T, n int) *rig {
	r := newRig(t, 1)
	each(n, "L%d", func(_ int, lock string) {
		r.take("landlord", lock, shared)
		r.take("tenant", lock, shared)
		r.waitInVain("writer", lock)
		r.leave("writer", lock)
	})
	r.take("idle", "X", exclusive)
	return r
}

func TestCost_ManyMirroredLocksThatNobodyAwaits(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n /= 10
	}
	r := landlord(t, n)
	r.wantAtMost(2*2+1, "short queue", func() { r.waitInVain("landlord", "X") })
	r.leave("landlord", "X")
	each(n, "w%d", func(_ int, name string) { r.waitInVain(name, "X") })
	r.wantAtMost(2*n+1, "long queue, the first time", func() { r.waitInVain("landlord", "X") })
	r.leave("landlord", "X")
	r.wantAtMost(0, "long queue, from then on", func() { r.waitInVain("landlord", "X") })
	r.leave("landlord", "X")
	r.waitInVain("someone", "L5")
	r.wantAtMost(5, "long queue, one lock awaited", func() { r.waitInVain("landlord", "X") })
	r.checkStorage()
}

func TestCost_ManyContendedLocksOfOneClient(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n /= 10
	}
	r := newRig(t, 1)
	each(n, "L%d", func(i int, lock string) {
		r.take("landlord", lock, exclusive)
		r.waitInVain(fmt.Sprint("w", i), lock)
	})
	r.take("idle", "X", exclusive)
	r.wantAtMost(5, "request", func() { r.waitInVain("landlord", "X") })
	r.wantAtMost(0, "release", func() { r.leave("landlord", "L77") })
	// friend waits for landlord behind w5, and landlord for friend.
	r.leave("landlord", "X")
	r.take("friend", "Y", exclusive)
	r.waitInVain("friend", "L5")
	r.wantAtMost(20, "cycle", func() {
		r.wantCycle("landlord", "Y")
		r.wantVictims("friend")
	})
}

// A cycle for people is found by going through each queue once, not once for
// everyone in it.
func TestCost_CycleThroughALongQueue(t *testing.T) {
	wantLinear(t, 1_000, func(n int) int {
		r := newRig(t, 1)
		r.take("holder", "L", exclusive)
		r.take("requester", "M", exclusive)
		each(n, "w%d", func(_ int, name string) { r.waitInVain(name, "L") })
		r.waitInVain("holder", "M")
		r.wantCycle("requester", "L")
		return r.spent(func() {
			if edges := r.graph.Cycle(r.table.client("requester").id); len(edges) != 2 {
				r.failf("cycle of %d edges, want 2", len(edges))
			}
		})
	})
}

package deadlock

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

var (
	firstSeed = flag.Uint64("seed", 1, "first seed of the random histories")
	seedCount = flag.Uint64("seeds", fullCount, "how many random histories")
)

const fullCount = 10_000

// The graph against the rules word by word, on random histories. A failure names
// its seed: go test ./deadlock -run Random -seed N -seeds 1
func TestD3_D4_D6_RandomHistories(t *testing.T) {
	total := runHistories(t, func(h *history) {
		for range 20 + h.rng.IntN(60) {
			h.step()
		}
	})
	if *seedCount < fullCount {
		return // a few seeds need not meet everything
	}
	if total.cycles == 0 || total.stale == 0 || total.granted == 0 || total.several == 0 || total.bystanders == 0 {
		t.Errorf("the histories do not cover what they are for: %+v", total)
	}
}

// Knots: one request closes many cycles at once, with bystanders. Everybody but
// the last client waits for a lock of somebody after it, the last ones first, so
// that nothing closes before the last one asks for something.
func TestD3_D4_D6_RandomKnots(t *testing.T) {
	total := runHistories(t, func(h *history) {
		h.clients = 4 + h.rng.IntN(9)
		h.locks = h.clients + h.rng.IntN(h.clients)
		for _, i := range h.rng.Perm(h.clients) { // ages in any order
			h.acquire(h.number(i), h.table.lock(fmt.Sprintf("own%d", i)), h.mode())
		}
		for i := range h.locks {
			for range 1 + h.rng.IntN(3) {
				h.takeIfFree(h.someone(), h.table.lock(fmt.Sprintf("L%d", i)))
			}
		}
		for i := h.clients - 2; i >= 0; i-- {
			before := func(c claim) bool { return h.position(c.who) <= i }
			for range 20 {
				if l := h.something(); len(l.holders) > 0 && !slices.ContainsFunc(l.holders, before) {
					h.acquire(h.number(i), l, h.mode())
					break
				}
			}
		}
		if h.stats.cycles > 0 {
			h.failf("a cycle before its time")
		}
		last := h.number(h.clients - 1)
		for try := 0; try < 20 && h.stats.cycles == 0 && last.waits == nil; try++ {
			if l := h.something(); len(l.queue) > 0 {
				h.acquire(last, l, h.mode())
			}
		}
		h.checkMirror()
		h.checkStorage()
	})
	if *seedCount >= fullCount && total.several < total.cycles/4 {
		t.Errorf("the knots are not what they are for: %+v", total)
	}
}

// runHistories runs one history per seed and sums up what they met.
func runHistories(t *testing.T, run func(*history)) (total stats) {
	count := *seedCount
	if testing.Short() {
		count /= 10
	}
	for seed := *firstSeed; seed < *firstSeed+count; seed++ {
		h := newHistory(t, seed)
		run(h)
		total.add(h.stats)
	}
	t.Logf("%+v", total)
	return total
}

// stats tells what random histories have met.
type stats struct {
	queued, cycles, stale int // requests queued; on a cycle; on one that was out of date
	victims, several      int // clients aborted; requests that took more than one
	granted               int // requesters granted their lock by an abort
	bystanders            int // clients on a cycle by their place in a queue alone
}

func (s *stats) add(o stats) {
	s.queued += o.queued
	s.cycles += o.cycles
	s.stale += o.stale
	s.victims += o.victims
	s.several += o.several
	s.granted += o.granted
	s.bystanders += o.bystanders
}

// history is one random run.
type history struct {
	*rig
	rng            *rand.Rand
	clients, locks int
	shared         float64 // how often a request is shared
	restless       bool    // leases also end while a resolution is open
	stats          stats
}

func newHistory(t *testing.T, seed uint64) *history {
	rng := rand.New(rand.NewPCG(seed, 4))
	h := &history{
		rig: newRig(t, rng.IntN(4)), rng: rng,
		clients: 2 + rng.IntN(7), locks: 1 + rng.IntN(8),
		shared: []float64{0, 0.3, 0.6, 0.9}[rng.IntN(4)],
	}
	if rng.IntN(8) == 0 { // enough holders to be indexed
		h.clients += 16
	}
	h.restless = rng.IntN(3) == 0
	h.name = fmt.Sprintf("seed %d", seed)
	return h
}

func (h *history) number(i int) *person { return h.table.client(fmt.Sprintf("c%d", i)) }

// position is the number of a client.
func (h *history) position(p *person) int {
	i, _ := strconv.Atoi(p.id.Name[1:])
	return i
}

func (h *history) someone() *person { return h.number(h.rng.IntN(h.clients)) }

func (h *history) mode() lease.Mode {
	if h.rng.Float64() < h.shared {
		return lease.Shared
	}
	return lease.Exclusive
}

// takeIfFree acquires a lock that grants on the spot, or does nothing.
func (h *history) takeIfFree(p *person, l *thing) {
	mode := h.mode()
	if len(l.queue) == 0 && compatible(l, claim{mode: mode}) {
		h.acquire(p, l, mode)
	}
}

func (h *history) something() *thing {
	return h.table.lock(fmt.Sprintf("L%d", h.rng.IntN(h.locks)))
}

// blocker gives, mostly, somebody whom others wait for and who does not wait: the
// one who can close a cycle.
func (h *history) blocker() *person {
	for range 8 {
		p := h.someone()
		if p.waits == nil && p.blocks() {
			return p
		}
	}
	return h.someone()
}

// held gives a random lease or request, if there is one of the kind wanted.
func (h *history) held(waiting bool) (*person, *thing) {
	for range 8 {
		p := h.someone()
		switch {
		case waiting && p.waits != nil:
			return p, p.waits
		case !waiting && len(p.holds) > 0:
			return p, byName(maps.Keys(p.holds))[h.rng.IntN(len(p.holds))]
		}
	}
	return nil, nil
}

// blocks tells whether somebody waits for a lock that p holds.
func (p *person) blocks() bool {
	for l := range p.holds {
		if len(l.queue) > 0 {
			return true
		}
	}
	return false
}

func (h *history) step() {
	switch dice := h.rng.IntN(20); {
	case dice < 14:
		p := h.someone()
		if dice < 5 {
			p = h.blocker()
		}
		h.acquire(p, h.something(), h.mode())
	case dice < 15:
		h.end("release", false, func(p *person, l *thing) { h.table.leave(p, l, lease.ChangeReleased) })
	case dice < 16:
		h.end("withdraw", true, func(p *person, l *thing) { h.table.leave(p, l, lease.ChangeReleased) })
	case dice < 17:
		h.end("lapse", false, func(p *person, l *thing) { h.table.leave(p, l, lease.ChangeLapsed) })
	default: // it has ended, but the lock is not asked until later
		h.end("due", false, func(p *person, l *thing) {
			for i := range l.holders {
				l.holders[i].due = l.holders[i].due || l.holders[i].who == p
			}
		})
	}
	h.checkMirror()
	h.checkStorage()
}

// end has something happen to a random lease or request.
func (h *history) end(what string, waiting bool, do func(*person, *thing)) {
	if p, l := h.held(waiting); p != nil {
		h.history = append(h.history, fmt.Sprintf("%s %s %s", what, p.id.Name, l.id.Name))
		do(p, l)
	}
}

// acquire is what the sequencer does with an acquire, every answer of the graph
// compared with the table.
func (h *history) acquire(p *person, l *thing, mode lease.Mode) {
	if p.waits != nil {
		h.table.settle(p.waits) // busy is decided on a settled lock
	}
	queued, ok := h.table.acquire(p, l, mode)
	h.history = append(h.history, fmt.Sprintf("acquire %s %s %s: ok %v, queued %v", p.id.Name, l.id.Name, mode, ok, queued))
	if !queued {
		return
	}
	h.stats.queued++
	found := h.begin(p)
	if want := len(h.table.deadlocked(p)) > 0; found != want {
		h.failf("%s on a cycle: %v, want %v", p.id.Name, found, want)
	}
	if !found {
		return
	}
	h.checkCycles(p)
	h.table.settleAll()
	h.checkMirror()
	c := h.checkCycles(p) // the same resolution, out of date by the lapses
	if found = h.begin(p); found != (len(c) > 0) {
		h.failf("%s on a cycle once settled: %v, want %v", p.id.Name, found, !found)
	}
	if !found {
		h.stats.stale++
		h.checkCycles(p)
		return
	}
	h.stats.cycles++
	h.resolve(p)
}

func (h *history) resolve(requester *person) {
	for round := 0; ; round++ {
		c := h.checkCycles(requester)
		h.checkStorage()
		h.checkCycle(requester)
		h.stats.bystanders += h.checkDeadlock(requester, c)
		if len(c) == 0 {
			if round > 1 {
				h.stats.several++
			}
			if requester.age != 0 && requester.waits == nil {
				h.stats.granted++
			}
			return
		}
		h.history = append(h.history, fmt.Sprintf("  abort %s of %v", c[0].id.Name, names(c)))
		h.table.abort(c[0])
		h.stats.victims++
		for h.restless && h.rng.IntN(2) == 0 {
			h.checkCycles(requester)
			h.end("  meanwhile", h.rng.IntN(2) == 0, func(p *person, l *thing) { h.table.leave(p, l, lease.ChangeLapsed) })
		}
	}
}

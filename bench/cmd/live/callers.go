package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/rounds"
)

// manyLocks is how many locks the callers choose from: so many that they seldom meet.
const manyLocks = 10_000

// callers has 1 to 256 callers acquire and release locks, each one operation at a
// time. The forms take turns.
func (p plan) callers() error {
	fmt.Fprintf(p.out, "\n## Callers at once, acquire and release of %d locks\n\n", manyLocks)
	fmt.Fprintln(p.out, "| callers | form | operations/s | median | 99 % |\n|---|---|---|---|---|")
	for _, n := range []int{1, 4, 16, 64, 256} {
		rates := make([]rounds.Times, len(forms))
		times := make([][]int64, len(forms))
		for range p.rounds {
			for i, f := range forms {
				took, err := p.together(f, n)
				if err != nil {
					return err
				}
				rates[i] = append(rates[i], float64(len(took))/p.length.Seconds())
				times[i] = append(times[i], took...)
			}
		}
		for i, f := range forms {
			slices.Sort(times[i])
			fmt.Fprintf(p.out, "| %d | %s | %.0f | %v | %v |\n", n, f.name, rates[i].Median(),
				time.Duration(rounds.Quantile(times[i], 0.5)), time.Duration(rounds.Quantile(times[i], 0.99)))
		}
	}
	return nil
}

// together has n callers work for the length of a round, and gives how long each
// operation took.
func (p plan) together(f form, n int) (took []int64, err error) {
	s, err := open(f)
	if err != nil {
		return nil, err
	}
	var over atomic.Bool
	var group sync.WaitGroup
	var mu sync.Mutex
	for c := range n {
		group.Go(func() {
			mine, failed := s.work(c, &over)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, mine...)
			if failed != nil {
				err = failed
			}
		})
	}
	time.Sleep(p.length)
	over.Store(true)
	group.Wait()
	if failed := s.close(); err == nil {
		err = failed
	}
	return took, err
}

// work is what one caller does.
func (s *service) work(c int, over *atomic.Bool) (took []int64, err error) {
	rng := rand.New(rand.NewPCG(uint64(c), 1))
	client := fmt.Sprint("c", c)
	op := lease.Operation{Client: client, TTL: s.ttl}
	for last := time.Now(); !over.Load(); {
		op.Lock = lockNames[rng.IntN(manyLocks)]
		for _, op.Kind = range []lease.Kind{lease.Acquire, lease.Release} {
			// A lock that somebody else has is waited for until the next operation,
			// which gives the place back.
			r, err := s.Do(background, op)
			if err != nil {
				return nil, err
			}
			if r.Outcome == lease.Failed {
				return nil, fmt.Errorf("%v of %s: %w", op.Kind, op.Lock, r.Code)
			}
			now := time.Now()
			took = append(took, int64(now.Sub(last)))
			last = now
		}
	}
	return took, nil
}

var lockNames = func() []string {
	names := make([]string, manyLocks)
	for i := range names {
		names[i] = fmt.Sprint("lock-", i)
	}
	return names
}()

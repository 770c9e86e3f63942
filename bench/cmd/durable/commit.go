package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/durable"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/disk"
	"github.com/leasekeeper/lkactor/bench/internal/rounds"
)

// recordBytes is about what one operation takes in a journal, frame included, when it
// comes alone.
const recordBytes = 100

// rawFileBytes is how large the file of the bare disk is: one segment.
const rawFileBytes = 64 << 20

// contender does what its callers ask until it is told to stop, and gives how many
// operations were answered, and how long each took at one caller.
type contender struct {
	name string
	call func(caller int, rng *rand.Rand) (operations int, err error)
}

// commits measures answered operations a second.
func (p plan) commits() error {
	raw, err := disk.NewRaw(filepath.Join(p.dir, "raw"), rawFileBytes)
	if err != nil {
		return err
	}
	defer func() { _ = raw.Close() }()
	s, err := open(filepath.Join(p.dir, "commits"), durable.Options{})
	if err != nil {
		return err
	}
	inline, err := open(filepath.Join(p.dir, "inline"), durable.Options{}, actors.WithDispatch(actors.Inline))
	if err != nil {
		return err
	}
	bytes := make([]byte, recordBytes)
	all := []contender{
		{"bare disk", func(int, *rand.Rand) (int, error) { return 1, raw.Commit(bytes) }},
		{"a goroutine for each lock, locks of one's own", s.pair},
		{"inline, locks of one's own", inline.pair},
		{"a goroutine for each lock, transactions of three hot locks", s.transaction},
		{"inline, transactions of three hot locks", inline.transaction},
	}
	fmt.Printf("Answered operations a second, each on disk before its answer: medians of %d rounds of %v.\n\n", p.rounds, p.length)
	fmt.Println("| callers | | operations/s | of the bare disk | mean latency | processor time |\n|---:|---|---:|---:|---:|---:|")
	for _, callers := range []int{1, 16, 64, mostCallers} {
		if err := p.compare(callers, all); err != nil {
			return err
		}
	}
	fmt.Println()
	return errors.Join(s.close(), inline.close())
}

// compare has the contenders take turns, the first being the measure of the others.
func (p plan) compare(callers int, all []contender) error {
	rates, shares, costs := make([][]float64, len(all)), make([][]float64, len(all)), make([][]float64, len(all))
	for range p.rounds {
		for i, c := range all {
			cpu := rounds.CPUTime()
			rate, err := c.round(callers, p.length)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if rate == 0 {
				return fmt.Errorf("%s: no operation was answered in %v", c.name, p.length)
			}
			costs[i] = append(costs[i], float64(rounds.CPUTime()-cpu)/(rate*p.length.Seconds()))
			rates[i] = append(rates[i], rate)
			shares[i] = append(shares[i], rate/rates[0][len(rates[0])-1])
		}
	}
	for i, c := range all {
		rate := median(rates[i])
		fmt.Printf("| %d | %s | %.0f | %.0f %% | %v | %v |\n", callers, c.name, rate, 100*median(shares[i]),
			time.Duration(float64(callers)/rate*1e9).Round(time.Microsecond), time.Duration(median(costs[i])).Round(10*time.Nanosecond))
	}
	return nil
}

// round gives the operations a second of a contender.
func (c contender) round(callers int, length time.Duration) (float64, error) {
	var (
		done  sync.WaitGroup
		stop  atomic.Bool
		total atomic.Int64
		wrong atomic.Pointer[error]
	)
	start := time.Now()
	for caller := range callers {
		done.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(caller), 51))
			for !stop.Load() {
				n, err := c.call(caller, rng)
				if err != nil {
					wrong.Store(&err)
					return
				}
				total.Add(int64(n))
			}
		})
	}
	time.Sleep(length)
	stop.Store(true)
	done.Wait()
	if err := wrong.Load(); err != nil {
		return 0, *err
	}
	return float64(total.Load()) / time.Since(start).Seconds(), nil
}

// mostCallers is how many callers there are at most.
const mostCallers = 256

// The names, made beforehand: to make them would be a good part of what an operation takes.
var (
	clientNames = names(mostCallers, "client-")
	hotNames    = names(hotLocks, "hot-")
	lockNames   = func() (all [mostCallers][]string) {
		for caller := range all {
			all[caller] = names(ownLocks, fmt.Sprint("lock-", caller, "-"))
		}
		return all
	}()
)

func names(n int, prefix string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(prefix, i)
	}
	return all
}

// ownLocks is how many locks each caller has: some 10,000 together, where there are most
// callers.
const ownLocks = 40

// pair takes and returns a lock that nobody else wants.
func (s *service) pair(caller int, rng *rand.Rand) (int, error) {
	client, lock := clientNames[caller], lockNames[caller][rng.IntN(ownLocks)]
	if _, err := s.do(acquire(client, lock)); err != nil {
		return 0, err
	}
	_, err := s.do(release(client, lock))
	return 2, err
}

// hotLocks is how many locks all transactions are about.
const hotLocks = 15

// transaction takes three hot locks, a third of them each time, and returns them; where it
// would have to wait, or is aborted, it gives up.
func (s *service) transaction(caller int, rng *rand.Rand) (n int, err error) {
	client := clientNames[caller]
	var taken []string
	for i := range 3 { // three that differ
		lock := hotNames[(rng.IntN(hotLocks/3)*3+i)%hotLocks]
		r, err := s.do(acquire(client, lock))
		n++
		if err != nil {
			return n, err
		}
		if r.Outcome == lease.Granted || r.Outcome == lease.Queued {
			taken = append(taken, lock)
		}
		if r.Outcome != lease.Granted {
			break
		}
	}
	for _, lock := range taken {
		n++
		if _, err := s.do(release(client, lock)); err != nil {
			return n, err
		}
	}
	return n, nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/durable"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// never has no snapshots made by themselves.
var never = durable.Options{SnapshotBytes: -1}

// recovery measures how fast a journal without a snapshot is brought back: operations
// on 10,000 locks by as many clients.
func (p plan) recovery() error {
	dir := filepath.Join(p.dir, "recovery")
	s, err := open(dir, never, actors.WithDispatch(actors.Inline))
	if err != nil {
		return err
	}
	err = s.bulk(p.ops, func(i int) lease.Operation {
		name := fmt.Sprint(i / 2 % 10_000)
		if i%2 == 0 {
			return acquire("client-"+name, "lock-"+name)
		}
		return release("client-"+name, "lock-"+name)
	})
	if err != nil {
		return err
	}
	if err := s.close(); err != nil {
		return err
	}
	files, all, err := p.opened(dir)
	if err != nil {
		return err
	}
	fmt.Printf("Recovery of %d operations: %v, of which reading the files takes %v: %.2f million operations a second.\n\n",
		p.ops, all.Round(time.Millisecond), files.Round(time.Millisecond), float64(p.ops)/all.Seconds()/1e6)
	return nil
}

// opened gives how long it takes to open the files of a directory, and to bring its state
// back as well: medians.
func (p plan) opened(dir string) (files, all time.Duration, err error) {
	var both [2][]float64
	for range p.rounds {
		start := time.Now()
		j, err := journal.Open(dir, journal.Options{})
		if err != nil {
			return 0, 0, err
		}
		both[0] = append(both[0], float64(time.Since(start)))
		if err := j.Close(); err != nil {
			return 0, 0, err
		}
		start = time.Now()
		s, err := durable.Open(dir, never)
		if err != nil {
			return 0, 0, err
		}
		both[1] = append(both[1], float64(time.Since(start)))
		if err := s.Close(); err != nil {
			return 0, 0, err
		}
	}
	return time.Duration(median(both[0])), time.Duration(median(both[1])), nil
}

// snapshots measures a start with very many locks from a snapshot, and how an operation
// fares while one is made.
func (p plan) snapshots() error {
	dir := filepath.Join(p.dir, "snapshots")
	s, err := open(dir, never, actors.WithDispatch(actors.Inline))
	if err != nil {
		return err
	}
	err = s.bulk(p.locks, func(i int) lease.Operation {
		return acquire(fmt.Sprint("client-", i), fmt.Sprint("lock-", i))
	})
	if err != nil {
		return err
	}
	if err := s.store.Snapshot(context.Background()); err != nil {
		return err
	}
	if err := s.close(); err != nil {
		return err
	}
	var starts []float64
	for range p.rounds {
		start := time.Now()
		if s, err = open(dir, never); err != nil {
			return err
		}
		if _, err := s.do(acquire("first", "lock")); err != nil {
			return err
		}
		starts = append(starts, time.Since(start).Seconds())
		if err := s.close(); err != nil {
			return err
		}
	}
	fmt.Printf("Start with %d held locks of as many clients from a snapshot, up to the first answer: %.2f s.\n\n", p.locks, median(starts))
	return p.beside(dir)
}

// besides is how many callers there are while a snapshot is made.
const besides = 8

// beside measures the slowest operations while a snapshot is made, and while none is.
func (p plan) beside(dir string) error {
	s, err := open(dir, never)
	if err != nil {
		return err
	}
	fmt.Printf("The slowest of all operations of %d callers on an engine with %d held locks:\n\n", besides, p.locks)
	fmt.Println("| | operations | p99 | slowest |\n|---|---:|---:|---:|")
	for round := range 2 * min(p.rounds, 3) {
		name, during := "no snapshot", func() error { time.Sleep(p.length); return nil }
		if round%2 == 1 {
			name, during = "a snapshot", func() error { return s.store.Snapshot(context.Background()) }
		}
		took, err := s.latencies(during)
		if err != nil {
			return err
		}
		if len(took) == 0 {
			return fmt.Errorf("no operation was answered in %v", p.length)
		}
		fmt.Printf("| %s | %d | %v | %v |\n", name, len(took), took[len(took)*99/100].Round(time.Microsecond), took[len(took)-1].Round(time.Microsecond))
	}
	fmt.Println()
	return s.close()
}

// latencies has callers at work while something is done, and gives how long each of their
// operations took, ascending.
func (s *service) latencies(during func() error) ([]time.Duration, error) {
	var done sync.WaitGroup
	stop := make(chan struct{})
	took, wrong := make([][]time.Duration, besides), make([]error, besides)
	for caller := range besides {
		done.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				op := acquire(fmt.Sprint("caller-", caller), fmt.Sprint("its-lock-", caller))
				if i%2 == 1 {
					op.Kind = lease.Release
				}
				start := time.Now()
				if _, err := s.do(op); err != nil {
					wrong[caller] = err
					return
				}
				took[caller] = append(took[caller], time.Since(start))
			}
		})
	}
	err := during()
	close(stop)
	done.Wait()
	for _, w := range wrong {
		if err == nil {
			err = w
		}
	}
	all := slices.Concat(took...)
	slices.Sort(all)
	return all, err
}

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/leasekeeper/lkactor/actors/lease"
)

var background = context.Background()

// next is a client that waits in a goroutine of its own to be told of a grant.
type next struct{ granted chan lease.Event }

// Tell lets the goroutine know.
func (n next) Tell(e lease.Event) {
	if e.Kind == lease.EventGranted {
		n.granted <- e
	}
}

// handOver has a lease end, while nothing else happens, and measures how long after
// its end the goroutine of the next holder goes on.
func (p plan) handOver() error {
	p.header("From the end of a lease until the next holder goes on, idle machine", "hand-overs")
	for _, f := range liveForms() {
		s, err := open(f)
		if err != nil {
			return err
		}
		times := make([]int64, p.handOvers)
		n := next{make(chan lease.Event, 1)}
		if _, err := s.Subscribe(background, "next", "", n); err != nil {
			return err
		}
		for i := 0; i < len(times); {
			lock := fmt.Sprint("lock-", i)
			ttl := 2*lease.MinTTLNanoseconds + lease.Duration(rand.IntN(2*lease.MinTTLNanoseconds))
			if _, err := s.must(lease.Operation{Kind: lease.Acquire, Client: fmt.Sprint("first-", i), Lock: lock, TTL: ttl}, lease.Granted); err != nil {
				return err
			}
			r, err := s.Do(background, lease.Operation{Kind: lease.Acquire, Client: "next", Lock: lock, TTL: s.ttl})
			if err != nil {
				return err
			}
			if r.Outcome == lease.Queued { // or the first lease has ended already: once more
				e := <-n.granted
				times[i] = int64(s.Now() - e.At)
				i++
			}
			if _, err := s.must(lease.Operation{Kind: lease.Release, Client: "next", Lock: lock}, lease.Released); err != nil {
				return err
			}
		}
		if err := s.close(); err != nil {
			return err
		}
		p.spread(f.name, times)
	}
	return nil
}

// storm has very many leases of as many locks end within one second, and measures the
// same: with few who wait in goroutines, each for one of them, and with one for each.
// What the machine and its timers take by themselves is measured beside it.
func (p plan) storm() error {
	for _, waiters := range []int{p.waiters, p.leases} {
		p.header(fmt.Sprintf("The same when %d leases end in one second and %d are waited for", p.leases, waiters), "hand-overs")
		p.spread("no engine: a timer, and a channel for each", p.calm(waiters))
		for _, f := range liveForms() {
			times, err := p.blow(f, waiters)
			if err != nil {
				return err
			}
			p.spread(f.name, times)
		}
	}
	return nil
}

// calm is what would be left of a storm if an engine took no time: at as many instants,
// which are known and sorted beforehand, the goroutines that wait are woken.
func (p plan) calm(waiters int) []int64 {
	ends := make([]time.Duration, p.leases)
	for i := range ends {
		ends[i] = time.Second + rand.N(time.Second)
	}
	slices.Sort(ends)
	times, woken := make([]int64, waiters), make([]chan struct{}, p.leases)
	begun := time.Now()
	var group sync.WaitGroup
	for i := range ends {
		w := i * waiters / p.leases
		if (i+1)*waiters/p.leases == w {
			continue
		}
		woken[i] = make(chan struct{}, 1)
		group.Go(func() {
			<-woken[i]
			times[w] = int64(time.Since(begun) - ends[i])
		})
	}
	for i := 0; i < len(ends); {
		time.Sleep(ends[i] - time.Since(begun))
		for now := time.Since(begun); i < len(ends) && ends[i] <= now; i++ {
			if woken[i] != nil {
				woken[i] <- struct{}{}
			}
		}
	}
	group.Wait()
	return times
}

// blow has one storm.
func (p plan) blow(f form, waiters int) ([]int64, error) {
	s, err := open(f)
	if err != nil {
		return nil, err
	}
	times := make([]int64, waiters)
	var group sync.WaitGroup
	// All are to end in the second from this instant on; until then the storm is
	// prepared.
	begin := s.Now() + lease.Instant(time.Second) + lease.Instant(p.leases)*lease.Instant(100*time.Microsecond)
	for i := range p.leases {
		lock := fmt.Sprint("lock-", i)
		end := begin + lease.Instant(rand.IntN(int(time.Second)))
		if _, err := s.must(lease.Operation{
			Kind: lease.Acquire, Client: fmt.Sprint("first-", i), Lock: lock, TTL: lease.Duration(end - s.Now()),
		}, lease.Granted); err != nil {
			return nil, err
		}
		// The waiters are spread over the locks, and so over the second.
		if w := i * waiters / p.leases; (i+1)*waiters/p.leases > w {
			if err := s.await(lock, w, &times[w], &group); err != nil {
				return nil, err
			}
		}
	}
	if now := s.Now(); now > begin {
		return nil, fmt.Errorf("the preparations took %v too long", time.Duration(now-begin))
	}
	group.Wait()
	return times, s.close()
}

// await has a goroutine wait for the lock, and write down how long after the end of the
// lease before its own it went on.
func (s *service) await(lock string, i int, took *int64, group *sync.WaitGroup) error {
	client, n := fmt.Sprint("next-", i), next{make(chan lease.Event, 1)}
	if _, err := s.Subscribe(background, client, "", n); err != nil {
		return err
	}
	if _, err := s.must(lease.Operation{Kind: lease.Acquire, Client: client, Lock: lock, TTL: s.ttl}, lease.Queued); err != nil {
		return err
	}
	group.Go(func() {
		e := <-n.granted
		*took = int64(s.Now() - e.At)
	})
	return nil
}

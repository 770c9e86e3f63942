package durable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// An operation whose record cannot be written is not acknowledged, and the engine
// stops accepting; a restart has everything that was acknowledged.
func TestP1_DiskTrouble(t *testing.T) {
	system := newSystem(t)
	for _, trouble := range []error{syscall.ENOSPC, syscall.EIO} {
		failures := 0
		for at := 1; ; at++ {
			fs := crashfs.New(uint64(at))
			fs.FailAt(at, trouble)
			s, err := serve(system, options(fs), &hand{wall: zero})
			var acked uint64
			if err == nil {
				acked, err = s.work(t, 120)
				if err == nil {
					if err = s.stop(); err == nil {
						break
					}
				} else if !errors.Is(err, actors.ErrJournal) {
					t.Fatalf("operation %d: %v", at, err)
				} else if _, again := s.engine.Ask(t.Context(), lease.Operation{Kind: lease.Tick}); !errors.Is(again, actors.ErrJournal) {
					t.Fatalf("operation %d: goes on after the failure: %v", at, again)
				} else if s.engine.Err() == nil || s.stop() == nil {
					t.Fatalf("operation %d: neither Err nor Close tell", at)
				} else if stopped := s.engine.Stop(t.Context()); !errors.Is(stopped, actors.ErrJournal) || !errors.Is(stopped, trouble) {
					t.Fatalf("operation %d: Stop says %v", at, stopped)
				}
			}
			failures++
			if !errors.Is(err, trouble) {
				t.Fatalf("operation %d: %v does not tell of %v", at, err, trouble)
			}
			r, err := Open(dir, options(fs.Kill(uint64(at))))
			if err != nil {
				t.Fatalf("operation %d: no restart: %v", at, err)
			}
			if seq, _ := r.order.Stamp(); seq < acked {
				t.Fatalf("operation %d: %d acknowledged, %d there", at, acked, seq)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if failures < 100 {
			t.Errorf("%v: only %d operations on the file system", trouble, failures)
		}
	}
}

// Replies wait for the disk, and running does not: what comes in during a sync is run
// and becomes durable with the next.
func TestRepliesWaitForTheDisk(t *testing.T) {
	system, fs := newSystem(t), crashfs.New(1)
	o := options(fs)
	o.Journal.SegmentBytes = 1 << 20 // a new segment takes syncs of its own
	s := mustServe(t, system, o, &hand{wall: zero})
	gate := make(chan struct{})
	syncs := 0
	fs.Before(func(op crashfs.Op) {
		if op.Verb == "sync" {
			syncs++
			<-gate
		}
	})
	const callers = 100
	answered := make(chan error, callers)
	for i := range callers {
		go func() {
			_, err := s.engine.Do(context.Background(), lease.Operation{Kind: lease.Acquire, Client: fmt.Sprint(i), Lock: fmt.Sprint(i), TTL: 1e9})
			answered <- err
		}()
	}
	for { // all are run while the first record is on its way
		counts, err := s.engine.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if counts.Operations == callers {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if len(answered) != 0 {
		t.Fatalf("%d answers before anything was durable", len(answered))
	}
	close(gate)
	for range callers {
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
	}
	fs.Before(nil)
	if syncs > 3 { // one for what came first, one for the rest; one more if that was cut

		t.Errorf("%d syncs for %d operations that came together", syncs, callers)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	_, _, m := history(t, fs)
	r := mustOpen(t, options(fs))
	if !bytes.Equal(recoveredBytes(t, r), stateBytes(t, m)) {
		t.Error("another state")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// Running is ahead of the disk by no more than a bound, however much there is to do and
// however long the disk takes; what has to wait is done when there is room.
func TestRunAheadIsBounded(t *testing.T) {
	system, fs := newSystem(t), crashfs.New(1)
	o := options(fs)
	o.Journal.SegmentBytes = 32 << 20
	s := mustServe(t, system, o, &hand{wall: zero}, actors.WithDispatch(actors.Inline))
	gate, stuck := make(chan struct{}), make(chan struct{}, 1)
	fs.Before(func(op crashfs.Op) {
		if op.Verb == "sync" {
			select {
			case stuck <- struct{}{}:
			default:
			}
			<-gate
		}
	})
	const callers, each, bound = 24, 4096, 1 << 15
	answered := make(chan error, callers)
	for range callers {
		go func() {
			ops := make([]lease.Operation, each)
			for i := range ops {
				ops[i] = lease.Operation{Kind: lease.Acquire, Client: "c", Lock: "L", TTL: 1e9}
			}
			answered <- s.engine.Run(context.Background(), ops, make([]lease.Result, each))
		}()
	}
	<-stuck
	ran, calm := uint64(0), 0
	for calm < 50 || ran < bound/2 { // until nothing more is run
		counts, err := s.engine.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if calm++; counts.Operations != ran {
			ran, calm = counts.Operations, 0
		}
		time.Sleep(time.Millisecond)
	}
	if ran > bound+2*each {
		t.Errorf("%d operations were run ahead of the disk, the bound is %d", ran, bound)
	}
	if len(answered) > 0 {
		t.Error("there was an answer before anything was durable")
	}
	close(gate)
	for range callers {
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
	}
	fs.Before(nil)
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	ops, _, _ := history(t, fs)
	if len(ops)-1 != callers*each {
		t.Errorf("%d operations in the journal", len(ops)-1)
	}
}

// A stop that does not wait any longer answers those who wait for a disk that hangs. What
// they asked for may have happened all the same: the next start shows.
func TestStopWhileTheDiskHangs(t *testing.T) {
	system, fs := newSystem(t), crashfs.New(1)
	s := mustServe(t, system, options(fs), &hand{wall: zero})
	gate, stuck := make(chan struct{}), make(chan struct{}, 100)
	fs.Before(func(op crashfs.Op) {
		if op.Verb == "sync" {
			stuck <- struct{}{}
			<-gate
		}
	})
	answers := make(chan error, 2)
	go func() {
		_, err := s.engine.Do(context.Background(), lease.Operation{Kind: lease.Acquire, Client: "a", Lock: "L", TTL: 3600e9})
		answers <- err
	}()
	<-stuck
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.engine.Stop(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("stop: %v", err)
	}
	if err := <-answers; !errors.Is(err, actors.ErrStopped) {
		t.Errorf("who waited got %v", err)
	}
	close(gate)
	fs.Before(nil)
	if err := s.stop(); err != nil { // which waits now
		t.Fatal(err)
	}
	again := mustServe(t, system, options(fs), &hand{wall: zero})
	if a := again.ask(t, lease.Operation{Kind: lease.Inspect, Lock: "L"}); len(a.Detail.Lock.Holders) != 1 {
		t.Errorf("%+v", a)
	}
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
}

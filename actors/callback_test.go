package actors_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/sequencer"
)

// snag panics from when it is set, or ends its goroutine.
type snag struct {
	set   atomic.Bool
	leave bool
}

func (s *snag) pull() {
	switch {
	case !s.set.Load():
	case s.leave:
		runtime.Goexit()
	default:
		panic("a snag")
	}
}

// snagClock, snagLog and snagHandler are what an engine calls of those who run it.
type snagClock struct {
	actors.Clock
	now, wake *snag
}

func (c snagClock) Elapsed() time.Duration { c.now.pull(); return c.Clock.Elapsed() }

func (c snagClock) AfterFunc(d time.Duration, f func()) actors.Timer {
	c.wake.pull()
	return c.Clock.AfterFunc(d, f)
}

type snagLog struct {
	add, commit *snag
	last        uint64
	told        func(uint64, error)
}

func (l *snagLog) Add(uint64, *lease.Operation) { l.add.pull() }

func (l *snagLog) Commit() (uint64, error) {
	l.commit.pull()
	l.last++
	go l.told(l.last, nil)
	return l.last, nil
}

func (l *snagLog) Resume(zero time.Time, id uuid.UUID, told func(uint64, error)) (time.Time, uuid.UUID, *sequencer.Sequencer, error) {
	l.told = told
	return zero, id, model.Make(lease.Live, nil).Freeze(), nil
}

type snagHandler struct {
	slog.Handler
	enabled, handle *snag
}

func (h snagHandler) Enabled(context.Context, slog.Level) bool { h.enabled.pull(); return true }

func (h snagHandler) Handle(context.Context, slog.Record) error { h.handle.pull(); return nil }

func (h snagHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

type snagMeter struct {
	noop.Meter
	fail *snag
}

func (m snagMeter) Int64Counter(string, ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return snagCounter{fail: m.fail}, nil
}

type snagCounter struct {
	noop.Int64Counter
	fail *snag
}

func (c snagCounter) Add(context.Context, int64, ...metric.AddOption) { c.fail.pull() }

// Whatever panics that the engine calls, it is the engine that ends, and not the process:
// whoever waits gets an error, and Stop returns. What looks on, only, ends nothing.
func TestCallbacksThatPanic(t *testing.T) {
	for _, c := range []struct {
		name   string
		option func(*snag) actors.Option
		looks  bool // the engine goes on
	}{
		{name: "reading the clock", option: func(s *snag) actors.Option {
			return actors.WithClock(snagClock{actors.SystemClock(), s, new(snag)})
		}},
		{name: "setting a timer", option: func(s *snag) actors.Option {
			return actors.WithClock(snagClock{actors.SystemClock(), new(snag), s})
		}},
		{name: "adding to the journal", option: func(s *snag) actors.Option {
			return actors.WithJournal(&snagLog{add: s, commit: new(snag)})
		}},
		{name: "committing to the journal", option: func(s *snag) actors.Option {
			return actors.WithJournal(&snagLog{add: new(snag), commit: s})
		}},
		{name: "watching", option: func(s *snag) actors.Option {
			return actors.WithWatch(func(*lease.Effect) { s.pull() })
		}},
		{name: "asking for batches", option: func(s *snag) actors.Option {
			return actors.WithBatchLimits(func() int { s.pull(); return 2 })
		}},
		{name: "asking whether to log", looks: true, option: func(s *snag) actors.Option {
			return actors.WithLogger(slog.New(snagHandler{enabled: s, handle: new(snag)}))
		}},
		{name: "logging", looks: true, option: func(s *snag) actors.Option {
			return actors.WithLogger(slog.New(snagHandler{enabled: new(snag), handle: s}))
		}},
		{name: "measuring", looks: true, option: func(s *snag) actors.Option { return actors.WithMeter(snagMeter{fail: s}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := new(snag)
				engine := start(t, newSystem(t), actors.WithClock(actors.SystemClock()), c.option(s))
				told := subscribe(t, engine, "a")
				s.set.Store(true)
				_, err := engine.Do(t.Context(), live0(lease.Acquire, "a", "L"))
				if c.looks {
					time.Sleep(time.Minute)
					if err != nil || engine.Err() != nil || !strings.Contains(told.take(), "lapsed") {
						t.Errorf("%v; %v; told %s", err, engine.Err(), told.take())
					}
				} else if !errors.Is(err, actors.ErrFailed) || !strings.Contains(err.Error(), "a snag") {
					t.Errorf("%v", err)
				}
				if _, err := engine.Do(t.Context(), live0(lease.Inspect, "", "L")); (err == nil) != c.looks {
					t.Errorf("the next one: %v", err)
				}
				if err := engine.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// An engine that has stopped answers what comes too late, whatever becomes of that.
func TestLateAnswersThatPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, goOn := stalled(t, 10)
		for range 3 {
			go func() {
				_ = engine.Submit(context.Background(), live0(lease.Acquire, "a", "L"), func(client.Answer) { panic("no more of this") })
			}()
			synctest.Wait()
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := engine.Stop(ended); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		goOn()
		if err := engine.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A panic at a lease's end, with nobody's call in hand, ends the engine as any other, and
// so does one in what a message to the engine asks it to call.
func TestPanicsWithNothingInHand(t *testing.T) {
	for _, message := range []any{
		nil,
		&sequencer.Subscription{Client: "b", To: new(listener), Done: func(error) { panic("a snag") }},
		&sequencer.Abandon{Client: "b", Done: func([]lease.Result, error) { panic("a snag") }},
		&sequencer.Survey{Read: func(*sequencer.Sequencer) error { return nil }, Done: func(error) { panic("a snag") }},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := new(snag)
			system := newSystem(t)
			engine := start(t, system, actors.WithClock(snagClock{actors.SystemClock(), s, new(snag)}))
			told := subscribe(t, engine, "a")
			ask(t, engine, lease.Acquire, "a", "L", 10)
			if message == nil {
				s.set.Store(true)
				time.Sleep(10 * time.Millisecond)
			} else {
				system.Root.Send(engine.PID(), message)
			}
			synctest.Wait()
			if err := engine.Err(); !errors.Is(err, actors.ErrFailed) || !strings.Contains(err.Error(), "a snag") {
				t.Errorf("%T: %v", message, err)
			}
			if got := told.take(); !strings.Contains(got, "ended: lkactor: engine failed") {
				t.Errorf("%T: told %s", message, got)
			}
			s.set.Store(false)
			if err := engine.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// Nobody cannot be told anything, and is refused before the engine hears of it.
func TestNobodyToTell(t *testing.T) {
	live(t, func(t *testing.T, engine *actors.Engine) {
		if err := engine.Submit(t.Context(), live0(lease.Acquire, "a", "L"), nil); err == nil || !strings.Contains(err.Error(), "submit acquire") {
			t.Errorf("Submit: %v", err)
		}
		if _, err := engine.Watch(t.Context(), "a", uuid.New(), nil); err == nil || !strings.Contains(err.Error(), `watch "a"`) {
			t.Errorf("Watch: %v", err)
		}
		if _, err := engine.Subscribe(t.Context(), "a", "", nil); err == nil || !strings.Contains(err.Error(), `subscribe to "a"`) {
			t.Errorf("Subscribe: %v", err)
		}
		if r, err := engine.Do(t.Context(), live0(lease.Status, "a", "")); err != nil || r.Detail.Client.Age != 0 {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

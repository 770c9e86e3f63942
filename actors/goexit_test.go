package actors_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// leaving is a subscriber that ends the goroutine which tells it of an event, as a test
// does that fails there.
type leaving struct{ at lease.EventKind }

func (l leaving) Tell(e lease.Event) {
	if e.Kind == l.at {
		runtime.Goexit()
	}
}

// A callback that ends its goroutine ends the engine, and nobody is left without an
// answer: not who was answered by that goroutine, nor who came later, nor who stops.
func TestCallbacksThatEndTheirGoroutine(t *testing.T) {
	for name, option := range map[string]func(*snag) actors.Option{
		"reading the clock": func(s *snag) actors.Option {
			return actors.WithClock(snagClock{actors.SystemClock(), s, new(snag)})
		},
		"setting a timer": func(s *snag) actors.Option {
			return actors.WithClock(snagClock{actors.SystemClock(), new(snag), s})
		},
		"adding to the journal":     func(s *snag) actors.Option { return actors.WithJournal(&snagLog{add: s, commit: new(snag)}) },
		"committing to the journal": func(s *snag) actors.Option { return actors.WithJournal(&snagLog{add: new(snag), commit: s}) },
		"watching":                  func(s *snag) actors.Option { return actors.WithWatch(func(*lease.Effect) { s.pull() }) },
		"asking for batches":        func(s *snag) actors.Option { return actors.WithBatchLimits(func() int { s.pull(); return 2 }) },
	} {
		for _, d := range []actors.Dispatch{actors.OwnGoroutine, actors.Inline, actors.ProtoDefault} {
			t.Run(name+"/"+d.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := &snag{leave: true}
					engine := start(t, newSystem(t), actors.WithClock(actors.SystemClock()), actors.WithDispatch(d), option(s))
					told := subscribe(t, engine, "a")
					s.set.Store(true)
					answers := make(chan error, 3)
					for range cap(answers) {
						go func() { // may serve the engine, and so be ended
							if err := engine.Submit(t.Context(), live0(lease.Acquire, "a", "L"), func(a client.Answer) { answers <- a.Err }); err != nil {
								answers <- err // it came too late already
							}
						}()
					}
					for range cap(answers) {
						if err := <-answers; !errors.Is(err, actors.ErrFailed) {
							t.Errorf("answered: %v", err)
						}
					}
					synctest.Wait()
					told.want(t, "current: age 0; ended: "+engine.Err().Error())
					endsInOrder(t, engine)
				})
			})
		}
	}
}

// Likewise a listener, with others before and after it in the same intake, who end
// theirs as well.
func TestListenersThatEndTheirGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, goOn := stalled(t, 20)
		last := new(listener)
		for _, s := range []lease.EventKind{lease.EventEnded, lease.EventEnded} {
			if _, err := engine.Subscribe(context.Background(), "b", "", leaving{s}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := engine.Subscribe(t.Context(), "b", "", last); err != nil {
			t.Fatal(err)
		}
		answers := make(chan error, 20)
		submit := func(leave bool) {
			go func() {
				err := engine.Submit(t.Context(), live0(lease.Acquire, "a", "L"), func(a client.Answer) {
					answers <- a.Err
					if leave {
						runtime.Goexit()
					}
				})
				if err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
		}
		submit(false) // holds up the others
		for i := range 12 {
			submit(i%3 == 1)
		}
		goOn()
		synctest.Wait()
		if len(answers) != 13 {
			t.Errorf("%d of 13 are answered", len(answers))
		}
		if got := last.take(); got != "current: age 0; ended: "+engine.Err().Error() {
			t.Errorf("told %s", got)
		}
		endsInOrder(t, engine)
	})
}

// endsInOrder wants an engine that has failed to answer whoever comes, by failure, and to
// stop.
func endsInOrder(t *testing.T, engine *actors.Engine) {
	t.Helper()
	if _, err := engine.Do(t.Context(), live0(lease.Inspect, "", "L")); !errors.Is(err, actors.ErrFailed) {
		t.Errorf("the next one: %v", err)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

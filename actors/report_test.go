package actors_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// A log has what whoever runs an engine should know, in the order in which it happened.
func TestWhatIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		handler := slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "engine" {
				return slog.Attr{}
			}
			return a
		}})
		engine := start(t, newSystem(t), actors.WithClock(actors.SystemClock()), actors.WithLogger(slog.New(handler)))
		ask(t, engine, lease.Acquire, "a", "L", 100)
		ask(t, engine, lease.Acquire, "b", "M", 100)
		ask(t, engine, lease.Acquire, "a", "M", 100)
		ask(t, engine, lease.Acquire, "b", "L", 100)
		ask(t, engine, lease.Evict, "a", "L", 0)
		time.Sleep(time.Second)
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := `level=INFO msg="engine starts" clock=true journal=false
level=INFO msg=deadlock requester=b victim=b cycle="\"b\" waits for \"L\" of \"a\" waits for \"M\" of \"b\""
level=INFO msg=evicted client=a lock=L token=1
level=DEBUG msg="lease has run out" client=a lock=M token=2
level=INFO msg="engine has stopped"
`
		if log.String() != want {
			t.Errorf("logged:\n%s", log.String())
		}
	})
}

// stuck is a handler of logs that hangs until it is let go.
type stuck struct {
	slog.Handler
	goOn chan struct{}
}

func (s stuck) Handle(ctx context.Context, r slog.Record) error {
	<-s.goOn
	return s.Handler.Handle(ctx, r)
}

func (s stuck) WithAttrs(a []slog.Attr) slog.Handler { return stuck{s.Handler.WithAttrs(a), s.goOn} }

// A log that hangs holds up nobody but who stops the engine, and says what it has
// missed.
func TestALogThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		goOn := make(chan struct{})
		handler := stuck{slog.NewTextHandler(&log, nil), goOn}
		engine := start(t, newSystem(t), actors.WithClock(actors.SystemClock()), actors.WithLogger(slog.New(handler)))
		for range 1000 {
			ask(t, engine, lease.Acquire, "a", "L", 100)
			ask(t, engine, lease.Evict, "a", "L", 0)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := engine.Stop(ctx); err == nil {
			t.Error("stopped without having written its log")
		}
		close(goOn)
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		evictions := strings.Count(log.String(), "msg=evicted")
		if evictions < 200 || evictions > 300 || strings.Count(log.String(), "lines of this log were dropped") != 1 {
			t.Errorf("%d of 1000 evictions are in a log of\n%s", evictions, log.String()[:500])
		}
	})
}

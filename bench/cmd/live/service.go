package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/rounds"
)

// form is one way to run an engine.
type form struct {
	name    string
	options []actors.Option
	live    bool
}

var forms = []form{
	{name: "no clock, own goroutine", options: []actors.Option{actors.WithDispatch(actors.OwnGoroutine)}},
	{name: "clock, own goroutine", options: []actors.Option{actors.WithDispatch(actors.OwnGoroutine)}, live: true},
	{name: "clock, own goroutine, metrics", options: []actors.Option{actors.WithDispatch(actors.OwnGoroutine), measured()}, live: true},
	{name: "clock, inline", options: []actors.Option{actors.WithDispatch(actors.Inline)}, live: true},
}

// measured has metrics recorded, as somebody would who looks at them.
func measured() actors.Option {
	provider := metric.NewMeterProvider(metric.WithReader(metric.NewManualReader()))
	return actors.WithMeter(provider.Meter("lkactor"))
}

// liveForms are those with a clock.
func liveForms() (all []form) {
	for _, f := range forms {
		if f.live {
			all = append(all, f)
		}
	}
	return all
}

// service is an engine in an actor system of its own.
type service struct {
	*actors.Engine
	system *actor.ActorSystem
	ttl    lease.Duration // longer than anything here takes
}

func open(f form) (*service, error) {
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }))
	s := &service{system: system, ttl: lease.MaxTTLSeconds}
	options := f.options
	if f.live {
		options = append(slices.Clone(options), actors.WithClock(actors.SystemClock()))
		s.ttl = lease.MaxTTLNanoseconds
	}
	var err error
	s.Engine, err = actors.Start(system, options...)
	return s, err
}

func (s *service) close() error {
	err := s.Stop(context.Background())
	s.system.Shutdown()
	return err
}

// must does an operation that is to have this outcome.
func (s *service) must(op lease.Operation, want lease.Outcome) (lease.Result, error) {
	r, err := s.Do(context.Background(), op)
	if err == nil && r.Outcome != want {
		err = fmt.Errorf("%v of %s by %s: outcome %d, %v", op.Kind, op.Lock, op.Client, r.Outcome, r.Code)
	}
	return r, err
}

// spread writes times as a row of a table.
func (p plan) spread(name string, times []int64) {
	slices.Sort(times)
	fmt.Fprintf(p.out, "| %s | %d |", name, len(times))
	for _, share := range []float64{0.5, 0.9, 0.99, 0.999, 1} {
		fmt.Fprintf(p.out, " %v |", time.Duration(rounds.Quantile(times, share)).Round(time.Microsecond/10))
	}
	fmt.Fprintln(p.out)
}

// header writes the head of a table of spreads.
func (p plan) header(title, what string) {
	fmt.Fprintf(p.out, "\n## %s\n\n| | %s | median | 90 %% | 99 %% | 99.9 %% | most |\n|---|---|---|---|---|---|---|\n", title, what)
}

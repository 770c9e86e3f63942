package actors

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/leasekeeper/lkactor/actors/internal/gauge"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
)

// metrics hands on what an engine with a clock measures to OpenTelemetry. On the
// sequencer's turn it only writes samples down; a goroutine of its own, woken once an
// intake, records them, and where that is too slow the rest is counted.
type metrics struct {
	book    *gauge.Book
	samples chan []gauge.Sample
	spare   chan []gauge.Sample
	rest    []gauge.Sample // when the channel is closed
	done    chan struct{}

	mu     sync.Mutex // guards what is read when metrics are collected
	counts sequencer.Counts
	waits  int
	missed uint64
	broken uint64 // samples at which an instrument panicked, and those behind them

	instruments  instruments
	registration metric.Registration
}

// instruments are what is recorded into, one by one.
type instruments struct {
	grants, lapses, deadlocks, victims metric.Int64Counter
	waits, holds                       metric.Float64Histogram
	queues, batches                    metric.Int64Histogram
}

var _ sequencer.Meter = (*metrics)(nil)

const (
	// samplesKept is how many samples may wait to be recorded, beside one intake's.
	samplesKept = 1 << 14
	// chunksKept is how many intakes' samples may be on their way.
	chunksKept = 8
)

// Buckets of histograms, their upper bounds.
var (
	secondsBuckets = []float64{.0001, .0003, .001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 100, 300, 1000, 3600}
	countBuckets   = []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384}
)

// newMetrics makes the instruments; nil without a meter. refused tells how many operations
// found no room.
func newMetrics(meter metric.Meter, refused func() uint64) (*metrics, error) {
	if meter == nil {
		return nil, nil
	}
	m := &metrics{
		book:    gauge.New(samplesKept),
		samples: make(chan []gauge.Sample, chunksKept),
		spare:   make(chan []gauge.Sample, chunksKept),
		done:    make(chan struct{}),
	}
	if err := errors.Join(m.instruments.make(meter), m.observe(meter, refused)); err != nil {
		return nil, err
	}
	go m.record()
	return m, nil
}

func (i *instruments) make(meter metric.Meter) error {
	var errs [8]error
	counter := func(at int, name, unit, what string) (c metric.Int64Counter) {
		c, errs[at] = meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(what))
		return c
	}
	seconds := func(at int, name, what string) (h metric.Float64Histogram) {
		h, errs[at] = meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(what),
			metric.WithExplicitBucketBoundaries(secondsBuckets...))
		return h
	}
	sizes := func(at int, name, unit, what string) (h metric.Int64Histogram) {
		h, errs[at] = meter.Int64Histogram(name, metric.WithUnit(unit), metric.WithDescription(what),
			metric.WithExplicitBucketBoundaries(countBuckets...))
		return h
	}
	i.grants = counter(0, "lkactor.grants", "{lease}", "Leases granted, on the spot or out of the queue (waited).")
	i.lapses = counter(1, "lkactor.lapses", "{lease}", "Leases that ran out.")
	i.deadlocks = counter(2, "lkactor.deadlocks", "{deadlock}", "Acquires that closed a cycle.")
	i.victims = counter(3, "lkactor.victims", "{client}", "Clients aborted to break cycles.")
	i.waits = seconds(4, "lkactor.wait.duration", "How long requests were in a queue, until a grant or not (granted).")
	i.holds = seconds(5, "lkactor.hold.duration", "How long leases lasted, by how they ended (end).")
	i.queues = sizes(6, "lkactor.queue.length", "{request}", "Length of a lock's queue when a request had joined it.")
	i.batches = sizes(7, "lkactor.batch.size", "{operation}", "Operations that ran together.")
	return errors.Join(errs[:]...)
}

// observe registers what is read when metrics are collected.
func (m *metrics) observe(meter metric.Meter, refused func() uint64) (err error) {
	var errs [5]error
	counter := func(at int, name, unit, what string) (c metric.Int64ObservableCounter) {
		c, errs[at] = meter.Int64ObservableCounter(name, metric.WithUnit(unit), metric.WithDescription(what))
		return c
	}
	operations := counter(0, "lkactor.operations", "{operation}", "Operations handled, ticks included.")
	visits := counter(1, "lkactor.graph.visits", "{edge}", "Edges of the wait-for graph looked at for cycles.")
	missed := counter(2, "lkactor.samples.dropped", "{sample}", "Measurements that could not be recorded in time.")
	waiting, err := meter.Int64ObservableGauge("lkactor.waiting", metric.WithUnit("{request}"),
		metric.WithDescription("Requests in queues."))
	errs[3] = err
	overloads := counter(4, "lkactor.operations.refused", "{operation}", "Operations for which the engine had no room.")
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	m.registration, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		o.ObserveInt64(operations, int64(m.counts.Operations))
		o.ObserveInt64(visits, int64(m.counts.Steps))
		o.ObserveInt64(missed, int64(m.missed+m.broken))
		o.ObserveInt64(overloads, int64(refused()))
		o.ObserveInt64(waiting, int64(m.waits))
		return nil
	}, operations, visits, missed, waiting, overloads)
	return err
}

// Effect measures an effect.
func (m *metrics) Effect(e *lease.Effect, seq uint64) { m.book.Effect(e, seq) }

// Batch measures a batch.
func (m *metrics) Batch(operations int) { m.book.Batch(operations) }

// Turn has the samples of an intake recorded, with the next one's if the last ones'
// are still on their way.
func (m *metrics) Turn(c sequencer.Counts, waits int) {
	m.mu.Lock()
	m.counts, m.waits, m.missed = c, waits, m.book.Missed()
	m.mu.Unlock()
	if m.book.Len() == 0 || len(m.samples) == cap(m.samples) {
		return
	}
	var spare []gauge.Sample
	select {
	case spare = <-m.spare:
	default:
	}
	m.samples <- m.book.Take(spare) // there is room: nobody else sends
}

// record is the goroutine.
func (m *metrics) record() {
	defer close(m.done)
	for samples := range m.samples {
		m.write(samples)
		select {
		case m.spare <- samples:
		default:
		}
	}
	m.write(m.rest)
	defer func() { _ = recover() }()
	// It only ever fails for a meter that knows nothing of the engine any more.
	_ = m.registration.Unregister()
}

// write records samples. Should an instrument panic, the rest of them is dropped: nothing
// of the engine depends on who measures it.
func (m *metrics) write(samples []gauge.Sample) {
	written := 0
	defer func() {
		if recover() != nil {
			m.mu.Lock()
			m.broken += uint64(len(samples) - written)
			m.mu.Unlock()
		}
	}()
	for i := range samples {
		m.instruments.record(&samples[i])
		written++
	}
}

// Attributes, made once.
var (
	waited  = byTruth("waited")
	granted = byTruth("granted")
	ended   = [...]metric.MeasurementOption{
		lease.Lapse:    byWord("end", lease.Lapse.String()),
		lease.GivenUp:  byWord("end", lease.GivenUp.String()),
		lease.Eviction: byWord("end", lease.Eviction.String()),
		lease.Abortion: byWord("end", lease.Abortion.String()),
	}
)

func byTruth(key string) map[bool]metric.MeasurementOption {
	of := func(v bool) metric.MeasurementOption {
		return metric.WithAttributeSet(attribute.NewSet(attribute.Bool(key, v)))
	}
	return map[bool]metric.MeasurementOption{false: of(false), true: of(true)}
}

func byWord(key, word string) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(attribute.String(key, word)))
}

func (i *instruments) record(s *gauge.Sample) {
	ctx := context.Background()
	switch s.Kind {
	case gauge.Grant:
		i.grants.Add(ctx, s.Value, waited[s.Waited])
	case gauge.Wait:
		i.waits.Record(ctx, time.Duration(s.Value).Seconds(), granted[s.Waited])
	case gauge.Hold:
		i.holds.Record(ctx, time.Duration(s.Value).Seconds(), ended[s.Reason])
		if s.Reason == lease.Lapse {
			i.lapses.Add(ctx, 1)
		}
	case gauge.Queue:
		i.queues.Record(ctx, s.Value)
	case gauge.Deadlock:
		i.deadlocks.Add(ctx, s.Value)
	case gauge.Victim:
		i.victims.Add(ctx, s.Value)
	case gauge.Batch:
		i.batches.Record(ctx, s.Value)
	}
}

// close lets what was measured be recorded, on the sequencer's last turn; it does
// not wait for that.
func (m *metrics) close() {
	if m != nil {
		m.rest = m.book.Take(nil)
		close(m.samples)
	}
}

// recorded is closed when all has been recorded.
func (m *metrics) recorded() <-chan struct{} {
	if m == nil {
		return closed
	}
	return m.done
}

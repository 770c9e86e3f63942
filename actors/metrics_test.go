package actors_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/goleak"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// collect gives all metrics, one line each and attribute, sorted; of a histogram how
// many values there are and their sum.
func collect(t *testing.T, reader sdk.Reader) []string {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			add := func(attributes, format string, args ...any) {
				lines = append(lines, strings.TrimPrefix(m.Name, "lkactor.")+attributes+" "+fmt.Sprintf(format, args...))
			}
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					add(p.Attributes.Encoded(encoder{}), "%d", p.Value)
				}
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					add(p.Attributes.Encoded(encoder{}), "%d", p.Value)
				}
			case metricdata.Histogram[int64]:
				for _, p := range data.DataPoints {
					add(p.Attributes.Encoded(encoder{}), "%d of %d", p.Count, p.Sum)
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					add(p.Attributes.Encoded(encoder{}), "%d of %.3f", p.Count, p.Sum)
				}
			default:
				t.Errorf("%s is %T", m.Name, m.Data)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// What happens in an engine is measured, each thing once.
func TestMetrics(t *testing.T) {
	reader := sdk.NewManualReader()
	meter := sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("test")
	clock := newHandClock()
	engine := start(t, newSystem(t), actors.WithClock(clock), actors.WithMeter(meter), actors.WithForget(0))
	ask(t, engine, lease.Acquire, "a", "L", 100)
	ask(t, engine, lease.Acquire, "b", "L", 50)
	ask(t, engine, lease.Acquire, "c", "L", 1000)
	clock.advance(100 * time.Millisecond) // a's lease ends
	ask(t, engine, lease.Release, "c", "L", 0)
	clock.advance(20 * time.Millisecond)
	ask(t, engine, lease.Release, "b", "L", 0)
	ask(t, engine, lease.Acquire, "a", "L", 100)
	ask(t, engine, lease.Acquire, "b", "M", 100)
	ask(t, engine, lease.Acquire, "a", "M", 100)
	ask(t, engine, lease.Acquire, "b", "L", 100) // aborted, a gets M
	ask(t, engine, lease.Acquire, "c", "M", 100)
	ask(t, engine, lease.Evict, "a", "M", 0)
	ask(t, engine, lease.Acquire, "a", "M", 100)
	observed := collect(t, reader)
	for _, want := range []string{"operations 13", "waiting 1", "samples.dropped 0"} {
		if !slices.Contains(observed, want) {
			t.Errorf("no %q in %q", want, observed)
		}
	}
	if visits := slices.IndexFunc(observed, func(l string) bool { return strings.HasPrefix(l, "graph.visits ") }); visits < 0 || observed[visits] == "graph.visits 0" {
		t.Errorf("no visits in %q", observed)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range collect(t, reader) {
		if !strings.HasPrefix(line, "batch.size ") { // as the calls happened to come
			got = append(got, line)
		}
	}
	want := []string{
		"deadlocks 1",
		"grants{waited=false} 3", "grants{waited=true} 3",
		"hold.duration{end=aborted} 1 of 0.000", "hold.duration{end=evicted} 1 of 0.000",
		"hold.duration{end=lapsed} 1 of 0.100", "hold.duration{end=released} 1 of 0.020",
		"lapses 1",
		"queue.length 6 of 7",
		"victims 1",
		"wait.duration{granted=false} 2 of 0.100", "wait.duration{granted=true} 3 of 0.100",
	}
	if !slices.Equal(got, want) {
		t.Errorf("measured\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A meter that makes no instruments is an error at the start, and nothing is left.
func TestBadMeter(t *testing.T) {
	system := newSystem(t)
	base := goleak.IgnoreCurrent()
	if _, err := actors.Start(system, actors.WithClock(actors.SystemClock()), actors.WithMeter(brokenMeter{})); err == nil || !strings.Contains(err.Error(), "no instruments today") {
		t.Error(err)
	}
	goleak.VerifyNone(t, base)
}

type brokenMeter struct{ noop.Meter }

func (brokenMeter) Int64Counter(string, ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return nil, errors.New("no instruments today")
}

// encoder writes attributes as {key=value,…}, or nothing for none.
type encoder struct{}

func (encoder) Encode(all attribute.Iterator) string {
	var parts []string
	for all.Next() {
		parts = append(parts, string(all.Attribute().Key)+"="+all.Attribute().Value.Emit())
	}
	if len(parts) == 0 {
		return ""
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (encoder) ID() attribute.EncoderID { return encoderID }

var encoderID = attribute.NewEncoderID()

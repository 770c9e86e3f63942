package replay

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

// runnerFunc is a function as a Runner.
type runnerFunc func(ctx context.Context, ops []lease.Operation, results []lease.Result) error

func (f runnerFunc) Run(ctx context.Context, ops []lease.Operation, results []lease.Result) error {
	return f(ctx, ops, results)
}

// echo answers every operation with a lease that ends at its ts: each operation
// gets a result of its own.
var echo = runnerFunc(func(_ context.Context, ops []lease.Operation, results []lease.Result) error {
	for i := range ops {
		results[i] = lease.Result{Outcome: lease.Granted, Token: 1, Until: ops[i].At}
	}
	return nil
})

// statuses is a log in Lines of count operations with ts 0, 1, 2 …
func statuses(count int) string {
	var log strings.Builder
	for i := range count {
		fmt.Fprintf(&log, "[\"status\",%d,\"c\"]\n", i)
	}
	return log.String()
}

// echoes is what echo makes of them.
func echoes(count int) string {
	var results strings.Builder
	for i := range count {
		fmt.Fprintf(&results, "[\"granted\",1,%d]\n", i)
	}
	return results.String()
}

// replayLines replays a log in Lines.
func replayLines(ctx context.Context, log io.Reader, runner Runner) (results string, s Summary, err error) {
	var out bytes.Buffer
	s, err = Replay(ctx, oplog.NewDecoder(log, "log", oplog.Lines), runner, oplog.NewEncoder(&out, oplog.Lines), nil)
	return out.String(), s, err
}

func TestReplayKeepsTheOrder(t *testing.T) {
	for _, count := range []int{0, 1, batchSize - 1, batchSize, batchSize + 1, 20 * batchSize} {
		results, s, err := replayLines(context.Background(), strings.NewReader(statuses(count)), echo)
		if err != nil || s.Operations != int64(count) || s.Back != nil {
			t.Errorf("%d operations: %+v, %v", count, s, err)
		}
		if results != echoes(count) {
			t.Errorf("%d operations: the results are not those of the operations in their order", count)
		}
	}
}

func TestReplayWritesAnArray(t *testing.T) {
	for log, want := range map[string]string{
		"[]":                    "[]\n",
		`[["status",7,"c"],[]]`: "[\n[\"granted\",1,7],\n[\"granted\",1,0]\n]\n",
		`[["status",7,"c"],[]`:  "[\n[\"granted\",1,7],\n[\"granted\",1,0]\n",
		`no log`:                "",
	} {
		var out bytes.Buffer
		_, err := Replay(context.Background(), oplog.NewDecoder(strings.NewReader(log), "log", oplog.Array), echo,
			oplog.NewEncoder(&out, oplog.Array), nil)
		if out.String() != want {
			t.Errorf("%s gives %q, want %q", log, out.String(), want)
		}
		var syntax *oplog.SyntaxError
		if whole := strings.HasSuffix(log, "]]") || log == "[]"; whole != (err == nil) || !whole && !errors.As(err, &syntax) {
			t.Errorf("%s ends with %v", log, err)
		}
	}
}

func TestResultsBeforeABadLineAreWritten(t *testing.T) {
	for _, count := range []int{0, 3, 3 * batchSize} {
		results, s, err := replayLines(context.Background(), strings.NewReader(statuses(count)+"oops\n"+statuses(5)), echo)
		var syntax *oplog.SyntaxError
		if !errors.As(err, &syntax) || syntax.Line != count+1 {
			t.Errorf("error is %v", err)
		}
		if results != echoes(count) || s.Operations != int64(count) {
			t.Errorf("%d bytes of results, %d operations, want %d", len(results), s.Operations, count)
		}
	}
}

func TestResultsBeforeAFailureAreWritten(t *testing.T) {
	broken := errors.New("broken")
	batches := 0
	runner := runnerFunc(func(ctx context.Context, ops []lease.Operation, results []lease.Result) error {
		if batches++; batches == 3 {
			return broken
		}
		return echo(ctx, ops, results)
	})
	results, s, err := replayLines(context.Background(), strings.NewReader(statuses(9*batchSize)), runner)
	if err != broken {
		t.Errorf("error is %v", err)
	}
	if results == "" || !strings.HasPrefix(echoes(9*batchSize), results) || int64(strings.Count(results, "\n")) != s.Operations {
		t.Errorf("%d bytes of results, %+v", len(results), s)
	}
}

// failing is an output that takes so many bytes.
type failing struct {
	room int
	err  error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, f.err
	}
	return len(p), nil
}

func TestOutputErrorsEndTheReplay(t *testing.T) {
	full := errors.New("full")
	for _, count := range []int{1, 100 * batchSize} {
		in := oplog.NewDecoder(strings.NewReader(statuses(count)), "log", oplog.Lines)
		_, err := Replay(context.Background(), in, echo, oplog.NewEncoder(&failing{room: 10, err: full}, oplog.Lines), nil)
		var output *OutputError
		if !errors.As(err, &output) || !errors.Is(err, full) {
			t.Errorf("%d operations: error is %v", count, err)
		}
	}
}

func TestAnswersComeWhileTheLogGoesOn(t *testing.T) {
	log, typist := io.Pipe()
	reader, screen := io.Pipe()
	done := make(chan error)
	go func() {
		in, out := oplog.NewDecoder(log, "log", oplog.Lines), oplog.NewEncoder(screen, oplog.Lines)
		_, err := Replay(context.Background(), in, echo, out, nil)
		done <- err
	}()
	answers := bufio.NewReader(reader)
	for i := range 5 {
		fmt.Fprintf(typist, "[\"status\",%d,\"c\"]\n", i)
		if answer, err := answers.ReadString('\n'); err != nil || answer != fmt.Sprintf("[\"granted\",1,%d]\n", i) {
			t.Fatalf("answer %d is %q, %v", i, answer, err)
		}
	}
	typist.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestInterruptionWhileTheInputIsSilent(t *testing.T) {
	log, typist := io.Pipe()
	defer typist.Close() // lets the decoder go
	ctx, cancel := context.WithCancel(context.Background())
	ran := runnerFunc(func(ctx context.Context, ops []lease.Operation, results []lease.Result) error {
		defer cancel()
		return echo(ctx, ops, results)
	})
	go io.WriteString(typist, statuses(1))
	results, s, err := replayLines(ctx, log, ran)
	if !errors.Is(err, context.Canceled) || results != echoes(1) || s.Operations != 1 {
		t.Errorf("results %q, %+v, %v", results, s, err)
	}
}

func TestInterruptionOfARun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stuck := runnerFunc(func(ctx context.Context, _ []lease.Operation, _ []lease.Result) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	results, _, err := replayLines(ctx, strings.NewReader(statuses(10*batchSize)), stuck)
	if !errors.Is(err, context.Canceled) || results != "" {
		t.Errorf("results %q, %v", results, err)
	}
}

func TestProgressGrowsToTheEnd(t *testing.T) {
	log := statuses(50 * batchSize)
	last, calls := int64(0), 0
	_, err := Replay(context.Background(), oplog.NewDecoder(strings.NewReader(log), "log", oplog.Lines), echo,
		oplog.NewEncoder(io.Discard, oplog.Lines), func(offset int64) {
			if offset < last {
				t.Errorf("offset %d after %d", offset, last)
			}
			last = offset
			calls++
		})
	if err != nil || calls < 50 || last != int64(len(log)) {
		t.Errorf("%d calls up to offset %d of %d, %v", calls, last, len(log), err)
	}
}

// A repeat goes alone, so that nothing waits to be written until it has ended.
func TestRepeatsGoAlone(t *testing.T) {
	one, many := lease.Operation{Kind: lease.Inspect}, lease.Operation{Kind: lease.Repeat}
	for _, test := range []struct {
		ops  []lease.Operation
		want int
	}{
		{nil, 0},
		{[]lease.Operation{one, one}, 2},
		{[]lease.Operation{one, one, many, one}, 2},
		{[]lease.Operation{many, one}, 1},
		{[]lease.Operation{many, many}, 1},
	} {
		if got := cutAtRepeat(test.ops); got != test.want {
			t.Errorf("%d of %d operations go together, want %d", got, len(test.ops), test.want)
		}
	}
}

package replay

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

const header = `{"lkactor":1,"unit":"ns","zero":"2026-03-01T08:30:00Z","engine":"0f8b4c1e-9a55-4f0a-8d3c-6f1f4a2b7c90"}` + "\n"

// models starts a model in whatever dialect and counts how often.
func models(starts *[]lease.Dialect) Runner {
	return InDialect(func(d lease.Dialect) (Runner, error) {
		*starts = append(*starts, d)
		return Check(modelRunner{model.Make(d, nil)}, model.Make(d, nil)), nil
	})
}

func TestE1_TheRunnerStartsInTheDialectOfTheLog(t *testing.T) {
	const ops = `["tick",5]` + "\n" + `["acquire",6,"c","L",60]` + "\n" + `["acquire",6,"c","L",1000000,{"id":"r"}]` + "\n" + `["inspect",4,"L"]` + "\n"
	tests := []struct {
		log, results string
		dialect      lease.Dialect
		back         StepBack
	}{
		{ops, `"error: unknown operation"` + "\n" + `["granted",1,66]` + "\n" + `"error: invalid arguments"` + "\n" +
			`{"holders":[["c","exclusive",1,66]],"queue":[]}` + "\n", lease.Plain, StepBack{4, 4, 6}},
		{header + ops, `null` + "\n" + `"error: invalid ttl"` + "\n" + `["granted",1,1000006]` + "\n" +
			`{"holders":[["c","exclusive",1,1000006]],"queue":[]}` + "\n", lease.Live, StepBack{4, 4, 6}},
	}
	for _, test := range tests {
		var starts []lease.Dialect
		results, s, err := replayLines(context.Background(), strings.NewReader(test.log), models(&starts))
		if err != nil || results != test.results || s.Operations != 4 || s.Back == nil || *s.Back != test.back {
			t.Errorf("%s gives\n%s%+v, %v", test.log, results, s, err)
		}
		if len(starts) != 1 || starts[0] != test.dialect {
			t.Errorf("started in %v", starts)
		}
	}
}

func TestRunnersStartOnce(t *testing.T) {
	var starts []lease.Dialect
	log := header + strings.Repeat(`["tick",1]`+"\n", 5*batchSize)
	results, _, err := replayLines(context.Background(), strings.NewReader(log), models(&starts))
	if err != nil || results != strings.Repeat("null\n", 5*batchSize) || len(starts) != 1 {
		t.Errorf("%d bytes of results, %d starts, %v", len(results), len(starts), err)
	}
}

func TestWithoutOperationsNothingStarts(t *testing.T) {
	for _, log := range []string{"", "\n\n", header, "oops\n", `{"lkactor":2}` + "\n" + `["tick",1]` + "\n", header + "oops\n"} {
		var starts []lease.Dialect
		results, s, err := replayLines(context.Background(), strings.NewReader(log), models(&starts))
		var syntax *oplog.SyntaxError
		if bad := strings.Contains(log, "oops") || strings.Contains(log, "2}"); bad != errors.As(err, &syntax) {
			t.Errorf("%q ends with %v", log, err)
		}
		if results != "" || s.Operations != 0 || len(starts) > 0 {
			t.Errorf("%q gives %q, %+v, %d starts", log, results, s, len(starts))
		}
	}
}

func TestRunnersOfPlainLogsRefuseLiveOnes(t *testing.T) {
	for _, runner := range []Runner{echo, Check(modelRunner{model.New()}, model.New())} {
		results, s, err := replayLines(context.Background(), strings.NewReader(header+`["tick",1]`+"\n"), runner)
		if err != ErrPlainOnly || results != "" || s.Operations != 0 {
			t.Errorf("%q, %+v, %v", results, s, err)
		}
	}
}

func TestStartsThatFailEndTheReplay(t *testing.T) {
	broken := errors.New("broken")
	runner := InDialect(func(lease.Dialect) (Runner, error) { return nil, broken })
	results, s, err := replayLines(context.Background(), strings.NewReader(statuses(3*batchSize)), runner)
	if err != broken || results != "" || s.Operations != 0 {
		t.Errorf("%q, %+v, %v", results, s, err)
	}
}

func TestInterruptionBeforeTheFirstEntry(t *testing.T) {
	log, typist := io.Pipe()
	defer typist.Close() // lets the decoder go
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var starts []lease.Dialect
	results, _, err := replayLines(ctx, log, models(&starts))
	if !errors.Is(err, context.Canceled) || results != "" || len(starts) > 0 {
		t.Errorf("results %q, %d starts, %v", results, len(starts), err)
	}
}

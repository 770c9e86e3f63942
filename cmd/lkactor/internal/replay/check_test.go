package replay

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
)

func TestCheckOfAgreement(t *testing.T) {
	log := strings.Repeat(`["acquire",1,"a","L",5]`+"\n"+`["inspect",2,"L"]`+"\n"+`["release",2,"a","L"]`+"\n", batchSize)
	plain, _, err := replayLines(context.Background(), strings.NewReader(log), modelRunner{model.New()})
	if err != nil {
		t.Fatal(err)
	}
	checked, s, err := replayLines(context.Background(), strings.NewReader(log), Check(modelRunner{model.New()}, model.New()))
	if err != nil || s.Operations != 3*batchSize {
		t.Errorf("%+v, %v", s, err)
	}
	if checked != plain {
		t.Error("a check changes the results")
	}
}

func TestCheckStopsAtTheFirstDifference(t *testing.T) {
	const wrong = 2*batchSize + 7 // counted from 1
	seen := 0
	engine := modelRunner{model.New()}
	faulty := runnerFunc(func(ctx context.Context, ops []lease.Operation, results []lease.Result) error {
		if err := engine.Run(ctx, ops, results); err != nil {
			return err
		}
		for i := range ops {
			if seen++; seen >= wrong {
				results[i] = lease.Fail(lease.ClientBusy)
			}
		}
		return nil
	})
	log := strings.Repeat(`["status",1,"a"]`+"\n", 5*batchSize)
	results, s, err := replayLines(context.Background(), strings.NewReader(log), Check(faulty, model.New()))
	var difference *Difference
	if !errors.As(err, &difference) || difference.Number != wrong {
		t.Fatalf("error is %v", err)
	}
	want := `operation 1031 differs:
["status",1,"a"]
engine: "error: client busy"
model:  {"age":null,"holds":[],"waiting":null}`
	if err.Error() != want {
		t.Errorf("message is\n%v, want\n%s", err, want)
	}
	if s.Operations != wrong-1 || results != strings.Repeat(`{"age":null,"holds":[],"waiting":null}`+"\n", wrong-1) {
		t.Errorf("%d operations before the difference, want %d", s.Operations, wrong-1)
	}
}

func TestCheckPassesErrorsOn(t *testing.T) {
	broken := errors.New("broken")
	engine := runnerFunc(func(context.Context, []lease.Operation, []lease.Result) error { return broken })
	if _, _, err := replayLines(context.Background(), strings.NewReader("1\n"), Check(engine, model.New())); err != broken {
		t.Errorf("error is %v", err)
	}
}

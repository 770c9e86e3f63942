package fencetest

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// tokenFaults are the ways of comparing tokens that go wrong only with some.
var tokenFaults = []string{"compares as int32", "compares as uint32", "compares as float32", "compares as float64",
	"compares as text", "forgets after the greatest token", "takes tokens far behind"}

// writeFaults are the faults that a store has with some kinds of writes only.
func writeFaults(what string) []string {
	var faults []string
	for _, kind := range []string{"an empty value", "a value that is there", "a value over 4 KiB", "a key over 200 bytes",
		"a key named like its scope", "a key that is there", "a key that is not there yet"} {
		faults = append(faults, what+kind)
	}
	return faults
}

// faults says, for each property, which broken stores it must catch by itself.
var faults = map[string][]string{
	"F1_FirstWrite":              {"wants the first token to be 1", "gives way for ever"},
	"F1_StaleIsRefused":          {"checks nothing", "forgives by one", "refuses without saying why", "refuses without the tokens", "names the wrong token", "names no scope", "says nothing of a refusal"},
	"F1_RefusalChangesNothing":   {"stores before it compares", "takes the token of a refused write", "stores new keys of anybody"},
	"F1_StaleWhateverIsWritten":  slices.Concat(tokenFaults, writeFaults("does not fence "), writeFaults("refuses, and keeps the token of, ")),
	"F1_MarkWhateverIsWritten":   writeFaults("keeps no token of "),
	"F1_TokensOfAnySize":         append(tokenFaults, "shuns tokens far ahead"),
	"F1_EqualTokenAgain":         {"refuses an equal token", "first value stays"},
	"F1_ManyKeysUnderOneToken":   {"keeps a token for each key", "refuses an equal token", "stores new keys of anybody"},
	"F1_PauseAndResume":          {"checks nothing", "keeps a token for each key", "stores before it compares"},
	"F2_ReadsTheLastAccepted":    {"first value stays", "reads nothing as empty", "shares equal values", "does not truncate"},
	"P1_ReopenKeepsTheMark":      {"forgets when opened", "forgets values when opened", "cannot be closed", "keeps tokens as float64", "keeps tokens as int32"},
	"P2_Race":                    {"checks, then writes", "writes in two halves", "says conflict of what is done", "checks nothing", "first value stays", "keeps a token for each key", "takes the token of a refused write"},
	"P2_KilledAnywhere":          {"value before token", "says done when killed", "says not done of what is", "says stale when interrupted", "never looks at the context", "cannot be killed", "killed holding the lock"},
	"P3_IndependentScopes":       {"keeps one token for all scopes", "keys without scope"},
	"P3_ScopeAndKeyAreTwoThings": {"joins scope and key", "runs scope and key together"},
	"O6_ArgumentsAreChecked":     {"takes any token", "takes any name", "takes broken Unicode"},
	"O10_StrangeNames":           {"folds case", "trims", "ends at NUL", "cleans paths", "normalises", "cuts long names", "keeps the token under a key", "takes keys for paths"},
	"O10_StrangeValues":          {"drops empty values", "drops what is no text"},
	"CancelledContext":           {"never looks at the context", "looks at the context too late"},
}

func judged(p property, fault string) []string {
	m := newMedium(fault)
	return newKit(m.open, []Option{WithDeath(m.mortal)}).judge(p)
}

// The kit passes the store that is not broken, and every property catches every
// store that is broken in its way.
func TestKitCatches(t *testing.T) {
	for _, p := range properties {
		t.Run(p.name, func(t *testing.T) {
			if failures := judged(p, ""); len(failures) > 0 {
				t.Errorf("an unbroken store: %q", failures)
			}
			if len(faults[p.name]) == 0 {
				t.Error("no broken store proves this property")
			}
			for _, fault := range faults[p.name] {
				if failures := judged(p, fault); len(failures) == 0 {
					t.Errorf("a store that %s passes", fault)
				} else {
					t.Logf("a store that %s: %s", fault, failures[0])
				}
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(faults)) {
		if !slices.ContainsFunc(properties, func(p property) bool { return p.name == name }) {
			t.Errorf("no property is called %s", name)
		}
	}
}

// stuck is a store that never answers a write until its context ends.
type stuck struct{ fence.Store }

func (stuck) Write(ctx context.Context, _, _, _ string, _ lease.Token) error {
	<-ctx.Done()
	return ctx.Err()
}

// A store that hangs fails; it does not hang the test.
func TestPatienceEnds(t *testing.T) {
	for _, p := range properties {
		m := newMedium("")
		k := newKit(func() fence.Store { return stuck{m.open()} }, []Option{WithPatience(10 * time.Millisecond)})
		if failures := k.judge(p); len(failures) == 0 {
			t.Errorf("%s passes a store that hangs", p.name)
		}
	}
}

// bulky is a store that is a value and cannot be compared with another.
type bulky struct {
	*handle
	_ []byte
}

// Run takes whatever is a store.
func TestRunTakesValues(t *testing.T) {
	m := newMedium("")
	Run(t, func() fence.Store { return bulky{handle: m.open().(*handle)} },
		WithDeath(func(step int) fence.Store { return bulky{handle: m.mortal(step).(*handle)} }))
}

// Run itself passes a store that keeps the contract.
func TestRun(t *testing.T) {
	m := newMedium("")
	Run(t, m.open, WithDeath(m.mortal))
}

// A race that is run again with its seed asks for the same things.
func TestRaceAsksTheSameAgain(t *testing.T) {
	asked := func() []string {
		m := newMedium("")
		h, err := Race(t.Context(), []fence.Store{m.open()}, "s", raceRacers, 7)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, e := range h {
			if e.Kind == WriteEvent {
				all = append(all, e.Scope+e.Key+e.Value)
			}
		}
		slices.Sort(all)
		return all
	}
	if first, again := asked(), asked(); !slices.Equal(first, again) {
		t.Errorf("%q\n%q", first, again)
	}
}

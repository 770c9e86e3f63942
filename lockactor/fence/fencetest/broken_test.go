package fencetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// medium is a store that can be broken in one way at a time. Unbroken it keeps
// the contract. A write takes four steps: look, compare, record the token, store
// the value.
type medium struct {
	fault string

	mu     sync.Mutex
	marks  map[string]lease.Token
	values map[[2]string]string
}

// handle is a medium opened once: what one process has of it.
type handle struct {
	*medium
	left int // steps before the process is killed; -1 for never
	dead bool
}

var errDead = errors.New("killed")

func newMedium(fault string) *medium {
	return &medium{fault: fault, marks: map[string]lease.Token{}, values: map[[2]string]string{}}
}

func (m *medium) open() fence.Store {
	if m.fault == "forgets when opened" {
		m.mu.Lock()
		clear(m.marks)
		m.mu.Unlock()
	}
	if m.fault == "forgets values when opened" {
		m.mu.Lock()
		clear(m.values)
		m.mu.Unlock()
	}
	return &handle{medium: m, left: -1}
}

func (m *medium) mortal(step int) fence.Store {
	if m.fault == "cannot be killed" {
		step = -1
	}
	return &handle{medium: m, left: step}
}

// Close can fail.
func (h *handle) Close() error {
	if h.fault == "cannot be closed" {
		return errors.New("busy")
	}
	return nil
}

// step is a point at which a killed process ends.
func (h *handle) step() error {
	if h.left == 0 {
		h.dead = true
	}
	if h.dead {
		return errDead
	}
	h.left--
	return nil
}

// mangle is what broken stores do to names.
func (h *handle) mangle(name string) string {
	switch h.fault {
	case "folds case":
		return strings.ToLower(name)
	case "trims":
		return strings.TrimSpace(name)
	case "ends at NUL":
		name, _, _ = strings.Cut(name, "\x00")
	case "cleans paths":
		return strings.ReplaceAll(strings.ReplaceAll(name, "/./", "/"), "//", "/")
	case "normalises":
		return strings.ReplaceAll(name, "e\u0301", "\u00e9")
	case "cuts long names":
		return name[:min(len(name), fence.MaxNameBytes-1)]
	}
	return name
}

func (h *handle) check(scope, key string, token lease.Token) error {
	switch h.fault {
	case "takes any token":
		token = 1
	case "takes any name":
		return nil
	case "takes broken Unicode":
		if !utf8.ValidString(scope) || !utf8.ValidString(key) {
			return nil
		}
	}
	return errors.Join(fence.CheckOwner(scope, token), fence.CheckName(key))
}

func (h *handle) ended(ctx context.Context) error {
	if h.fault == "never looks at the context" {
		return nil
	}
	return ctx.Err()
}

func (h *handle) Write(ctx context.Context, scope, key, value string, token lease.Token) error {
	if err := h.check(scope, key, token); err != nil {
		return err
	}
	if h.fault != "looks at the context too late" {
		if err := h.ended(ctx); err != nil {
			return err
		}
	}
	name := scope
	scope, key = h.mangle(scope), h.mangle(key)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.step(); err != nil {
		return err
	}
	if h.fault == "stores before it compares" {
		h.values[[2]string{scope, key}] = value
	}
	if err := h.compare(name, scope, key, token); err != nil {
		return err
	}
	if err := h.step(); err != nil {
		return err
	}
	if h.fault == "checks, then writes" {
		h.mu.Unlock()
		for range 10 {
			runtime.Gosched()
		}
		h.mu.Lock()
	}
	return h.store(ctx, scope, key, value, token)
}

// compare is the check of F1.
func (h *handle) compare(name, scope, key string, token lease.Token) error {
	mark := h.marks[h.markOf(scope, key)]
	stale := token < mark
	switch h.fault {
	case "checks nothing":
		stale = false
	case "refuses an equal token":
		stale = token <= mark
	case "refuses the next owner but one":
		stale = stale || mark > 0 && token > mark+1
	case "wants the first token to be 1":
		stale = stale || mark == 0 && token > 1
	case "forgives by one":
		stale = token < mark-1
	case "gives way for ever":
		return fence.ErrConflict
	}
	if !stale {
		return nil
	}
	switch h.fault {
	case "says nothing of a refusal":
		return nil
	case "takes the token of a refused write":
		h.marks[scope] = token
	case "refuses without saying why":
		return errors.New("no")
	case "refuses without the tokens":
		return fence.ErrStale
	case "names the wrong token":
		mark--
	case "names no scope":
		name = ""
	case "stores new keys of anybody":
		if _, known := h.values[[2]string{scope, key}]; !known {
			h.values[[2]string{scope, key}] = "late"
		}
	}
	return &fence.StaleError{Scope: name, Refused: token, Accepted: mark}
}

// markOf is where the token is kept: rightly with the scope alone.
func (h *handle) markOf(scope, key string) string {
	switch h.fault {
	case "keeps a token for each key":
		return scope + "\n" + key
	case "keeps one token for all scopes":
		return ""
	}
	return scope
}

func (h *handle) store(ctx context.Context, scope, key, value string, token lease.Token) error {
	where := [2]string{scope, key}
	record := func() { h.marks[h.markOf(scope, key)] = token }
	put := func() { h.values[where] = value }
	switch h.fault {
	case "keys without scope":
		where[0] = ""
	case "first value stays":
		if _, known := h.values[where]; known {
			put = func() {}
		}
	case "drops empty values":
		if value == "" {
			put = func() {}
		}
	case "drops what is no text":
		value = strings.ToValidUTF8(value, "?")
	case "value before token":
		record, put = put, record
	}
	record()
	if err := h.step(); err != nil {
		if h.fault == "says done when killed" {
			return nil
		}
		return err
	}
	if err := h.ended(ctx); err != nil {
		if h.fault == "says stale when interrupted" {
			return fmt.Errorf("%w: %w", fence.ErrStale, err)
		}
		return err
	}
	if put(); h.fault == "killed holding the lock" && h.left == 0 {
		h.marks[scope] = fence.MaxToken // nobody gets past it
	}
	return h.step()
}

func (h *handle) Read(ctx context.Context, scope, key string) (string, bool, error) {
	if err := h.check(scope, key, 1); err != nil {
		return "", false, err
	}
	if err := h.ended(ctx); err != nil {
		return "", false, err
	}
	scope, key = h.mangle(scope), h.mangle(key)
	if h.fault == "keys without scope" {
		scope = ""
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	value, ok := h.values[[2]string{scope, key}]
	if h.fault == "reads nothing as empty" {
		ok = true
	}
	return value, ok, nil
}

func (h *handle) Accepted(ctx context.Context, scope string) (lease.Token, error) {
	if err := h.check(scope, "k", 1); err != nil {
		return 0, err
	}
	if err := h.ended(ctx); err != nil {
		return 0, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.marks[h.markOf(h.mangle(scope), "k")], nil
}

// faults says, for each property, which broken stores it must catch by itself.
var faults = map[string][]string{
	"F1_FirstWrite":            {"wants the first token to be 1", "gives way for ever"},
	"F1_StaleIsRefused":        {"checks nothing", "forgives by one", "refuses without saying why", "refuses without the tokens", "names the wrong token", "names no scope", "says nothing of a refusal"},
	"F1_RefusalChangesNothing": {"stores before it compares", "takes the token of a refused write", "stores new keys of anybody"},
	"F1_EqualTokenAgain":       {"refuses an equal token", "first value stays"},
	"F1_ManyKeysUnderOneToken": {"keeps a token for each key", "refuses an equal token", "stores new keys of anybody"},
	"F1_PauseAndResume":        {"checks nothing", "keeps a token for each key", "stores before it compares"},
	"F2_ReadsTheLastAccepted":  {"first value stays", "reads nothing as empty"},
	"P1_ReopenKeepsTheMark":    {"forgets when opened", "forgets values when opened", "cannot be closed"},
	"P2_Race":                  {"checks, then writes", "checks nothing", "first value stays", "keeps a token for each key", "takes the token of a refused write"},
	"P2_KilledAnywhere":        {"value before token", "says done when killed", "says stale when interrupted", "never looks at the context", "cannot be killed", "killed holding the lock"},
	"P3_IndependentScopes":     {"keeps one token for all scopes", "keys without scope"},
	"O6_ArgumentsAreChecked":   {"takes any token", "takes any name", "takes broken Unicode"},
	"O10_StrangeNames":         {"folds case", "trims", "ends at NUL", "cleans paths", "normalises", "cuts long names"},
	"O10_StrangeValues":        {"drops empty values", "drops what is no text"},
	"CancelledContext":         {"never looks at the context", "looks at the context too late"},
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

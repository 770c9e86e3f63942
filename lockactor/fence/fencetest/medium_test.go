package fencetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
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
	told   map[string]bool // values of which something has been said
}

// handle is a medium opened once: what one process has of it.
type handle struct {
	*medium
	left int // steps before the process is killed; -1 for never
	dead bool
}

var errDead = errors.New("killed")

func newMedium(fault string) *medium {
	return &medium{fault: fault, marks: map[string]lease.Token{}, values: map[[2]string]string{}, told: map[string]bool{}}
}

func (m *medium) open() fence.Store {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch m.fault {
	case "forgets when opened":
		clear(m.marks)
	case "forgets values when opened":
		clear(m.values)
	case "keeps tokens as float64":
		for scope, mark := range m.marks {
			m.marks[scope] = lease.Token(float64(mark))
		}
	case "keeps tokens as int32":
		for scope, mark := range m.marks {
			m.marks[scope] = lease.Token(int32(mark))
		}
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
	case "takes keys for paths":
		return strings.TrimRight(name, "/")
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
	if err := h.compare(name, scope, key, value, token); err != nil {
		return err
	}
	if err := h.step(); err != nil {
		return err
	}
	if h.fault == "checks, then writes" {
		h.let()
	}
	if err := h.store(ctx, scope, key, value, token); err != nil {
		return err
	}
	if h.fault == "says conflict of what is done" && !h.told[value] {
		h.told[value] = true
		return fence.ErrConflict
	}
	return nil
}

// let lets others come in between.
func (h *handle) let() {
	h.mu.Unlock()
	for range 10 {
		runtime.Gosched()
	}
	h.mu.Lock()
}

// below compares two tokens in the ways of stores that keep them as something
// else.
func (h *handle) below(token, mark lease.Token) bool {
	switch h.fault {
	case "compares as int32":
		return int32(token) < int32(mark)
	case "compares as uint32":
		return uint32(token) < uint32(mark)
	case "compares as float32":
		return float32(token) < float32(mark)
	case "compares as float64":
		return float64(token) < float64(mark)
	case "compares as text":
		return mark > 0 && fmt.Sprint(token) < fmt.Sprint(mark)
	case "forgets after the greatest token":
		return mark < fence.MaxToken && token < mark
	case "shuns tokens far ahead":
		return token < mark || mark > 0 && token-mark > 1<<61
	case "takes tokens far behind":
		return token < mark && mark-token < 1<<30
	}
	return token < mark
}

// exempt tells whether the fault, what followed by a kind of write, is about a
// write of this kind.
func (h *handle) exempt(what, scope, key, value string) bool {
	kind, ok := strings.CutPrefix(h.fault, what)
	if !ok {
		return false
	}
	old, known := h.values[[2]string{scope, key}]
	return map[string]bool{
		"an empty value":              value == "",
		"a value that is there":       known && value == old,
		"a value over 4 KiB":          len(value) > 4<<10,
		"a key over 200 bytes":        len(key) > 200,
		"a key named like its scope":  key == scope,
		"a key that is there":         known,
		"a key that is not there yet": !known,
	}[kind]
}

// compare is the check of F1.
func (h *handle) compare(name, scope, key, value string, token lease.Token) error {
	mark := h.marks[h.markOf(scope, key)]
	stale := h.below(token, mark) && !h.exempt("does not fence ", scope, key, value)
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
	if h.exempt("refuses, and keeps the token of, ", scope, key, value) {
		h.marks[scope] = token
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
	where := h.place(scope, key)
	record := func() { h.marks[h.markOf(scope, key)] = token }
	if h.exempt("keeps no token of ", scope, key, value) {
		record = func() {}
	}
	put := func() { h.values[where] = value }
	switch h.fault {
	case "keeps the token under a key":
		if key == "token" {
			put = func() { h.marks[scope] = 0 }
		}
	case "shares equal values":
		put = func() {
			for at, old := range h.values {
				if old == h.values[where] {
					delete(h.values, at)
				}
			}
			h.values[where] = value
		}
	case "does not truncate":
		put = func() { h.values[where] = value + h.values[where][min(len(value), len(h.values[where])):] }
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
	if h.fault == "writes in two halves" {
		h.values[where] = value[:len(value)/2]
		h.let()
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
	err := h.step()
	if err != nil && h.fault != "says not done of what is" {
		err = fmt.Errorf("%w: %w", fence.ErrAmbiguous, err)
	}
	return err
}

// place is where a value is kept: rightly under the scope and the key.
func (h *handle) place(scope, key string) [2]string {
	switch h.fault {
	case "keys without scope":
		return [2]string{"", key}
	case "joins scope and key":
		return [2]string{"", scope + "/" + key}
	case "runs scope and key together":
		return [2]string{"", scope + key}
	}
	return [2]string{scope, key}
}

func (h *handle) Read(ctx context.Context, scope, key string) (string, bool, error) {
	if err := h.check(scope, key, 1); err != nil {
		return "", false, err
	}
	if err := h.ended(ctx); err != nil {
		return "", false, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	value, ok := h.values[h.place(h.mangle(scope), h.mangle(key))]
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

package lease

import (
	"math"
	"strings"
	"testing"
)

// good gives an operation of each kind that passes every check.
func good() map[string]Operation {
	return map[string]Operation{
		"acquire": {Kind: Acquire, Client: "c", Lock: "l", TTL: 60, Mode: Shared},
		"renew":   {Kind: Renew, Client: "c", Lock: "l", TTL: 60},
		"release": {Kind: Release, Client: "c", Lock: "l"},
		"inspect": {Kind: Inspect, Lock: "l"},
		"status":  {Kind: Status, Client: "c"},
		"write":   {Kind: Write, Lock: "l", Key: "k", Value: "v", Token: 1},
		"read":    {Kind: Read, Lock: "l", Key: "k"},
		"repeat":  {Kind: Repeat, Repeat: &Repetition{Count: 1}},
	}
}

func TestO2_KindsHaveNames(t *testing.T) {
	for name, op := range good() {
		if kind, ok := ParseKind(name, Plain); !ok || kind != op.Kind {
			t.Errorf("%s is kind %d, %v", name, kind, ok)
		}
		if got := op.Kind.String(); got != name {
			t.Errorf("%s is written %s", name, got)
		}
	}
	for _, name := range []string{"", "Acquire", "acquire ", "refused", "settle", "tick", "evict"} {
		if kind, ok := ParseKind(name, Plain); ok || kind != Refused {
			t.Errorf("%q is kind %d, %v", name, kind, ok)
		}
	}
}

func TestO2_KindsFromInsideAreUnknown(t *testing.T) {
	for _, kind := range []Kind{Settle, Settle + 1, math.MaxUint8} {
		op := Operation{Kind: kind, At: 5}
		if got := op.Check(Plain); got != UnknownOperation || !op.Timeless(Plain) {
			t.Errorf("kind %d: %v, timeless %v", kind, got, op.Timeless(Plain))
		}
	}
}

func TestO6_NamesAreNonEmptyAndValidUnicode(t *testing.T) {
	fields := map[string]func(*Operation) *string{
		"client": func(op *Operation) *string { return &op.Client },
		"lock":   func(op *Operation) *string { return &op.Lock },
		"key":    func(op *Operation) *string { return &op.Key },
		"value":  func(op *Operation) *string { return &op.Value },
	}
	for name, op := range good() {
		if got := op.Check(Plain); got != OK || op.Timeless(Plain) {
			t.Errorf("%s: %v, timeless %v", name, got, op.Timeless(Plain))
		}
		for field, of := range fields {
			if *of(&op) == "" {
				continue // not an argument of this one
			}
			for _, bad := range []string{"", "\xff", "a\xed\xa0\x80", "\xc0\x80"} {
				changed := op
				*of(&changed) = bad
				changed.TTL = -1 // types come before the range
				if got := changed.Check(Plain); got != InvalidArguments || changed.Timeless(Plain) {
					t.Errorf("%s with %s %q: %v", name, field, bad, got)
				}
			}
			for _, fine := range []string{" ", "\x00", "\ufffd", "😀", strings.Repeat("x", 1<<16)} {
				changed := op
				*of(&changed) = fine
				if got := changed.Check(Plain); got != OK {
					t.Errorf("%s with %s %.10q: %v", name, field, fine, got)
				}
			}
		}
	}
}

func TestO6_ModesAreTwo(t *testing.T) {
	op := good()["acquire"]
	op.Mode = Shared + 1
	if got := op.Check(Plain); got != InvalidArguments {
		t.Errorf("mode %d: %v", op.Mode, got)
	}
	for _, mode := range []Mode{Exclusive, Shared} {
		if got, ok := ParseMode(mode.String()); got != mode || !ok {
			t.Errorf("%v is read as %v, %v", mode, got, ok)
		}
	}
	if _, ok := ParseMode("Shared"); ok {
		t.Error("Shared is a mode")
	}
}

func TestO7_TTLFromOneSecondToADay(t *testing.T) {
	for _, kind := range []string{"acquire", "renew"} {
		for ttl, want := range map[Duration]Code{1: OK, 86_400: OK, 0: InvalidTTL, -1: InvalidTTL, 86_401: InvalidTTL,
			math.MaxInt64: InvalidTTL, math.MinInt64: InvalidTTL} {
			op := good()[kind]
			op.TTL = ttl
			if got := op.Check(Plain); got != want || op.Timeless(Plain) {
				t.Errorf("%s with ttl %d: %v, want %v", kind, ttl, got, want)
			}
		}
	}
}

func TestO9_InstantsAndTokensUpTo2To62(t *testing.T) {
	for at, want := range map[Instant]Code{MaxMagnitude: OK, -MaxMagnitude: OK, MaxMagnitude + 1: InvalidArguments,
		-MaxMagnitude - 1: InvalidArguments, Dawn: InvalidArguments, Never: InvalidArguments} {
		for name, op := range good() {
			op.At = at
			if got := op.Check(Plain); got != want || op.Timeless(Plain) != (want != OK) {
				t.Errorf("%s at %d: %v, timeless %v", name, at, got, op.Timeless(Plain))
			}
		}
	}
	for token, want := range map[Token]Code{1: OK, MaxMagnitude: OK, 0: InvalidArguments, -1: InvalidArguments, MaxMagnitude + 1: InvalidArguments} {
		op := good()["write"]
		op.Token = token
		if got := op.Check(Plain); got != want {
			t.Errorf("token %d: %v, want %v", token, got, want)
		}
	}
}

func TestO4_RefusedOperationsKeepTheirInstantOrHaveNone(t *testing.T) {
	timed := Refuse(9, InvalidTTL)
	if timed.Check(Plain) != InvalidTTL || timed.Timeless(Plain) || timed.At != 9 {
		t.Errorf("%+v", timed)
	}
	untimed := RefuseUntimed(UnknownOperation)
	if untimed.Check(Plain) != UnknownOperation || !untimed.Timeless(Plain) {
		t.Errorf("%+v", untimed)
	}
}

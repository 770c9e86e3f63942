package arguments_test

import (
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/bench/internal/arguments"
)

func TestRefusals(t *testing.T) {
	given := map[string]bool{"ops": true}
	for _, c := range []struct {
		name    string
		err     error
		refused bool
	}{
		{"no argument", arguments.NoMore(nil), false},
		{"an argument", arguments.NoMore([]string{"x"}), true},
		{"least", arguments.AtLeast("ops", 1, 1), false},
		{"less", arguments.AtLeast("ops", 0, 1), true},
		{"no time", arguments.AtLeast("length", 0, time.Millisecond), true},
		{"any", arguments.OneOf("only", "", "a", "b"), false},
		{"one", arguments.OneOf("only", "b", "a", "b"), false},
		{"none", arguments.OneOf("only", "c", "a", "b"), true},
		{"of no effect", arguments.Idle(given, "here", "rounds", "ops"), true},
		{"not given", arguments.Idle(given, "here", "rounds"), false},
	} {
		if (c.err != nil) != c.refused {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
}

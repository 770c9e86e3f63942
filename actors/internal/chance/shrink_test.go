package chance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/internal/chance"
	"github.com/leasekeeper/lkactor/actors/internal/twin"
)

// letters makes a log of one-letter operations.
func letters(text string) (log [][]byte) {
	for _, letter := range strings.Split(text, "") {
		log = append(log, []byte(letter))
	}
	return log
}

func word(log [][]byte) string {
	var text strings.Builder
	for _, op := range log {
		text.Write(op)
	}
	return text.String()
}

func TestShrink(t *testing.T) {
	const all = "abcdefghijklmnopqrstuvwxyz"
	for name, c := range map[string]struct {
		fails func(string) bool
		want  string
	}{
		"one":         {func(s string) bool { return strings.Contains(s, "q") }, "q"},
		"two apart":   {func(s string) bool { return strings.Contains(s, "a") && strings.Contains(s, "z") }, "az"},
		"three":       {func(s string) bool { return strings.ContainsAny(s, "b") && strings.Contains(s, "mn") }, "bmn"},
		"nothing":     {func(s string) bool { return true }, ""},
		"pairs":       {func(s string) bool { return len(s)%2 == 0 && strings.Contains(s, "xy") }, "xy"},
		"a half":      {func(s string) bool { return len(s) >= 13 }, all[13:]},
		"does not":    {func(s string) bool { return false }, all},
		"all of them": {func(s string) bool { return len(s) == 26 }, all},
	} {
		t.Run(name, func(t *testing.T) {
			log := letters(all)
			got := word(chance.Shrink(log, func(log [][]byte) bool { return c.fails(word(log)) }))
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if word(log) != all {
				t.Errorf("the log was changed to %q", word(log))
			}
		})
	}
}

// What is left of a real log must fail still, and no operation can go.
func TestShrink_aDeadlockIsAFewOperations(t *testing.T) {
	deadlocks := func(log [][]byte) bool {
		results, err := twin.Replay(chance.Text(log))
		return err == nil && slices.ContainsFunc(results, func(r string) bool {
			return strings.HasPrefix(r, `["deadlock"`)
		})
	}
	found := 0
	for seed := range uint64(40) {
		log := chance.Log(seed, chance.Profiles[1])
		if !deadlocks(log) {
			continue
		}
		found++
		small := chance.Shrink(log, deadlocks)
		// Four acquires, or a few more where two clients alone would abort the other.
		if !deadlocks(small) || len(small) < 4 || len(small) > 8 {
			t.Errorf("seed %d: shrunk to %d operations\n%s", seed, len(small), chance.Text(small))
		}
		for i := range small {
			if deadlocks(slices.Concat(small[:i], small[i+1:])) {
				t.Errorf("seed %d: operation %d could go\n%s", seed, i, chance.Text(small))
			}
		}
	}
	if found < 5 {
		t.Errorf("%d logs with a deadlock", found)
	}
}

func BenchmarkLog(b *testing.B) {
	for _, p := range chance.Profiles {
		b.Run(p.Name, func(b *testing.B) {
			for seed := uint64(0); b.Loop(); seed++ {
				chance.Log(seed, p)
			}
		})
	}
}

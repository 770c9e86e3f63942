package chance_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/actors/internal/chance"
	"github.com/leasekeeper/lkactor/actors/internal/twin"
)

// all is every profile there is.
var all = slices.Concat(chance.Profiles, chance.LiveProfiles)

func equal(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }

func TestLog_dependsOnSeedAndProfileOnly(t *testing.T) {
	for _, p := range all {
		for seed := range uint64(10) {
			log := chance.Log(seed, p)
			if !equal(log, chance.Log(seed, p)) {
				t.Fatalf("%s, seed %d: two logs", p.Name, seed)
			}
			if equal(log, chance.Log(seed+1, p)) {
				t.Errorf("%s: seeds %d and %d give one log", p.Name, seed, seed+1)
			}
		}
	}
}

func TestLog_sizes(t *testing.T) {
	short, long, huge := 0, 0, 0
	for _, p := range all {
		for seed := range uint64(25) {
			n := len(chance.Log(seed, p))
			if p.Name == "many ids" && n >= 1130 && n <= 1200 {
				huge++
			} else if n < 5 || n > 200 {
				t.Errorf("%s, seed %d: %d operations", p.Name, seed, n)
			}
			if n <= 40 {
				short++
			}
			if n > 150 {
				long++
			}
		}
	}
	if short < 150 || long < 50 || huge < 2 || huge > 10 {
		t.Errorf("%d short logs, %d long ones and %d huge ones of 450", short, long, huge)
	}
}

// Every operation must be JSON by its grammar: text that is not would refuse a
// whole log. Bytes that are not UTF-8 are a matter of rule O10, not of grammar.
func TestLog_isJSON(t *testing.T) {
	for _, p := range all {
		for seed := range uint64(25) {
			log := chance.Log(seed, p)
			for i, op := range log {
				if !json.Valid(op) {
					t.Errorf("%s, seed %d, operation %d: %q", p.Name, seed, i, op)
				}
			}
			if !json.Valid(chance.Text(log)) {
				t.Errorf("%s, seed %d: the whole is not JSON", p.Name, seed)
			}
		}
	}
}

func TestProfiles_namesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for i, p := range all {
		if p.Name == "" || seen[p.Name] || p.Live != (i >= len(chance.Profiles)) {
			t.Errorf("name %q, live %v", p.Name, p.Live)
		}
		seen[p.Name] = true
	}
}

func TestLiveText(t *testing.T) {
	text := chance.LiveText([][]byte{[]byte(`["tick",0]`), []byte(`["repeat",0,1,0,["tick"]]`)})
	results, err := twin.Replay(text)
	if err != nil || !slices.Equal(results, []string{"null", `"error: unknown operation"`}) {
		t.Errorf("%s gives %v, %v", text, results, err)
	}
	if want := "[" + chance.Header + ",\n "; !bytes.HasPrefix(text, []byte(want)) {
		t.Errorf("%s begins otherwise", text)
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		log  [][]byte
		want string
	}{
		{nil, "[]\n"},
		{[][]byte{[]byte("5")}, "[5]\n"},
		{[][]byte{[]byte("[1]"), []byte("[2]")}, "[[1],\n [2]]\n"},
	} {
		if got := string(chance.Text(c.log)); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

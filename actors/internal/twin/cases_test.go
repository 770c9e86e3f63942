package twin_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/internal/twin"
)

const casesDir = "../../testdata/cases"

// TestCases holds the twin against every golden case: the worked examples, the
// cases that came with the rules, and those derived from the rules by hand.
func TestCases(t *testing.T) {
	cases, err := twin.Cases(casesDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			got, err := twin.Replay(c.Log)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(c.Expect) {
				t.Fatalf("%d results, want %d", len(got), len(c.Expect))
			}
			for i := range got {
				if got[i] != c.Expect[i] {
					t.Errorf("operation %d\n got %s\nwant %s\n why %s", i, got[i], c.Expect[i], c.Why)
				}
			}
		})
	}
}

// TestCases_everyRuleHasOne keeps a case for each rule that a log can show. The
// rules about cost (S), durability (P1, P2) and restarts (E5) are tested where
// they are kept.
func TestCases_everyRuleHasOne(t *testing.T) {
	cases, err := twin.Cases(casesDir)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	rule := regexp.MustCompile(`^([a-z][0-9]+)-`)
	for _, c := range cases {
		if m := rule.FindStringSubmatch(c.Name); m != nil {
			seen[m[1]] = true
		}
	}
	want := "o1 o2 o3 o4 o5 o6 o7 o8 o9 o10 o11 t1 t2 t3 l1 l2 l3 l4 l5 q1 q2 q3 " +
		"f1 f2 c1 c2 c3 d1 d2 d3 d4 d5 d6 d7 r1 r2 r3 r4 p3 p4 e1 e2 e3 e4 w1 w2 w3 w4"
	for r := range strings.FieldsSeq(want) {
		if !seen[r] {
			t.Errorf("no case is named after %s", r)
		}
	}
}

func TestCases_badFolders(t *testing.T) {
	if _, err := twin.Cases(t.TempDir()); err == nil {
		t.Error("a folder without cases gave no error")
	}
	for name, text := range map[string]string{
		"no JSON":          `{`,
		"ops is no list":   `{"ops": 5, "expect": []}`,
		"uneven":           `{"ops": [["inspect", 0, "L"]], "expect": []}`,
		"a header counted": `{"ops": [{"lkactor": 1}, ["tick", 0]], "expect": [null, null]}`,
		"ops are missing":  `{"expect": ["ok"]}`,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "x.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := twin.Cases(dir); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

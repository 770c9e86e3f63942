package actors_test

import (
	"testing"

	"github.com/leasekeeper/lkactor/actors/internal/twin"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// The golden cases, worked out by hand from the rules or drawn from bug reports
// of other systems, on every stand.
func TestCases(t *testing.T) {
	cases, err := twin.Cases("testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 60 {
		t.Fatalf("only %d cases found", len(cases))
	}
	system := newSystem(t)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			ops := decode(t, c.Log)
			dialect := lease.Plain
			if c.Live {
				dialect = lease.Live
			}
			for seed := range uint64(3) {
				for _, s := range stands(system, dialect, seed) {
					results, err := s.run(ops, nil)
					if err != nil {
						t.Fatalf("%s: %v", s.name, err)
					}
					if len(results) != len(c.Expect) {
						t.Fatalf("%s: %d results, want %d", s.name, len(results), len(c.Expect))
					}
					if wrong := compare(results, c.Expect); wrong != "" {
						t.Errorf("%s, seed %d: %s\n%s", s.name, seed, wrong, c.Why)
					}
				}
			}
		})
	}
}

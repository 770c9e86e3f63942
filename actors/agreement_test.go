package actors_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/internal/chance"
	"github.com/leasekeeper/lkactor/actors/internal/twin"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

var (
	logs = flag.Int("logs", 20_000, "how many random logs TestAgreement runs")
	seed = flag.Uint64("seed", 0, "the seed of the first of them")
)

// The brute-force twin knows the rules, the engine must keep them: on every
// result of every random log, whatever the dispatch policy and the batches.
func TestAgreement(t *testing.T) {
	n := *logs
	if testing.Short() || raceEnabled {
		n /= 10
	}
	system := newSystem(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for i := range n {
		s := *seed + uint64(i)
		if i%64 == 0 {
			rng := rand.New(rand.NewPCG(s, 4))
			runtime.GOMAXPROCS(1 + rng.IntN(4))
		}
		profiles := chance.Profiles
		if i%4 == 3 {
			profiles = chance.LiveProfiles
		}
		agree(t, system, s, profiles[i/4%len(profiles)])
		if t.Failed() {
			return
		}
	}
}

// agree runs one log everywhere; where it fails it prints the smallest log that
// still does.
func agree(t *testing.T, system *actor.ActorSystem, seed uint64, profile chance.Profile) {
	t.Helper()
	log := chance.Log(seed, profile)
	disagreement := func(t *testing.T, system *actor.ActorSystem, seed uint64, log [][]byte) string {
		return disagreement(t, system, seed, log, profile.Live)
	}
	if disagreement(t, system, seed, log) == "" {
		return
	}
	small := chance.Shrink(log, func(log [][]byte) bool {
		for range 5 { // what depends on the schedule may take several tries
			if disagreement(t, system, seed, log) != "" {
				return true
			}
		}
		return false
	})
	why := ""
	for tries := 0; why == "" && tries < 50; tries++ {
		why = disagreement(t, system, seed, small)
	}
	t.Fatalf("profile %q, seed %d: %s\n%s", profile.Name, seed, why, lines(small))
}

// disagreement says where the twin and a stand differ on the log, or nothing.
func disagreement(t *testing.T, system *actor.ActorSystem, seed uint64, log [][]byte, live bool) string {
	oracle, dialect, text := twin.New(), lease.Plain, join(log)
	if live {
		oracle, dialect, text = twin.NewLive(), lease.Live, chance.LiveText(log)
	}
	ops := decode(t, text)
	if len(ops) != len(log) {
		return fmt.Sprintf("%d operations decoded of %d", len(ops), len(log))
	}
	want := make([]string, len(log))
	for i, op := range log {
		want[i] = oracle.Do(op)
	}
	var first *story
	for _, s := range stands(system, dialect, seed) {
		// Every other log is watched; then all must tell the same story, too.
		var told *story
		if seed%2 == 0 {
			told = &story{}
		}
		results, err := s.run(ops, told)
		if err != nil {
			return fmt.Sprintf("%s: %v", s.name, err)
		}
		if wrong := compare(results, want); wrong != "" {
			return s.name + ": " + wrong
		}
		if first == nil {
			first = told
		}
		if told != nil {
			if wrong := first.differs(told) + told.wrong; wrong != "" {
				return s.name + ": " + wrong
			}
		}
	}
	return ""
}

// differs says where two stories part, or nothing.
func (s *story) differs(other *story) string {
	for i, line := range s.lines {
		if i == len(other.lines) || other.lines[i] != line {
			return fmt.Sprintf("effect %d of %d: the model says %s; got %v", i, len(s.lines), line, other.lines[i:min(i+1, len(other.lines))])
		}
	}
	if len(other.lines) > len(s.lines) {
		return "more effects than the model has: " + other.lines[len(s.lines)]
	}
	return ""
}

// What is written of an operation decodes to the same operation.
func TestOperationsRoundTrip(t *testing.T) {
	for seed := range uint64(2_000) {
		log := chance.Log(seed, chance.Profiles[int(seed)%len(chance.Profiles)])
		var written [][]byte
		for _, op := range decode(t, join(log)) {
			written = append(written, oplog.AppendOperation(nil, &op))
		}
		for i, op := range decode(t, join(written)) {
			if back := oplog.AppendOperation(nil, &op); !bytes.Equal(back, written[i]) {
				t.Fatalf("seed %d, operation %d: %s is written as %s, then as %s", seed, i, log[i], written[i], back)
			}
		}
	}
}

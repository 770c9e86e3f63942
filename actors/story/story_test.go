package story_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"testing"

	"github.com/leasekeeper/lkactor/actors/internal/chance"
	"github.com/leasekeeper/lkactor/actors/internal/twin"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/actors/story"
)

var (
	logs = flag.Int("logs", 1_000, "how many random logs are told")
	seed = flag.Uint64("seed", 0, "the seed of the first of them")
)

// The events of a log, gone through by a checker that knows only them, give back
// every result that the rules have for it: nothing is missing, nothing too much.
func TestEventsGiveBackTheResults(t *testing.T) {
	n := *logs
	if testing.Short() {
		n /= 10
	}
	for i := range n {
		s := *seed + uint64(i)
		profiles := chance.Profiles
		if i%3 == 2 {
			profiles = chance.LiveProfiles
		}
		profile := profiles[i/3%len(profiles)]
		log := chance.Log(s, profile)
		if wrong := retold(t, log, profile.Live); wrong != "" {
			small := chance.Shrink(log, func(log [][]byte) bool { return retold(t, log, profile.Live) != "" })
			t.Fatalf("profile %q, seed %d: %s\n%s", profile.Name, s, retold(t, small, profile.Live), bytes.Join(small, []byte("\n")))
		}
	}
}

// retold says where the results worked out from the events differ from those of
// the rules, or what else is wrong with the events; nothing if all is well.
func retold(t *testing.T, log [][]byte, live bool) string {
	oracle, ops := twin.New(), decode(t, log, live)
	if live {
		oracle = twin.NewLive()
	}
	c := newChecker()
	var s *story.Story
	s = story.New(dialect(live), func(e *story.Event) {
		c.see(e)
		c.checkBook(s.Book(), e)
	})
	for i := range ops {
		s.Do(&ops[i])
	}
	c.finish()
	if len(c.problems) > 0 {
		return c.problems[0]
	}
	if len(c.results) != len(log) {
		return fmt.Sprintf("%d results of %d", len(c.results), len(log))
	}
	for i, op := range log {
		if want := oracle.Do(op); c.results[i] != want {
			return fmt.Sprintf("operation %d is %s by the events, want %s", i+1, c.results[i], want)
		}
	}
	return ""
}

func dialect(live bool) lease.Dialect {
	if live {
		return lease.Live
	}
	return lease.Plain
}

func decode(t testing.TB, log [][]byte, live bool) []lease.Operation {
	t.Helper()
	text := chance.Text(log)
	if live {
		text = chance.LiveText(log)
	}
	d := oplog.NewDecoder(bytes.NewReader(text), "log", oplog.Array)
	var ops []lease.Operation
	for {
		var op lease.Operation
		err := d.Next(&op)
		if errors.Is(err, io.EOF) {
			return ops
		}
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, op)
	}
}

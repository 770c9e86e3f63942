package chance_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/leasekeeper/lkactor/actors/internal/chance"
	"github.com/leasekeeper/lkactor/actors/internal/twin"
)

// logsPerProfile is how many logs the statistics look at, for each profile.
const logsPerProfile = 200

// tally counts what happened in the logs of a profile, under the kinds below.
type tally map[string]int

// TestStatistics keeps the generator honest: whatever a profile is for must
// happen in its logs, and happen often. The floors are about half of what was
// counted when they were set.
func TestStatistics(t *testing.T) {
	for _, p := range all {
		t.Run(p.Name, func(t *testing.T) {
			floors, found := floors[p.Name]
			if p.Live {
				floors, found = liveFloors[p.Name]
			}
			if !found {
				t.Fatal("no floors are set for this profile")
			}
			counts := tally{}
			for seed := range uint64(logsPerProfile / slowdown) {
				count(t, counts, p, chance.Log(seed, p))
			}
			t.Logf("\n%s", counts)
			for kind, floor := range floors {
				if counts[kind] < floor/slowdown {
					t.Errorf("%s: %d, want at least %d", kind, counts[kind], floor/slowdown)
				}
			}
		})
	}
}

// count runs a log through the twin and counts its results.
func count(t *testing.T, counts tally, p chance.Profile, log [][]byte) {
	t.Helper()
	text := chance.Text(log)
	if p.Live {
		text = chance.LiveText(log)
	}
	results, err := twin.Replay(text)
	if err != nil || len(results) != len(log) {
		t.Fatalf("%d results of %d operations, %v\n%s", len(results), len(log), err, text)
	}
	lastTs, lastToken, used := 0.0, map[string]float64{}, requests{}
	for i, result := range results {
		counts["operations"]++
		for _, kind := range textKinds(log[i]) {
			counts[kind]++
		}
		var op []any
		_ = json.Unmarshal(log[i], &op) // what is no list has nothing to look at
		for _, kind := range kinds(result) {
			counts[kind]++
		}
		if len(op) < 2 {
			continue
		}
		if ts, ok := op[1].(float64); ok {
			if i > 0 && ts == lastTs {
				counts["same instant"]++
			}
			if i > 0 && ts < lastTs {
				counts["time went back"]++
			}
			lastTs = ts
		}
		if op[0] == "repeat" && result == `"error: invalid arguments"` {
			counts["repeat refused"]++
		}
		countChain(counts, lastToken, op, result)
		if p.Live {
			used.count(counts, op, result)
		}
	}
}

// strange finds what only malformed or oddly written operations have.
var strange = map[string]*regexp.Regexp{
	"op: surrogate":         regexp.MustCompile(`\\ud[89a-f]`),
	"op: huge number":       regexp.MustCompile(`[0-9]{18}`),
	"op: spelt differently": regexp.MustCompile(`\\u00[0-9A-F]{2}`),
	"op: spaces":            regexp.MustCompile(`\[\s`),
	"op: nested":            regexp.MustCompile(`\[[^]]*[\[{]`),
}

// textKinds says what is strange about the text of an operation.
func textKinds(op []byte) (found []string) {
	if !bytes.HasPrefix(op, []byte("[")) {
		found = append(found, "op: no list")
	}
	if !utf8.Valid(op) {
		found = append(found, "op: invalid UTF-8")
	}
	for kind, text := range strange {
		if text.Match(op) {
			found = append(found, kind)
		}
	}
	return found
}

// countChain counts the inspects that find a lock three grants or more further
// than the inspect before.
func countChain(counts tally, lastToken map[string]float64, op []any, result string) {
	var view struct{ Holders [][]any }
	if op[0] != "inspect" || json.Unmarshal([]byte(result), &view) != nil || len(view.Holders) == 0 {
		return
	}
	lock, token := op[2].(string), view.Holders[0][2].(float64)
	if token >= lastToken[lock]+3 {
		counts["three grants on"]++
	}
	lastToken[lock] = token
}

// kinds says what a result shows.
func kinds(result string) []string {
	var value any
	if err := json.Unmarshal([]byte(result), &value); err != nil {
		return []string{"no JSON: " + result}
	}
	switch value := value.(type) {
	case nil:
		return []string{"null"}
	case string:
		switch {
		case strings.HasPrefix(value, "error: "), value == "released", value == "withdrawn", value == "ok",
			value == "forgotten", value == "closed":
			return []string{value}
		}
		return []string{"value read"}
	case []any:
		kind := value[0].(string)
		victims, ok := value[len(value)-1].([]any)
		switch {
		case !ok:
			return []string{kind}
		case len(victims) == 1:
			return []string{kind + " with a victim"}
		}
		return []string{kind + " with victims"}
	}
	return objectKinds(value.(map[string]any))
}

// objectKinds is kinds for the results of inspect, status and repeat.
func objectKinds(value map[string]any) []string {
	if queue, ok := value["queue"].([]any); ok {
		found := []string{"inspect"}
		if len(queue) > 0 {
			found = append(found, "inspect with a queue")
		}
		if len(value["holders"].([]any)) > 1 {
			found = append(found, "inspect with several holders")
		}
		return found
	}
	if results, ok := value["results"].(map[string]any); ok {
		found := []string{"repeat"}
		if value["aborted"] != nil {
			found = append(found, "repeat with victims")
		}
		for label := range results {
			found = append(found, "run: "+label)
		}
		return found
	}
	switch {
	case value["age"] == nil:
		return []string{"status of a stranger"}
	case value["waiting"] != nil:
		return []string{"status of a waiter"}
	case len(value["holds"].([]any)) > 1:
		return []string{"status of a holder of several"}
	}
	return []string{"status"}
}

// String lists the counts, one a line.
func (c tally) String() string {
	var lines []string
	for kind, n := range c {
		if n > 1 { // labels of runs may be values that were read
			lines = append(lines, fmt.Sprintf("%7d %s", n, kind))
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

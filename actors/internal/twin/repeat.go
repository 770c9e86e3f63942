package twin

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"sort"
	"strings"
)

// mostRuns is how often a repeat may run at most (R).
const mostRuns = 100_000

// mostDigits is how many digits a number in a placeholder may have (R3).
const mostDigits = 18

// placeholder is what R1 replaces: {i}, {i+A}, {i%K}, {i+A%K}.
var placeholder = regexp.MustCompile(`\{i(?:\+([0-9]+))?(?:%([0-9]+))?\}`)

// repeat runs a template many times and tallies the results (R).
func (t *Twin) repeat(args []json.RawMessage) string {
	if len(args) != 3 {
		return invalidArguments
	}
	count, ok1 := limited(args[0])
	step, ok2 := limited(args[1])
	if !ok1 || !ok2 || count < 1 || count > mostRuns || step < 0 {
		return invalidArguments
	}
	template, ok := elements(args[2])
	if !ok || !isTemplate(template) {
		return invalidArguments
	}
	start := t.now
	last := new(big.Int).Mul(big.NewInt(count-1), big.NewInt(step))
	if last.Add(last, big.NewInt(start)).Cmp(limit) > 0 {
		return invalidArguments // R3: the last run lies beyond the limit of O9
	}
	tally, aborted := map[string]int64{}, 0
	for i := range count {
		op := []json.RawMessage{template[0], json.RawMessage(fmt.Sprint(start + i*step))}
		for _, arg := range template[1:] {
			op = append(op, fill(arg, i))
		}
		label, victims := classify(t.run(op))
		tally[label]++
		aborted += victims
	}
	return tallyText(count, tally, aborted)
}

// isTemplate makes the checks of R3 that look at the template alone.
func isTemplate(template []json.RawMessage) bool {
	if len(template) == 0 {
		return false
	}
	if name, ok := text(template[0]); !ok || name == "repeat" {
		return false
	}
	for _, arg := range template[1:] {
		s, _ := text(arg) // what is no string has no placeholders
		for _, found := range placeholder.FindAllStringSubmatch(s, -1) {
			add, mod := found[1], found[2]
			if len(add) > mostDigits || len(mod) > mostDigits {
				return false
			}
			if mod != "" && strings.Trim(mod, "0") == "" {
				return false
			}
		}
	}
	return true
}

// fill puts the number of the run into one argument (R1).
func fill(arg json.RawMessage, run int64) json.RawMessage {
	s, ok := text(arg)
	if !ok {
		return arg
	}
	filled := placeholder.ReplaceAllStringFunc(s, func(match string) string {
		part := placeholder.FindStringSubmatch(match)
		n := big.NewInt(run)
		if part[1] != "" {
			add, _ := new(big.Int).SetString(part[1], 10)
			n.Add(n, add)
		}
		if part[2] != "" {
			mod, _ := new(big.Int).SetString(part[2], 10)
			n.Mod(n, mod)
		}
		return n.String()
	})
	return json.RawMessage(quote(filled))
}

// classify reads a result back: under which label it counts, and how many
// clients were aborted by it (R2).
func classify(result string) (label string, victims int) {
	if s, ok := text(json.RawMessage(result)); ok {
		return s, 0
	}
	list, ok := elements([]byte(result))
	if !ok {
		return "other", 0
	}
	label, _ = text(list[0])
	for _, element := range list {
		aborted, _ := elements(element) // only a victims list is a list
		victims += len(aborted)
	}
	return label, victims
}

// tallyText is the result of a repeat, labels ascending.
func tallyText(count int64, tally map[string]int64, aborted int) string {
	var labels []string
	for label := range tally {
		labels = append(labels, label)
	}
	sort.Strings(labels)
	var entries []string
	for _, label := range labels {
		entries = append(entries, fmt.Sprintf("%s:%d", quote(label), tally[label]))
	}
	third := ""
	if aborted > 0 {
		third = fmt.Sprintf(`,"aborted":%d`, aborted)
	}
	return fmt.Sprintf(`{"ops":%d,"results":{%s}%s}`, count, strings.Join(entries, ","), third)
}

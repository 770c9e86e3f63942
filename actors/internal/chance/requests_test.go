package chance_test

import (
	"fmt"
	"strings"
)

// requests are the first results under ids, by client and id.
type requests map[[2]string]struct{ op, result string }

// count counts what only live logs have: operations of operators and what became
// of them, and requests that came again.
func (used requests) count(counts tally, op []any, result string) {
	name, _ := op[0].(string)
	switch name {
	case "tick", "evict", "bump", "forget", "close":
		for _, kind := range kinds(result) {
			counts[name+": "+kind]++
		}
	}
	last, ok := op[len(op)-1].(map[string]any)
	if !ok || strings.HasPrefix(result, `"error: invalid`) || result == `"error: unknown operation"` {
		return
	}
	if last["token"] != nil {
		for _, kind := range kinds(result) {
			counts["expecting: "+kind]++
		}
	}
	id, ok := last["id"].(string)
	if !ok {
		return
	}
	counts["id"]++
	key := [2]string{op[2].(string), id}
	asked := fmt.Sprint(name, op[2:])
	first, found := used[key]
	switch {
	case !found:
	case asked != first.op:
		counts["id again, for something else"]++
	case result == first.result:
		counts["id again, the same result"]++
		if strings.HasPrefix(result, `"error`) {
			counts["id again, the same error"]++
		}
		if strings.Contains(kinds(result)[0], "victim") {
			counts["id again, the same victims"]++
		}
		return
	default:
		counts["id again, another result"]++ // it was forgotten
	}
	used[key] = struct{ op, result string }{asked, result}
}

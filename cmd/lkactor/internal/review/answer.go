package review

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// answer is a result as it stands in a file, read for comparison. An answer that has
// no form of rule O has an empty form.
type answer struct {
	form  string // "granted", "queued", "error", "holders" …; see the constants
	value any    // the whole of it

	code     string // of an error
	token    lease.Token
	until    lease.Instant
	position int
	victims  []string
	// noVictims: they are listed, and there are none.
	noVictims bool

	holders []lent   // of an inspect
	queue   []waiter // of an inspect
	age     int64    // of a status; zero for null
	holds   []lent   // of a status: name is the lock
	waiting string   // of a status; empty for null
	text    string   // of any other string
}

// The forms that are not a word of the answer itself.
const (
	formError   = "error"
	formText    = "text"
	formNull    = "null"
	formLock    = "lock"
	formClient  = "client"
	formTally   = "tally"
	formUnknown = ""
)

// lent is a lease in a view: name is the client in that of a lock, the lock in that of
// a client.
type lent struct {
	name  string
	mode  string
	token lease.Token
	until lease.Instant
}

type waiter struct{ client, mode string }

// parse reads the JSON text of an answer; the text must be valid JSON.
func parse(text string) answer {
	var a answer
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&a.value) != nil {
		return answer{value: text}
	}
	switch v := a.value.(type) {
	case nil:
		a.form = formNull
	case string:
		a.word(v)
	case []any:
		if !a.list(v) {
			return answer{value: a.value}
		}
	case map[string]any:
		if !a.object(v) {
			return answer{value: a.value}
		}
	}
	return a
}

// same tells whether two answers say the same, however they are written.
func (a *answer) same(b *answer) bool { return reflect.DeepEqual(a.value, b.value) }

func (a *answer) word(text string) {
	a.text = text
	if code, failed := strings.CutPrefix(text, "error: "); failed {
		a.form, a.code = formError, code
		return
	}
	a.form = formText
}

// is tells whether the answer is the text; a stored value may read the same.
func (a *answer) is(text string) bool { return a.form == formText && a.text == text }

// fails tells whether the answer is an error with that code.
func (a *answer) fails(code lease.Code) bool { return a.form == formError && a.code == code.Error() }

// list reads ["granted", token, until], ["queued", position], ["deadlock", victims]
// and their like, victims last where there are any.
func (a *answer) list(v []any) bool {
	if len(v) < 2 {
		return false
	}
	a.form, _ = v[0].(string)
	rest := v[1:]
	numbers := map[string]int{"granted": 2, "renewed": 2, "queued": 1, "bumped": 1, "deadlock": 0}
	n, known := numbers[a.form]
	if !known || len(rest) < n || len(rest) > n+1 {
		return false
	}
	var got [2]int64
	for i := range n {
		var ok bool
		if got[i], ok = number(rest[i]); !ok {
			return false
		}
	}
	switch a.form {
	case "queued":
		a.position = int(got[0])
	default:
		a.token, a.until = lease.Token(got[0]), lease.Instant(got[1])
	}
	if len(rest) > n {
		names, ok := rest[n].([]any)
		if !ok || a.form == "renewed" || a.form == "bumped" {
			return false
		}
		a.noVictims = len(names) == 0
		for _, name := range names {
			text, ok := name.(string)
			if !ok {
				return false
			}
			a.victims = append(a.victims, text)
		}
	}
	return true
}

func number(v any) (int64, bool) {
	text, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	n, err := text.Int64()
	return n, err == nil
}

// fraction gives the first number in an answer that is no integer of 64 bits, as it is written;
// nothing if all are.
func fraction(v any) string {
	var parts []any
	switch v := v.(type) {
	case json.Number:
		if _, ok := number(v); !ok {
			return v.String()
		}
	case []any:
		parts = v
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, v[key])
		}
	}
	for _, part := range parts {
		if n := fraction(part); n != "" {
			return n
		}
	}
	return ""
}

// object reads the views of inspect and status and the tally of a repeat; what has other
// keys or other types is none of them.
func (a *answer) object(v map[string]any) bool {
	if holders, ok := v["holders"].([]any); ok {
		queue, ok := v["queue"].([]any)
		a.form = formLock
		return ok && len(v) == 2 && a.leases(&a.holders, holders) && a.waiters(queue)
	}
	if holds, ok := v["holds"].([]any); ok {
		a.form = formClient
		var waits, aged bool
		a.waiting, waits = v["waiting"].(string)
		a.age, aged = number(v["age"])
		return len(v) == 3 && (waits || isNull(v, "waiting")) && (aged || isNull(v, "age")) && a.leases(&a.holds, holds)
	}
	a.form = formTally
	_, ok := v["results"].(map[string]any)
	return ok
}

// isNull tells whether a key is there and null.
func isNull(v map[string]any, key string) bool {
	value, there := v[key]
	return there && value == nil
}

// leases reads [[name, mode, token, until], …].
func (a *answer) leases(into *[]lent, list []any) bool {
	for _, item := range list {
		v, ok := item.([]any)
		if !ok || len(v) != 4 {
			return false
		}
		name, named := v[0].(string)
		mode, moded := v[1].(string)
		token, counted := number(v[2])
		until, timed := number(v[3])
		if !named || !moded || !counted || !timed {
			return false
		}
		*into = append(*into, lent{name, mode, lease.Token(token), lease.Instant(until)})
	}
	return true
}

// waiters reads [[client, mode], …].
func (a *answer) waiters(list []any) bool {
	for _, item := range list {
		v, ok := item.([]any)
		if !ok || len(v) != 2 {
			return false
		}
		client, named := v[0].(string)
		mode, moded := v[1].(string)
		if !named || !moded {
			return false
		}
		a.queue = append(a.queue, waiter{client, mode})
	}
	return true
}

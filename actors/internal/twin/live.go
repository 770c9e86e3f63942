package twin

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A day, for which a result is remembered, and how many of one client's are
// (E3).
const (
	day            = 24 * 3600 * 1_000_000_000
	mostRemembered = 1024
)

// extra is the object that an operation of a live log may end with (E3).
type extra struct {
	id    string // empty if there is none
	token int64

	hasToken bool
}

// answer is the first result of some client's request (E3).
type answer struct {
	client, id string
	asked      string // the operation and its arguments
	at         int64  // when the id was first used
	result     string
}

// takeExtra takes the object off the end of the arguments, if there is one, and
// keeps it for the operation. ok is false where it is not as E3 wants it or not
// for an operation of this name: an id needs a client that asks, a token a lease
// that is meant.
func (t *Twin) takeExtra(name string, args []json.RawMessage) (rest []json.RawMessage, ok bool) {
	if len(args) == 0 {
		return args, true
	}
	last := len(args) - 1
	entries, ok := members(args[last])
	if !ok {
		return args, true // no object: an argument like any other
	}
	if len(entries) == 0 {
		return nil, false
	}
	for i, e := range entries {
		for _, before := range entries[:i] {
			if before.key == e.key {
				return nil, false
			}
		}
		switch e.key {
		case "id":
			t.extra.id, ok = text(e.value)
			ok = ok && t.extra.id != "" && has(clientsOperations, name)
		case "token":
			t.extra.token, ok = limited(e.value)
			t.extra.hasToken = true
			ok = ok && t.extra.token >= 1 && has(leasesOperations, name)
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return args[:last], true
}

// The operations that name a client, and those that are about one lease of it.
const (
	clientsOperations = "acquire renew release status evict close"
	leasesOperations  = "renew release"
)

// has tells whether a name is in a list.
func has(list, name string) bool {
	for known := range strings.FieldsSeq(list) {
		if known == name {
			return true
		}
	}
	return false
}

// isExpected tells whether lease number i is the one that the operation means,
// if it says so.
func (t *Twin) isExpected(i int) bool {
	return !t.extra.hasToken || t.leases[i].token == t.extra.token
}

// once is the rule about ids (E3): what has been done under the id of the
// operation in hand is not done again. asked is the operation with its
// arguments, do what it does; everything that can be checked without the state
// has been.
func (t *Twin) once(client string, asked []string, do func() string) string {
	id := t.extra.id
	if id == "" {
		return do()
	}
	// The expected token is an argument like the others.
	what := fmt.Sprintf("%q %v %d", asked, t.extra.hasToken, t.extra.token)
	later := 0 // ids of the client
	for i := len(t.asked) - 1; i >= 0; i-- {
		a := t.asked[i]
		if a.client != client {
			continue
		}
		if later == mostRemembered || t.now >= a.at+day {
			break // forgotten, as is all that came before
		}
		if a.id == id {
			if a.asked != what {
				return idReused
			}
			return a.result
		}
		later++
	}
	result := do()
	t.asked = append(t.asked, answer{client, id, what, t.now, result})
	return result
}

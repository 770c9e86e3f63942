package chance

import (
	"encoding/json"
	"slices"
)

// pass only lets time pass (E2).
func (m *maker) pass() {
	m.tick()
	m.emit("tick")
}

// evict takes from a client what it holds, or sometimes what it waits for.
func (m *maker) evict() {
	m.tick()
	if m.percent(30) {
		client, s := m.find(waits)
		if s.waiting != "" {
			m.emit("evict", client, s.waiting)
			return
		}
	}
	client, s := m.find(holds)
	m.emit("evict", client, m.oneOf(s.holds))
}

// bump lifts a counter a little, or not at all, or rarely to the end.
func (m *maker) bump() {
	m.tick()
	lock := m.lock()
	token := max(1, m.asked[lock]+m.rng.Int64N(9)-3)
	if m.percent(2) {
		token = mostInstant - m.rng.Int64N(3)
	}
	var bumped []json.RawMessage
	var counter int64
	if json.Unmarshal([]byte(m.emit("bump", lock, token)), &bumped) == nil && json.Unmarshal(bumped[1], &counter) == nil {
		m.asked[lock] = min(counter, mostGuess)
	}
}

// mostGuess keeps what a maker believes of counters away from the ends of int64.
const mostGuess = 1 << 40

// forget drops a lock that is free, as a rule.
func (m *maker) forget() {
	m.tick()
	lock := m.lock()
	if m.percent(knowing) {
		free := slices.DeleteFunc(slices.Clone(m.locks), func(lock string) bool { return m.freeAt[lock] > m.now })
		lock = m.oneOf(free)
	}
	if m.emit("forget", lock) == `"forgotten"` {
		m.forgotten = max(m.forgotten, m.asked[lock])
		m.asked[lock] = 0
	}
}

// closeClient unregisters a client that has nothing, as a rule.
func (m *maker) closeClient() {
	m.tick()
	client, _ := m.find(func(s situation) bool { return idles(s) && !holds(s) })
	m.emit("close", client)
}

// spoilObject gives the text of an operation of a live log with a wrong object at
// its end, or a good one in a place where it may be wrong (E3).
func (m *maker) spoilObject(elements []string) string {
	object := pick(m, junkObjects)
	last := len(elements) - 1
	switch {
	case elements[last][0] == '{' && m.percent(70):
		elements[last] = object
	case m.percent(15):
		elements = slices.Insert(elements, m.rng.IntN(len(elements)), object)
	default:
		elements = append(elements, object)
	}
	return listOf(elements)
}

// junkObjects are no objects that E3 knows, or not everywhere.
var junkObjects = []string{
	`{"id":"j"}`, `{"id":"j"}`, `{"token":1}`, `{"token":1}`, `{"id":"j","token":2}`, `{ "\u0069d" : "\u006a" }`, `{"token":4611686018427387904}`,
	`{}`, `[]`, `null`, `["id","j"]`, `{"id":""}`, `{"id":5}`, `{"id":null}`, `{"id":{"id":"j"}}`, `{"id":"\ud800"}`, "{\"id\":\"\xff\"}",
	`{"token":0}`, `{"token":-1}`, `{"token":1.0}`, `{"token":1e0}`, `{"token":"1"}`, `{"token":null}`, `{"token":4611686018427387905}`,
	`{"token":1000000000000000000000000000000}`, `{"id":"j","id":"j"}`, `{"id":"j","\u0069d":"j"}`, `{"token":1,"token":1}`,
	`{"id":"j","x":1}`, `{"ID":"j"}`, `{"Token":1}`, `{"":"j"}`, "{\"id\xff\":\"j\"}", `{"\ud800":"j"}`, `{"id":"j","token":0}`, `{"lkactor":1}`,
}

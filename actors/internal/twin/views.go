package twin

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// inspect shows one lock: holders by token, queue oldest first.
func (t *Twin) inspect(args []json.RawMessage) string {
	if len(args) != 1 {
		return invalidArguments
	}
	lock, ok := name(args[0])
	if !ok {
		return invalidArguments
	}
	var held []lease
	for _, l := range t.leases {
		if l.lock == lock {
			held = append(held, l)
		}
	}
	sort.Slice(held, func(a, b int) bool { return held[a].token < held[b].token })
	var holders, queue []string
	for _, l := range held {
		holders = append(holders, fmt.Sprintf(`[%s,"%s",%d,%d]`, quote(l.client), l.mode, l.token, l.until))
	}
	for _, r := range t.queue {
		if r.lock == lock {
			queue = append(queue, fmt.Sprintf(`[%s,"%s"]`, quote(r.client), r.mode))
		}
	}
	return fmt.Sprintf(`{"holders":[%s],"queue":[%s]}`, strings.Join(holders, ","), strings.Join(queue, ","))
}

// status shows one client (C3): holds sorted by the name of the lock.
func (t *Twin) status(args []json.RawMessage) string {
	if len(args) != 1 {
		return invalidArguments
	}
	client, ok := name(args[0])
	if !ok {
		return invalidArguments
	}
	return t.once(client, []string{"status", client}, func() string { return t.describe(client) })
}

// describe is the result of a status.
func (t *Twin) describe(client string) string {
	age, waiting := "null", "null"
	if t.ages[client] != 0 {
		age = fmt.Sprint(t.ages[client])
	}
	if i := t.request(client); i >= 0 {
		waiting = quote(t.queue[i].lock)
	}
	var holds []string
	for _, lock := range t.locksOf(client) {
		l := t.leases[t.lease(client, lock)]
		holds = append(holds, fmt.Sprintf(`[%s,"%s",%d,%d]`, quote(lock), l.mode, l.token, l.until))
	}
	return fmt.Sprintf(`{"age":%s,"holds":[%s],"waiting":%s}`, age, strings.Join(holds, ","), waiting)
}

// locksOf gives the locks a client holds, ascending. UTF-8 was made so that the
// order of bytes is the order of code points (O10).
func (t *Twin) locksOf(client string) []string {
	var locks []string
	for _, l := range t.leases {
		if l.client == client {
			locks = append(locks, l.lock)
		}
	}
	sort.Strings(locks)
	return locks
}

// write asks the fenced store to keep a value (F1).
func (t *Twin) write(args []json.RawMessage) string {
	if len(args) != 4 {
		return invalidArguments
	}
	lock, ok1 := name(args[0])
	key, ok2 := name(args[1])
	value, ok3 := name(args[2])
	token, ok4 := limited(args[3])
	if !ok1 || !ok2 || !ok3 || !ok4 || token < 1 {
		return invalidArguments
	}
	if token < t.accepted[lock] {
		return staleToken
	}
	t.record(lock)
	t.accepted[lock] = token
	t.stored[place{lock, key}] = value
	return `"ok"`
}

// read asks the fenced store for a value (F2).
func (t *Twin) read(args []json.RawMessage) string {
	if len(args) != 2 {
		return invalidArguments
	}
	lock, ok1 := name(args[0])
	key, ok2 := name(args[1])
	if !ok1 || !ok2 {
		return invalidArguments
	}
	value, found := t.stored[place{lock, key}]
	if !found {
		return "null"
	}
	return quote(value)
}

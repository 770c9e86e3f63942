package mailbox

import (
	"slices"
	"sync"
)

// queue is messages from any goroutine, taken out all at once by one. System
// messages are taken before user messages.
type queue struct {
	mu     sync.Mutex
	user   []any
	system []any
}

func (q *queue) push(m any) {
	q.mu.Lock()
	q.user = append(q.user, m)
	q.mu.Unlock()
}

func (q *queue) pushSystem(m any) {
	q.mu.Lock()
	q.system = append(q.system, m)
	q.mu.Unlock()
}

// swap takes what is queued and leaves the two given slices, emptied, to be
// filled next.
func (q *queue) swap(user, system []any) (takenUser, takenSystem []any) {
	clear(user)
	clear(system)
	q.mu.Lock()
	takenUser, q.user = q.user, user[:0]
	takenSystem, q.system = q.system, system[:0]
	q.mu.Unlock()
	return takenUser, takenSystem
}

// takeSystem appends the system messages that are queued to those taken before.
func (q *queue) takeSystem(taken []any) []any {
	q.mu.Lock()
	taken = append(taken, q.system...)
	clear(q.system)
	q.system = q.system[:0]
	q.mu.Unlock()
	return taken
}

// putBack puts user messages before those that have come meanwhile.
func (q *queue) putBack(user []any) {
	q.mu.Lock()
	q.user = append(slices.Clone(user), q.user...)
	q.mu.Unlock()
}

func (q *queue) size() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.user)
}

func (q *queue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.user)+len(q.system) == 0
}

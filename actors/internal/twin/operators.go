package twin

import (
	"encoding/json"
	"fmt"
)

// tick only lets time pass, which run has done (E2).
func (t *Twin) tick(args []json.RawMessage) string {
	if len(args) != 0 {
		return invalidArguments
	}
	return "null"
}

// evict is a release by somebody else than the client (E4).
func (t *Twin) evict(args []json.RawMessage) string {
	if len(args) != 2 {
		return invalidArguments
	}
	client, ok1 := name(args[0])
	lock, ok2 := name(args[1])
	if !ok1 || !ok2 {
		return invalidArguments
	}
	return t.once(client, []string{"evict", client, lock}, func() string {
		return t.giveUp(client, lock)
	})
}

// bump lifts a counter (E4).
func (t *Twin) bump(args []json.RawMessage) string {
	if len(args) != 2 {
		return invalidArguments
	}
	lock, ok1 := name(args[0])
	token, ok2 := limited(args[1])
	if !ok1 || !ok2 || token < 1 {
		return invalidArguments
	}
	t.record(lock)
	t.counters[lock] = max(t.counters[lock], token)
	return fmt.Sprintf(`["bumped",%d]`, t.counters[lock])
}

// record makes the record of a lock if it has none. What makes one is a grant, a
// bump and a write that is accepted; its counter then starts at the highest that
// was ever forgotten, so that no token comes again (E4).
func (t *Twin) record(lock string) {
	if _, found := t.counters[lock]; !found {
		t.counters[lock] = t.forgotten
	}
}

// forget drops the record of a lock that is in no use (E4).
func (t *Twin) forget(args []json.RawMessage) string {
	if len(args) != 1 {
		return invalidArguments
	}
	lock, ok := name(args[0])
	if !ok {
		return invalidArguments
	}
	for _, l := range t.leases {
		if l.lock == lock {
			return lockInUse
		}
	}
	if t.head(lock) >= 0 {
		return lockInUse
	}
	for at := range t.stored {
		if at.lock == lock {
			return lockInUse
		}
	}
	t.forgotten = max(t.forgotten, t.counters[lock])
	delete(t.counters, lock)
	return `"forgotten"`
}

// close unregisters a client that has nothing (E4).
func (t *Twin) close(args []json.RawMessage) string {
	if len(args) != 1 {
		return invalidArguments
	}
	client, ok := name(args[0])
	if !ok {
		return invalidArguments
	}
	return t.once(client, []string{"close", client}, func() string {
		if t.request(client) >= 0 || len(t.locksOf(client)) > 0 {
			return clientBusy
		}
		delete(t.ages, client)
		return `"closed"`
	})
}

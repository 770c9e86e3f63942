package twin

// advance moves the clock to ts, never back (O4, O11), and retires what has
// lapsed by then: the earliest expiry first, one lease at a time, each handed on
// at its own instant, until nothing due is left (T1, T3). Leases that end at the
// same instant are taken in the order they were granted; no result depends on
// that.
func (t *Twin) advance(ts int64) {
	if !t.begun || ts > t.now {
		t.now, t.begun = ts, true
	}
	for {
		due := -1
		for i, l := range t.leases {
			if l.until <= t.now && (due < 0 || l.until < t.leases[due].until) {
				due = i
			}
		}
		if due < 0 {
			return
		}
		t.endLease(due, t.leases[due].until)
	}
}

// endLease takes away lease number i and lets the lock pass on at instant at.
func (t *Twin) endLease(i int, at int64) {
	lock := t.leases[i].lock
	t.leases = append(t.leases[:i:i], t.leases[i+1:]...)
	t.promote(lock, at)
}

// endRequest takes request number i out of the queue, now.
func (t *Twin) endRequest(i int) {
	lock := t.queue[i].lock
	t.queue = append(t.queue[:i:i], t.queue[i+1:]...)
	t.promote(lock, t.now)
}

// promote is Q3: while the head of the queue is compatible, grant it.
func (t *Twin) promote(lock string, at int64) {
	for {
		i := t.head(lock)
		if i < 0 || !t.compatible(t.queue[i]) {
			return
		}
		granted := t.queue[i]
		t.queue = append(t.queue[:i:i], t.queue[i+1:]...)
		t.grant(granted, at)
	}
}

// grant gives r its lease from instant at on, under the next token of the lock
// (T2, Q2).
func (t *Twin) grant(r request, at int64) {
	t.record(r.lock)
	t.counters[r.lock]++
	t.leases = append(t.leases, lease{r.lock, r.client, r.mode, t.counters[r.lock], at + r.ttl})
}

// compatible tells whether r could hold its lock beside those who hold it now
// (L1).
func (t *Twin) compatible(r request) bool {
	for _, l := range t.leases {
		if l.lock == r.lock && (l.mode != "shared" || r.mode != "shared") {
			return false
		}
	}
	return true
}

// head finds the oldest request for a lock; -1 if there is none.
func (t *Twin) head(lock string) int {
	for i, r := range t.queue {
		if r.lock == lock {
			return i
		}
	}
	return -1
}

// request finds the one request a client may have in any queue (C1); -1 if it
// does not wait.
func (t *Twin) request(client string) int {
	for i, r := range t.queue {
		if r.client == client {
			return i
		}
	}
	return -1
}

// lease finds the lease of a client on a lock; -1 if there is none.
func (t *Twin) lease(client, lock string) int {
	for i, l := range t.leases {
		if l.client == client && l.lock == lock {
			return i
		}
	}
	return -1
}

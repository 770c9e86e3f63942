package twin

// resolve is D3 to D6 for the requester just queued. It gives the clients it
// aborted, in order.
func (t *Twin) resolve(requester string) (victims []string) {
	for {
		victim, found := t.youngestOnCycle(requester)
		if !found {
			return victims
		}
		t.abort(victim)
		victims = append(victims, victim)
		if victim == requester {
			return victims
		}
	}
}

// abort is D5: the request first, then the leases by name, then the
// registration.
func (t *Twin) abort(victim string) {
	if i := t.request(victim); i >= 0 {
		t.endRequest(i)
	}
	for _, lock := range t.locksOf(victim) {
		t.endLease(t.lease(victim, lock), t.now)
	}
	delete(t.ages, victim)
}

// youngestOnCycle gives the client of the largest age among those that the
// requester can reach and that can reach the requester (D3, D4).
func (t *Twin) youngestOnCycle(requester string) (youngest string, found bool) {
	edges := t.waitFor()
	for client := range reachable(edges, requester) {
		if !reachable(edges, client)[requester] {
			continue
		}
		// Ages differ, so the order in which a map gives them does not matter.
		if !found || t.ages[client] > t.ages[youngest] {
			youngest, found = client, true
		}
	}
	return youngest, found
}

// waitFor draws the whole graph of D1: for each who waits, an edge to every
// holder of the lock and to everybody queued ahead.
func (t *Twin) waitFor() map[string][]string {
	edges := map[string][]string{}
	for i, waiting := range t.queue {
		for _, l := range t.leases {
			if l.lock == waiting.lock {
				edges[waiting.client] = append(edges[waiting.client], l.client)
			}
		}
		for _, ahead := range t.queue[:i] {
			if ahead.lock == waiting.lock {
				edges[waiting.client] = append(edges[waiting.client], ahead.client)
			}
		}
	}
	return edges
}

// reachable gives the clients that can be reached from one by one edge or more.
func reachable(edges map[string][]string, from string) map[string]bool {
	seen := map[string]bool{}
	var visit func(client string)
	visit = func(client string) {
		for _, next := range edges[client] {
			if !seen[next] {
				seen[next] = true
				visit(next)
			}
		}
	}
	visit(from)
	return seen
}

// Package client is the lock service as a job sees it: acquire a lock, work under
// its lease, renew it in time, give it back.
//
//	c, err := client.Open(ctx, engine, "etl-a")
//	l, err := c.Acquire(ctx, "exports/daily", client.Terms{TTL: 30 * time.Second, KeepAlive: true})
//	err = export(l.Context(), l.Token()) // stops before the lease ends
//	err = l.Release(ctx)
//
// A [Client] is one client of the service, by its name, and at most one Client
// of that name is open at a time. A [Lease] is one lease of it; it knows by its own
// clock when it can no longer be relied on, whether or not the service answers.
// Every grant carries a fencing token, which goes with each write to the store
// that the lock protects: no local clock replaces it.
//
// What happens to one acquire and to one lease is decided by the pure state
// machines of package claim. This package gives them the time, timers, contexts
// and a [Service] to talk to.
package client

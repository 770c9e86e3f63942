// Package claim is what one holder knows of its own claim to a lock: the course
// of an acquire until it is granted or given up ([Wait]), how long the lease that
// comes of it may be relied on ([Term]), and how long to stay away before trying
// again ([Backoff]).
//
// All of it is pure: who uses it tells the time, draws the chance, sends the
// operations and sees to it that one goroutine at a time is inside. Instants here
// are the holder's own, nanoseconds since whenever it began to count; they are
// never those of the service.
package claim

// Package mailbox decides whose goroutine serves an actor. Each type here is a
// mailbox of Proto.Actor; which one an actor gets is the engine's dispatch
// policy.
package mailbox

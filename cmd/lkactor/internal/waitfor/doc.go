// Package waitfor draws who waits for whom, as text for Graphviz or Mermaid: clients
// are round, locks are boxes, an arrow leads from a waiter to the lock it waits for,
// with its place in the queue, and from a lock to those who hold it. So following the
// arrows is waiting. In a deadlock the cycle is drawn thick and red, with a dashed
// arrow from a waiter to the one ahead of it where the cycle goes that way, and the
// victim is filled.
//
// [At] and [Deadlock] take a picture from a story; dot.go and mermaid.go write it. The
// pictures do not depend on each other, so any number can be written into one graph.
package waitfor

// Package lease is the vocabulary of the engine: the nouns of the lease rules
// and nothing that acts on them.
//
// It imports no other package of this module, so every other package may import
// it: the four actor packages speak to each other in these types and never
// import one another.
//
// Reading order: [Operation] (what somebody asks), [Result] (what they are
// told), [Effect] (what happened to a lease on the way), then [Lane] and
// [Post], the two messages in which operations and effects travel.
//
// Rule numbers in comments (T3, Q1, D5 …) are those of docs/RULES.md.
package lease

// Package review holds the answers that were recorded of a log against those that
// the rules give, and says of each that differs which rule decides it, and why, with
// the facts: whose lease, which token, which instant, which earlier operation.
//
// The answers of the rules are those of the engine's own cores, told by package story;
// nothing of a rule is worked out here. What is worked out is which rule two different
// answers are about: the files judge_*.go have that, one for each kind of operation.
//
// After the first difference the state of what was recorded is not ours any more, and
// nobody knows what it is. standing.go keeps what may be concerned, and tells causes
// from what may only follow from them.
package review

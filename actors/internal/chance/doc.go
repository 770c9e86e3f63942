// Package chance makes random operation logs for the tests, the same ones for
// the same seed on every machine, and makes a log that failed small again.
//
// It owns a list of profiles, each a kind of trouble worth looking for: rings
// and lapses at the same instants, transactions that deadlock, readers and
// writers, chains of lapses, bystanders in a ring, malformed input, repeats; in
// live logs requests that come again, too late or changed, and operators. A maker of logs runs what it has made so far through the twin, to know who
// holds and waits for what, so that its next operation is about something; it
// uses what it knows most of the time and not always.
//
// It never judges: what the results of a log ought to be is for the caller to
// ask the twin. Of this module it imports only that, and it is imported by tests
// only.
package chance

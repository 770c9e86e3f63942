// Package story tells what happened in an operation log, plain or live, as a
// stream of events: who was granted what and why just then, who stood behind whom,
// what lapsed and when that was noticed, which write was refused because of which
// other, who was aborted and on which cycle.
//
// The log is run through the model with somebody watching. Events are the effects
// and answers of the very cores that decide the results, put into context; no rule
// is applied here a second time. What the package adds is memory: [Book] is the
// fold of the events so far, and supplies what an effect does not say of itself, such
// as the lease that ended to make room.
//
// Begin with [Story.Do]; [Event] lists what there is to be told. The package knows
// no text and no picture, no file and no clock: those who write or draw stories do.
package story

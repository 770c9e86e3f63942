// Package actors is the lease-lock engine, assembled.
//
// An [Engine] runs inside an actor system of its embedder's:
//
//	engine, err := actors.Start(system)
//	result, err := engine.Do(ctx, lease.Operation{…})
//	err = engine.Stop(ctx)
//
// It is a small group of actors under one parent, the sequencer:
//
//	caller ──op──▶ sequencer ──lane──▶ lock actor (one per lock)     rules T L Q F
//	               │   ▲                   │ results + effects
//	               │   └───────────────────┘ (back in the order of operations)
//	               ├──post──▶ client actor (one per client)          rule C
//	               └─inquiry─▶ deadlock actor (one per engine)       rule D
//
// The rules live in pure state machines, one package each: [sequencer],
// [lockactor], [clientactor], [deadlock]. They speak package lease and never
// import each other; this package puts them together. Package model puts the
// same ones together without actors.
//
// With a clock ([WithClock]) an engine is live, and package client is how a job
// gets its locks from it. With a journal ([WithJournal], package durable) what it knows
// outlives it.
//
// Start reading here, then lease/operation.go, lockactor/lock.go,
// sequencer/route.go and sequencer/gather.go.
package actors

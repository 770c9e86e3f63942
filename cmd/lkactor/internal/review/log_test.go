package review

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

// second is how long one is in the logs of a dialect.
func second(d lease.Dialect) int64 {
	if d == lease.Live {
		return 1e9
	}
	return 1
}

// randomLog makes a log in which a few clients fight over a few locks: queues, rings,
// lapses, renewals in time and too late, writes with old and new tokens; in a live log
// ticks and evictions besides.
func randomLog(t *trial) []lease.Operation {
	rng, d := t.rng, t.dialect
	clients, locks := 2+rng.IntN(5), 1+rng.IntN(4)
	var ops []lease.Operation
	now := int64(rng.IntN(100))
	for range 20 + rng.IntN(120) {
		now += int64([]int{0, 0, 0, 1, 1, 2, 5}[rng.IntN(7)])
		op := lease.Operation{
			At: lease.Instant(now * second(d)), Client: fmt.Sprint("c", rng.IntN(clients)), Lock: fmt.Sprint("L", rng.IntN(locks)),
			TTL: lease.Duration(int64(1+rng.IntN(40)) * second(d)),
		}
		switch dice := rng.IntN(20); {
		case d == lease.Live && dice == 0:
			op = lease.Operation{Kind: lease.Tick, At: op.At}
		case d == lease.Live && dice == 1:
			op.Kind, op.TTL = lease.Evict, 0
		case dice < 9:
			op.Kind, op.Mode = lease.Acquire, lease.Mode(max(0, rng.IntN(4)-2))
		case dice < 11:
			op.Kind = lease.Renew
		case dice < 13:
			op.Kind, op.TTL = lease.Release, 0
		case dice < 15:
			op = lease.Operation{Kind: lease.Inspect, At: op.At, Lock: op.Lock}
		case dice < 17:
			op = lease.Operation{Kind: lease.Status, At: op.At, Client: op.Client}
		case dice < 19:
			op = lease.Operation{Kind: lease.Write, At: op.At, Lock: op.Lock, Key: "k", Value: fmt.Sprint("v", now), Token: lease.Token(1 + rng.IntN(6))}
		default:
			op = lease.Operation{Kind: lease.Read, At: op.At, Lock: op.Lock, Key: "k"}
		}
		ops = append(ops, op)
	}
	return ops
}

// grouped makes a log of several that have nothing to do with each other, in which some
// operations fail their checks and, in a live log, operators have a hand, and requests have
// ids and name tokens.
func grouped(t *trial, groups int) []lease.Operation {
	rng, d := t.rng, t.dialect
	var ops []lease.Operation
	for g := range groups {
		var again []lease.Operation // with ids
		for _, op := range randomLog(t) {
			if rename := fmt.Sprintf("-%d", g); g > 0 {
				op.Client, op.Lock = added(op.Client, rename), added(op.Lock, rename)
			}
			switch dice := rng.IntN(40); {
			case dice == 0 && op.Kind == lease.Acquire:
				op.TTL = 0
			case dice == 1:
				op = lease.Operation{Kind: lease.Acquire, At: op.At, Client: "c1"}
			case dice < 4 && d == lease.Live && op.Lock != "":
				op = lease.Operation{Kind: lease.Forget, At: op.At, Lock: op.Lock}
			case dice == 4 && d == lease.Live && op.Client != "":
				op = lease.Operation{Kind: lease.Close, At: op.At, Client: op.Client}
			case dice < 7 && d == lease.Live && len(again) > 0:
				at := op.At
				op = again[rng.IntN(len(again))]
				op.At = at
			case dice < 16 && d == lease.Live && (op.Kind == lease.Acquire || op.Kind == lease.Renew || op.Kind == lease.Release):
				if op.Kind != lease.Acquire && dice < 12 {
					op.Expect = lease.Token(1 + rng.IntN(6))
				}
				if dice > 9 {
					op.ID = fmt.Sprint("id", rng.IntN(20))
					again = append(again, op)
				}
			}
			ops = append(ops, op)
		}
	}
	slices.SortStableFunc(ops, func(a, b lease.Operation) int { return cmp.Compare(a.At, b.At) })
	return ops
}

func added(name, end string) string {
	if name == "" {
		return ""
	}
	return name + end
}

// textOf gives an operation as it stands in a log.
func textOf(op *lease.Operation) string { return string(oplog.AppendOperation(nil, op)) }

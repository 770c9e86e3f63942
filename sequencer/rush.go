package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// rush notices that leases end in quick succession. Those that end in the rest of half a
// least ttl, half a millisecond, are then settled together, which takes half the time and
// leaves the processors to those who are told. A lease that ends alone is never kept
// waiting.
type rush struct {
	since  lease.Instant
	lapses uint64 // since then
}

const (
	rushLapses = 8 // in one span
	rushSpan   = lease.Instant(lease.MinTTLNanoseconds) / 2
)

// note takes note of lapses that were settled now.
func (r *rush) note(now lease.Instant, lapses uint64) {
	if now >= r.since+rushSpan {
		*r = rush{since: now}
	}
	r.lapses += lapses
}

// over is when the next lapses are to be settled at the earliest.
func (r *rush) over() lease.Instant {
	if r.lapses < rushLapses {
		return lease.Dawn
	}
	return r.since + rushSpan
}

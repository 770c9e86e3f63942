package lease

// Dialect is which of the two kinds of log an operation belongs to: they differ in
// the unit of time and in what operations there are (E1).
type Dialect uint8

const (
	// Plain logs are what a person writes: the eight operations of rule O, in
	// whole seconds.
	Plain Dialect = iota
	// Live logs are the history of a live engine: nanoseconds since its zero, with
	// the operations of rule E and without repeat.
	Live
)

// Has tells whether operations of the kind occur in the dialect. Refused ones
// occur in both.
func (d Dialect) Has(k Kind) bool {
	if d == Live {
		return k < Settle && k != Repeat
	}
	return k <= Repeat
}

// MinTTL is the least ttl that an acquire or renew may ask for (O7, E1).
func (d Dialect) MinTTL() Duration {
	if d == Live {
		return MinTTLNanoseconds
	}
	return MinTTLSeconds
}

// MaxTTL is the greatest ttl that an acquire or renew may ask for (O7, E1).
func (d Dialect) MaxTTL() Duration {
	if d == Live {
		return MaxTTLNanoseconds
	}
	return MaxTTLSeconds
}

func (d Dialect) checkTTL(ttl Duration) Code {
	if ttl < d.MinTTL() || ttl > d.MaxTTL() {
		return InvalidTTL
	}
	return OK
}

package lease

import "math"

// Instant is a point in log time: whole seconds in a plain log (O). It has no
// zone and no zero of its own; only differences mean anything. Negative instants
// are lawful (O4).
type Instant int64

// Duration is a span of log time in the same unit as [Instant]. A ttl that does
// not fit is kept as the nearest bound of int64, which is out of every range.
type Duration int64

// Never is the due instant of something that will not happen by itself.
const Never Instant = math.MaxInt64

// Dawn lies before every instant an operation can carry: the clock of a service
// that has not handled anything yet (O4).
const Dawn Instant = math.MinInt64

// Token is a fencing token: the number a lock gives to a lease when it grants
// it, rising by one from 1 (Q2). Zero means no token.
type Token int64

// Age is a client's registration number (C2): 1 for the first client that ever
// registered. The larger the age, the younger the client. Zero means not
// registered.
type Age int64

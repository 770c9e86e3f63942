package lease

import "unicode/utf8"

// Kind names an operation.
type Kind uint8

// The operations. Refused and Settle never come from outside: Refused stands for
// an operation that failed a check before the rules were asked, Settle is the
// sequencer's own request to bring one lock up to an instant (T1).
const (
	Refused Kind = iota
	Acquire
	Renew
	Release
	Inspect
	Status
	Write
	Read
	Repeat // plain logs only
	Tick   // live logs only (E), as are all that follow
	Evict
	Bump
	Forget
	Close
	Settle
)

var kindNames = [...]string{
	Refused: "refused",
	Acquire: "acquire",
	Renew:   "renew",
	Release: "release",
	Inspect: "inspect",
	Status:  "status",
	Write:   "write",
	Read:    "read",
	Repeat:  "repeat",
	Tick:    "tick",
	Evict:   "evict",
	Bump:    "bump",
	Forget:  "forget",
	Close:   "close",
	Settle:  "settle",
}

// String gives the name of the operation as logs write it.
func (k Kind) String() string { return kindNames[k] }

// ParseKind reads the name of an operation of a log in the dialect; ok is false
// for any other text (O2).
func ParseKind(name string, d Dialect) (k Kind, ok bool) {
	for k = Acquire; k < Settle; k++ {
		if kindNames[k] == name {
			if d.Has(k) {
				return k, true
			}
			break
		}
	}
	return Refused, false
}

// Operation is one entry of an operation log, decoded and typed. Which fields
// matter depends on Kind, as in the table of rule O; the others stay zero.
//
// The strings may alias a buffer of the caller's until the operation is
// answered; whatever the engine keeps, it copies.
type Operation struct {
	Kind Kind
	Mode Mode // Acquire

	// Code is why a Refused operation was refused.
	Code Code
	// Untimed marks a Refused operation that failed before O4 and so does not
	// move the clock.
	Untimed bool

	At    Instant  // the ts it was logged with, before O11
	TTL   Duration // Acquire, Renew
	Token Token    // Write, Bump

	Client string // Acquire, Renew, Release, Status, Evict, Close
	Lock   string // all but Status, Repeat, Tick and Close
	Key    string // Write, Read
	Value  string // Write

	Repeat *Repetition // Repeat

	// What an operation of a live log may add (E3).
	ID     string // names the request of Client; empty for none
	Expect Token  // Renew, Release: the token the lease must have; zero for any
}

// Refuse gives the operation that only reports code, having moved the clock to
// at first (O5..O7).
func Refuse(at Instant, code Code) Operation {
	return Operation{Kind: Refused, At: at, Code: code}
}

// RefuseUntimed gives the operation that reports code and leaves the clock alone
// (O1..O3).
func RefuseUntimed(code Code) Operation {
	return Operation{Kind: Refused, Untimed: true, Code: code}
}

// Timeless tells that the operation fails a check before O4 and so does not move
// the clock: that its kind is none of the dialect (O2), or its ts is out of range
// (O3, O9).
func (op *Operation) Timeless(d Dialect) bool {
	return op.Kind == Refused && (op.Untimed || op.Code == UnknownOperation) || !d.Has(op.Kind) || op.At > MaxMagnitude || op.At < -MaxMagnitude
}

// Check tests what the types of Go leave open: that names are non-empty and
// valid Unicode (O6, O10), that the mode is one of two, that ts and token are in
// range (O9), that what live logs may add is where it may be (E3), and then, last,
// the ttl (O7). It answers [OK] or the code of the first check that fails. The
// sequencer checks every operation; anybody else may, too.
func (op *Operation) Check(d Dialect) Code {
	known := op.CheckKnown(d)
	if known == UnknownOperation {
		return known
	}
	if op.ofClient() && !utf8.ValidString(op.Client) || op.ofLock() && !utf8.ValidString(op.Lock) {
		return InvalidArguments
	}
	return known
}

// CheckKnown is [Operation.Check] without asking whether client and lock are
// valid Unicode: enough for names that have been checked before.
func (op *Operation) CheckKnown(d Dialect) Code {
	if !d.Has(op.Kind) {
		return UnknownOperation
	}
	if op.At > MaxMagnitude || op.At < -MaxMagnitude {
		return InvalidArguments
	}
	if (op.ID != "" || op.Expect != 0) && !op.mayAdd(d) {
		return InvalidArguments
	}
	switch op.Kind {
	case Acquire:
		if op.Client == "" || op.Lock == "" || op.Mode > Shared {
			return InvalidArguments
		}
		return d.checkTTL(op.TTL)
	case Renew:
		if op.Client == "" || op.Lock == "" {
			return InvalidArguments
		}
		return d.checkTTL(op.TTL)
	case Release, Evict:
		if op.Client == "" || op.Lock == "" {
			return InvalidArguments
		}
	case Inspect, Forget:
		if op.Lock == "" {
			return InvalidArguments
		}
	case Status, Close:
		if op.Client == "" {
			return InvalidArguments
		}
	case Write:
		if op.Lock == "" || !isName(op.Key) || !isName(op.Value) || !isToken(op.Token) {
			return InvalidArguments
		}
	case Bump:
		if op.Lock == "" || !isToken(op.Token) {
			return InvalidArguments
		}
	case Read:
		if op.Lock == "" || !isName(op.Key) {
			return InvalidArguments
		}
	case Repeat:
		if op.Repeat == nil {
			return InvalidArguments
		}
		return op.Repeat.check()
	case Refused:
		if op.Code == UnknownOperation || op.Code == InvalidTTL && !op.Untimed {
			return op.Code
		}
		return InvalidArguments // no other check refuses; the zero Operation is of no use
	}
	return OK
}

// mayAdd tells whether what live logs may add to an operation stands where it may
// (E3): a request belongs to a client, and only a renew or release is of a lease.
func (op *Operation) mayAdd(d Dialect) bool {
	if d != Live || op.ID != "" && (!op.ofClient() || op.Client == "" || !utf8.ValidString(op.ID)) {
		return false
	}
	return op.Expect == 0 || isToken(op.Expect) && (op.Kind == Renew || op.Kind == Release)
}

// ofClient tells whether operations of this kind name a client.
func (op *Operation) ofClient() bool {
	switch op.Kind {
	case Acquire, Renew, Release, Status, Evict, Close:
		return true
	}
	return false
}

// ofLock tells whether operations of this kind name a lock.
func (op *Operation) ofLock() bool {
	switch op.Kind {
	case Refused, Status, Repeat, Tick, Close:
		return false
	}
	return true
}

// Bare gives the operation without what its kind has no use for: what a log has of
// it, and what is compared when a request comes again (E3).
func (op *Operation) Bare() Operation {
	b := Operation{Kind: op.Kind, At: op.At, ID: op.ID}
	if op.ofClient() {
		b.Client = op.Client
	}
	switch op.Kind {
	case Refused:
		b.Code, b.Untimed = op.Code, op.Untimed
	case Acquire:
		b.Lock, b.TTL, b.Mode = op.Lock, op.TTL, op.Mode
	case Renew:
		b.Lock, b.TTL, b.Expect = op.Lock, op.TTL, op.Expect
	case Release:
		b.Lock, b.Expect = op.Lock, op.Expect
	case Inspect, Evict, Forget:
		b.Lock = op.Lock
	case Write:
		b.Lock, b.Key, b.Value, b.Token = op.Lock, op.Key, op.Value, op.Token
	case Read:
		b.Lock, b.Key = op.Lock, op.Key
	case Bump:
		b.Lock, b.Token = op.Lock, op.Token
	case Repeat:
		b.Repeat = op.Repeat
	}
	return b
}

// isName tells whether s can name or be something: O6 wants it non-empty, O10
// valid Unicode.
func isName(s string) bool { return s != "" && utf8.ValidString(s) }

func isToken(t Token) bool { return t >= 1 && t <= MaxMagnitude }

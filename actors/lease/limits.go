package lease

// Limits of the vocabulary. Limits of the log's text are in package oplog, those
// of a running engine in package actors.
const (
	// MaxMagnitude bounds a ts, token, count and step in absolute value (O9). An
	// expiry may lie beyond it by at most one ttl, which still fits 64 bits.
	MaxMagnitude = 1 << 62

	// MaxBump is the highest token that those who run an engine have a counter raised to
	// (E4): 2^32 more can still be issued and written with (O9), which is one each
	// millisecond for seven weeks. The rules themselves know no such limit; it is for where
	// an operator's request comes in.
	MaxBump = MaxMagnitude - 1<<32

	// MinTTLSeconds and MaxTTLSeconds bound a ttl of a plain log, inclusive (O7).
	MinTTLSeconds = 1
	MaxTTLSeconds = 86_400

	// MinTTLNanoseconds and MaxTTLNanoseconds bound a ttl of a live log,
	// inclusive (E1).
	MinTTLNanoseconds = 1_000_000
	MaxTTLNanoseconds = 86_400 * 1_000_000_000

	// RequestWindow is for how long, in nanoseconds of log time, and how many
	// requests of its client back, the result under a request id is remembered
	// (E3).
	RequestWindow = 24 * 3600 * 1_000_000_000
	RequestCount  = 1024

	// MaxRepeatCount is how often one repeat may run its template (R).
	MaxRepeatCount = 100_000

	// MaxPlaceholderDigits is how many digits a number inside a placeholder may
	// have, leading zeros counted (R3).
	MaxPlaceholderDigits = 18
)

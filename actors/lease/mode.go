package lease

// Mode is how a lease shares its lock with others (L1).
type Mode uint8

// The two modes. Exclusive is the default of an acquire that names none.
const (
	Exclusive Mode = iota
	Shared
)

// String gives the mode as logs write it.
func (m Mode) String() string {
	if m == Shared {
		return "shared"
	}
	return "exclusive"
}

// ParseMode reads a mode as logs write it; ok is false for any other text (O6).
func ParseMode(text string) (m Mode, ok bool) {
	switch text {
	case "exclusive":
		return Exclusive, true
	case "shared":
		return Shared, true
	}
	return 0, false
}

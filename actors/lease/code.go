package lease

// Code says why an operation was refused. A refusal is a result like any other
// (O): nothing is thrown, and a replay goes on. Code is also a Go error so that
// an embedder can match it with errors.Is.
type Code uint8

// The codes, with the rules that give them.
const (
	OK               Code = iota // not refused
	InvalidArguments             // O1, O3, O5, O6, O9, R3
	UnknownOperation             // O2
	InvalidTTL                   // O7
	ClientBusy                   // C1
	NotHolder                    // L3, L5
	StaleToken                   // F1
	IDReused                     // E3
	StaleLease                   // E3
	LockInUse                    // E4
)

var codeTexts = [...]string{
	OK:               "ok",
	InvalidArguments: "invalid arguments",
	UnknownOperation: "unknown operation",
	InvalidTTL:       "invalid ttl",
	ClientBusy:       "client busy",
	NotHolder:        "not holder",
	StaleToken:       "stale token",
	IDReused:         "id reused",
	StaleLease:       "stale lease",
	LockInUse:        "lock in use",
}

// Error gives the code as it follows "error: " in a result.
func (c Code) Error() string { return codeTexts[c] }

// FailureText is the whole text of the result of an operation refused with code
// (O).
func FailureText(code Code) string { return failureTexts[code] }

var failureTexts = func() (texts [len(codeTexts)]string) {
	for code, text := range codeTexts {
		texts[code] = "error: " + text
	}
	return texts
}()

package fence

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/leasekeeper/lkactor/actors/lease"
)

var (
	// ErrStale is matched by the refusal of a write whose token is lower than one
	// already accepted (F1). The owner has been overtaken: it must stop, and not
	// try again. errors.As with *[StaleError] tells by whom.
	ErrStale error = lease.StaleToken

	// ErrInvalid is matched when an argument is none: a name that [CheckName]
	// refuses, or a token out of range. Nothing was asked of the store.
	ErrInvalid error = lease.InvalidArguments

	// ErrConflict is matched when the store gave this attempt up in favour of
	// another: a serialisation failure, a deadlock, a lock not to be had in time,
	// a race lost too often. Nothing was written; trying again may succeed.
	ErrConflict = errors.New("fence: gave way to another writer")

	// ErrAmbiguous is matched when the store cannot tell whether the write was
	// done: the answer to it was lost, and it may still be under way. Doing it again
	// under the same token is right if doing it twice is (P4). Otherwise settle it
	// before reading, as docs/FENCING.md says for each store: a read alone may come
	// before the write.
	ErrAmbiguous = errors.New("fence: it is not known whether the write was done")
)

// StaleError is the refusal of a write by an owner that has been overtaken. It
// matches [ErrStale].
type StaleError struct {
	Scope    string
	Refused  lease.Token // the token of the write
	Accepted lease.Token // the highest token accepted in the scope; higher
}

// Error names the scope and both tokens.
func (e *StaleError) Error() string {
	return fmt.Sprintf("fence: %v: scope %q has accepted %d, refused %d", ErrStale, e.Scope, e.Accepted, e.Refused)
}

// Unwrap makes the error match [ErrStale].
func (e *StaleError) Unwrap() error { return ErrStale }

// Limits of a store's arguments.
const (
	// MaxNameBytes is how long a scope or key may be, in bytes. It is what the
	// index of every supported database has room for; a value has no such limit.
	MaxNameBytes = 1024
	// MaxToken is the highest token, the limit of O9.
	MaxToken lease.Token = lease.MaxMagnitude
)

// CheckName tells why name cannot name a scope or a key, nil if it can: a name is
// not empty, valid Unicode (O6, O10) and no longer than [MaxNameBytes].
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("fence: %w: an empty name", ErrInvalid)
	case len(name) > MaxNameBytes:
		return fmt.Errorf("fence: %w: a name of %d bytes, more than %d", ErrInvalid, len(name), MaxNameBytes)
	case !utf8.ValidString(name):
		return fmt.Errorf("fence: %w: the name %q is not valid Unicode", ErrInvalid, name)
	}
	return nil
}

// CheckOwner tells why a write in scope cannot carry token, nil if it can: the
// scope is a name and the token lies in 1 to [MaxToken].
func CheckOwner(scope string, token lease.Token) error {
	if err := CheckName(scope); err != nil {
		return err
	}
	if token < 1 || token > MaxToken {
		return fmt.Errorf("fence: %w: the token %d", ErrInvalid, token)
	}
	return nil
}

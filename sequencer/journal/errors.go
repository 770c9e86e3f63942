package journal

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed is the answer of every call after Close.
	ErrClosed = errors.New("journal: closed")

	// ErrTooLarge is Append's answer to a record above MaxRecordBytes. The
	// journal is as before.
	ErrTooLarge = errors.New("journal: record too large")

	// ErrNotFound is the answer to an index that the journal does not hold: it was
	// released, or is not durable yet, or there is no such snapshot.
	ErrNotFound = errors.New("journal: no such index")

	// ErrMoving is Look's answer when whoever writes to the directory has changed
	// it during each of lookTries readings. It says nothing of damage: look again.
	ErrMoving = errors.New("journal: the directory has changed each time while it was read; look again")
)

// A DamageError says that what was once durable is not what was written. Nothing
// is repaired and nothing dropped: the directory stays as it is, for a person or
// a backup to decide.
type DamageError struct {
	File   string // path of the file
	Offset int64  // where in the file the trouble begins, in bytes
	Index  uint64 // the first record that cannot be had; 0 when that is not known
	Why    string // what is wrong, for people

	// CutShort: the end of the newest segment has been taken away or written over. What
	// is left before that is whole, and Options.AcceptCut goes on with it.
	CutShort bool
}

// Error implements error.
func (e *DamageError) Error() string {
	if e.Index == 0 {
		return fmt.Sprintf("journal: damage in %s at byte %d: %s", e.File, e.Offset, e.Why)
	}
	return fmt.Sprintf("journal: damage in %s at byte %d, record %d: %s", e.File, e.Offset, e.Index, e.Why)
}

// A VersionError says that something undamaged was written in a form that this
// program does not know, most likely by a newer one.
type VersionError struct {
	File    string // path of the file
	Offset  int64  // where in the file, in bytes
	What    string // what it is that has the version: "frame", "segment" …
	Version uint32 // the version found
}

// Error implements error.
func (e *VersionError) Error() string {
	return fmt.Sprintf("journal: %s at byte %d: %s version %d is not known to this program",
		e.File, e.Offset, e.What, e.Version)
}

// A LockedError says that a process, this one or another, has the directory open.
type LockedError struct {
	File string // path of the lock file
	PID  int    // who holds it; 0 when that is not known
}

// Error implements error.
func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("journal: in use by another process (lock file %s)", e.File)
	}
	return fmt.Sprintf("journal: in use by process %d (lock file %s)", e.PID, e.File)
}

// A FailedError is the answer of every call after a write or a sync has failed.
// It wraps the first failure and stays the same from then on: what the disk has
// after that is unknown until the directory is opened afresh.
type FailedError struct {
	Doing string // what was being done: "sync", "write" …
	Err   error  // what the file system said
}

// Error implements error.
func (e *FailedError) Error() string {
	return fmt.Sprintf("journal: stopped for good, %s failed: %v", e.Doing, e.Err)
}

// Unwrap gives the file system's error, for errors.Is(err, syscall.ENOSPC).
func (e *FailedError) Unwrap() error { return e.Err }

package journal

import "io"

// FS is all that the journal asks of a file system. The operating system's is
// [OS]; crashfs has one in memory that loses power on request.
//
// Paths are the operating system's. Nothing is durable before the Sync of its
// file (content and size) and the SyncDir of its directory (names) have returned
// without an error. A method may be called from several goroutines at once.
type FS interface {
	// MkdirAll makes a directory and its missing parents, 0700, durably. One that
	// exists is left alone.
	MkdirAll(dir string) error
	// List gives the names in a directory, sorted; an error that is
	// fs.ErrNotExist when there is no such directory.
	List(dir string) ([]string, error)
	// Create makes an empty file, 0600, in place of any that has the name.
	Create(path string) (File, error)
	// Open opens an existing file for reading and writing.
	Open(path string) (File, error)
	// OpenRead opens an existing file for reading.
	OpenRead(path string) (File, error)
	// Rename gives a file another name in the same directory, in one step, in
	// place of any file that has it.
	Rename(from, to string) error
	// Remove takes a name away.
	Remove(path string) error
	// SyncDir makes the names in a directory durable.
	SyncDir(dir string) error
	// Lock makes the file at path if need be and takes it for this opener alone,
	// or answers *LockedError. The lock ends with Close or with the process.
	Lock(path string) (Lock, error)
	// Holder says whether somebody has the lock, and who as far as is known. It
	// takes nothing and changes nothing.
	Holder(path string) (pid int, held bool, err error)
}

// Lock is a directory that has been taken.
type Lock interface {
	io.Closer
	// Still answers an error if the directory's path does not lead to what was taken any
	// more: it was renamed, or another one put in its place.
	Still() error
}

// File is an open file. Reads and writes name their place.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	// Size gives the length in bytes.
	Size() (int64, error)
	// Truncate makes the file this long; what it loses reads as zeros if the file
	// grows again.
	Truncate(size int64) error
	// Preallocate makes the file at least this long and sets the space aside, so
	// that no write below size finds the disk full. What is new reads as zeros.
	Preallocate(size int64) error
	// Sync makes content and size durable (fdatasync).
	Sync() error
}

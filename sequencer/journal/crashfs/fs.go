package crashfs

import (
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// FS is a file system in memory. Its methods may be called from any goroutine;
// results repeat only if the order of the calls does.
type FS struct {
	mu     sync.Mutex
	dirs   map[string]*directory
	locked map[string]bool
	random *rand.Rand

	ops    int            // changing operations begun
	before func(Op)       // may be nil
	next   func(*FS, int) // does the operation under way, or a first part of it
	faults map[int]error
	limit  int64 // of the bytes in all files; 0 for none
}

var _ journal.FS = (*FS)(nil)

// Op is a changing operation that is about to begin.
type Op struct {
	Number int    // counted from 1
	Verb   string // create, write, truncate, preallocate, sync, rename, remove, syncdir or mkdir
	Path   string
}

// New makes an empty file system. What chance decides follows from the seed.
func New(seed uint64) *FS {
	return &FS{
		dirs: map[string]*directory{}, locked: map[string]bool{},
		random: newRandom(seed), faults: map[int]error{},
	}
}

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x6a6f75726e616c)) }

// Before has hook called before each changing operation, on the goroutine that
// does it; the hook may call PowerLoss and Kill, and then sees this operation
// done, half done or not at all.
func (f *FS) Before(hook func(Op)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before = hook
}

// Ops gives how many changing operations have begun.
func (f *FS) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ops
}

// FailAt has the changing operation with this number, counted from the beginning,
// fail with err.
func (f *FS) FailAt(number int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults[number] = err
}

// Limit has all files together take no more bytes than this: what would make one longer
// than there is room for does nothing and fails with ENOSPC. 0 means no limit.
func (f *FS) Limit(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.limit = bytes
}

// Used gives how many bytes all files have together.
func (f *FS) Used() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.used()
}

func (f *FS) used() (bytes int64) {
	for _, d := range f.dirs {
		for _, n := range d.seen {
			bytes += int64(len(n.seen))
		}
	}
	return bytes
}

// room says whether a file can be made this long.
func (f *FS) room(verb string, file *file, size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if more := size - int64(len(file.node.seen)); f.limit > 0 && more > 0 && f.used()+more > f.limit {
		return &fs.PathError{Op: verb, Path: file.path, Err: syscall.ENOSPC}
	}
	return nil
}

// change is the frame of every changing operation: do does it, or with part >= 0
// only the first so many bytes of it, on the file system given.
func (f *FS) change(verb, path string, do func(on *FS, part int) error) error {
	f.mu.Lock()
	f.ops++
	op, before, fault := Op{Number: f.ops, Verb: verb, Path: path}, f.before, f.faults[f.ops]
	if before != nil {
		f.next = func(on *FS, part int) { _ = do(on, part) } // it fails there as it would here
		f.mu.Unlock()
		before(op)
		f.mu.Lock()
		f.next = nil
	}
	defer f.mu.Unlock()
	if fault != nil {
		f.fail(verb, path, do)
		return &fs.PathError{Op: verb, Path: path, Err: fault}
	}
	return do(f, -1)
}

// fail leaves behind what a failed operation does.
func (f *FS) fail(verb, path string, do func(on *FS, part int) error) {
	switch verb {
	case "write":
		_ = do(f, f.random.IntN(1<<16)) // any prefix; the fault is the error to tell
	case "sync":
		n := f.node(path)
		if n == nil {
			return
		}
		n.lose(f.random)
		if f.random.IntN(2) == 0 {
			n.seen = append([]byte(nil), n.disk...)
		}
	case "rename", "remove", "truncate":
		if f.random.IntN(2) == 0 {
			_ = do(f, -1) // done all the same
		}
	}
}

// node finds a file by what a process sees.
func (f *FS) node(path string) *inode {
	d := f.dirs[filepath.Dir(path)]
	if d == nil {
		return nil
	}
	return d.seen[filepath.Base(path)]
}

// MkdirAll implements journal.FS. Directories are durable at once.
func (f *FS) MkdirAll(dir string) error {
	f.mu.Lock()
	exists := f.dirs[dir] != nil
	f.mu.Unlock()
	if exists {
		return nil
	}
	return f.change("mkdir", dir, func(on *FS, _ int) error {
		on.dirs[dir] = newDirectory()
		return nil
	})
}

// List implements journal.FS.
func (f *FS) List(dir string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.dirs[dir]
	if d == nil {
		return nil, missing("list", dir)
	}
	return slices.Sorted(maps.Keys(d.seen)), nil
}

// Create implements journal.FS.
func (f *FS) Create(path string) (journal.File, error) {
	err := f.change("create", path, func(on *FS, _ int) error {
		d := on.dirs[filepath.Dir(path)]
		if d == nil {
			return missing("create", path)
		}
		if n := on.node(path); n != nil {
			n.resize(0)
			return nil
		}
		d.do(entry{name: filepath.Base(path), file: &inode{}})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f.Open(path)
}

// Open implements journal.FS.
func (f *FS) Open(path string) (journal.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.node(path)
	if n == nil {
		return nil, missing("open", path)
	}
	return &file{fs: f, node: n, path: path}, nil
}

// OpenRead implements journal.FS.
func (f *FS) OpenRead(path string) (journal.File, error) { return f.Open(path) }

// Rename implements journal.FS.
func (f *FS) Rename(from, to string) error {
	return f.change("rename", from, func(on *FS, _ int) error {
		n := on.node(from)
		if n == nil || filepath.Dir(from) != filepath.Dir(to) {
			return missing("rename", from)
		}
		on.dirs[filepath.Dir(to)].do(entry{name: filepath.Base(to), file: n, old: filepath.Base(from)})
		return nil
	})
}

// Remove implements journal.FS.
func (f *FS) Remove(path string) error {
	return f.change("remove", path, func(on *FS, _ int) error {
		if on.node(path) == nil {
			return missing("remove", path)
		}
		on.dirs[filepath.Dir(path)].do(entry{name: filepath.Base(path)})
		return nil
	})
}

// SyncDir implements journal.FS.
func (f *FS) SyncDir(dir string) error {
	return f.change("syncdir", dir, func(on *FS, part int) error {
		if part >= 0 {
			return nil // one that was not finished has promised nothing
		}
		d := on.dirs[dir]
		if d == nil {
			return missing("syncdir", dir)
		}
		d.sync()
		return nil
	})
}

func missing(verb, path string) error {
	return &fs.PathError{Op: verb, Path: path, Err: fs.ErrNotExist}
}

var errClosed = errors.New("crashfs: the file is closed")

package crashfs

import (
	"maps"
	"path/filepath"
	"slices"
)

// Clone gives a copy, with the same files in the same condition and nothing of the limit,
// the locks, hooks and faults.
func (f *FS) Clone(seed uint64) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.clone(seed)
}

func (f *FS) clone(seed uint64) *FS {
	c := New(seed)
	files := map[*inode]*inode{nil: nil}
	copied := func(n *inode) *inode {
		if _, ok := files[n]; !ok {
			files[n] = n.clone()
		}
		return files[n]
	}
	for _, name := range slices.Sorted(maps.Keys(f.dirs)) {
		c.dirs[name] = f.dirs[name].clone(copied)
	}
	return c
}

// PowerLoss gives the file system as it might be found after the power failed at
// this moment. The present one goes on as if nothing had happened.
func (f *FS) PowerLoss(seed uint64) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.clone(seed)
	if f.next != nil && c.random.IntN(2) == 0 {
		f.next(c, c.random.IntN(1<<16))
	}
	lost := map[*inode]bool{}
	for _, name := range slices.Sorted(maps.Keys(c.dirs)) {
		d := c.dirs[name]
		d.lose(c.random)
		for _, file := range slices.Sorted(maps.Keys(d.seen)) {
			n := d.seen[file]
			if !lost[n] {
				n.lose(c.random)
				n.seen = append([]byte(nil), n.disk...)
				lost[n] = true
			}
		}
	}
	return c
}

// Kill gives the file system as it might be after the process died at this
// moment: all it had written is seen, the write under way perhaps in part, and
// nothing more is durable than before. Locks are gone.
func (f *FS) Kill(seed uint64) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.clone(seed)
	if f.next != nil && c.random.IntN(2) == 0 {
		f.next(c, c.random.IntN(1<<16))
	}
	return c
}

// Bytes gives a copy of a file's content as a process sees it, nil if there is
// none.
func (f *FS) Bytes(path string) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.node(path)
	if n == nil {
		return nil
	}
	return append([]byte{}, n.seen...)
}

// Put makes a file's content this, durably, name included.
func (f *FS) Put(path string, content []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	dir, name := filepath.Dir(path), filepath.Base(path)
	if f.dirs[dir] == nil {
		f.dirs[dir] = newDirectory()
	}
	n := &inode{seen: append([]byte(nil), content...), disk: append([]byte(nil), content...)}
	f.dirs[dir].seen[name], f.dirs[dir].disk[name] = n, n
}

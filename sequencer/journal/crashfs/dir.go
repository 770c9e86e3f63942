package crashfs

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// directory is the names in one directory.
type directory struct {
	seen    map[string]*inode
	disk    map[string]*inode
	pending []entry
}

// entry is one step that may or may not have reached the disk: a name gets a file
// or, with none, goes; a rename takes away the old name in the same step.
type entry struct {
	name string
	file *inode
	old  string // "" unless a rename
}

func newDirectory() *directory {
	return &directory{seen: map[string]*inode{}, disk: map[string]*inode{}}
}

// clone copies the directory, with each file copied once however many names it
// has.
func (d *directory) clone(copied func(*inode) *inode) *directory {
	c := newDirectory()
	for _, name := range slices.Sorted(maps.Keys(d.seen)) {
		c.seen[name] = copied(d.seen[name])
	}
	for _, name := range slices.Sorted(maps.Keys(d.disk)) {
		c.disk[name] = copied(d.disk[name])
	}
	for _, e := range d.pending {
		e.file = copied(e.file)
		c.pending = append(c.pending, e)
	}
	return c
}

// do takes a step in what a process sees.
func (d *directory) do(e entry) {
	e.apply(d.seen)
	d.pending = append(d.pending, e)
}

func (e entry) apply(names map[string]*inode) {
	if e.old != "" {
		delete(names, e.old)
	}
	if e.file == nil {
		delete(names, e.name)
	} else {
		names[e.name] = e.file
	}
}

// sync makes the names durable.
func (d *directory) sync() {
	d.disk = maps.Clone(d.seen)
	d.pending = nil
}

// lose makes the disk what it might be if no sync came, and that what is seen.
func (d *directory) lose(r *rand.Rand) {
	if n := len(d.pending); n > 0 {
		keep := chooser(r, n)
		for i, e := range d.pending {
			if keep(i) {
				e.apply(d.disk)
			}
		}
	}
	d.seen = maps.Clone(d.disk)
	d.pending = nil
}

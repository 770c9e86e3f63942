package filefence

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// mortal is a disk whose user dies at a step: that step and all that follow are
// not done.
type mortal struct {
	posix
	left atomic.Int64 // steps to live
	die  func()       // called at the step, nil to only fail
	step string       // the one it died at
}

var errDead = errors.New("dead")

func newMortal(steps int, die func()) *mortal {
	m := &mortal{die: die}
	m.left.Store(int64(steps))
	return m
}

func (m *mortal) live(step, path string) error {
	left := m.left.Add(-1)
	if left >= 0 {
		return nil
	}
	if left == -1 {
		m.step = step + " " + short(path)
		if m.die != nil {
			m.die()
		}
	}
	return errDead
}

func (m *mortal) mkdir(path string) error {
	return first(m.live("mkdir", path), func() error { return m.posix.mkdir(path) })
}

func (m *mortal) create(path string) (*os.File, error) {
	if err := m.live("create", path); err != nil {
		return nil, err
	}
	return m.posix.create(path)
}

func (m *mortal) sync(f *os.File) error {
	return first(m.live("sync", f.Name()), func() error { return m.posix.sync(f) })
}

func (m *mortal) syncPath(path string) error {
	return first(m.live("sync", path), func() error { return m.posix.syncPath(path) })
}

func (m *mortal) rename(from, to string) error {
	return first(m.live("rename to", to), func() error { return m.posix.rename(from, to) })
}

func (m *mortal) symlink(target, link string) error {
	return first(m.live("link", link), func() error { return m.posix.symlink(target, link) })
}

func (m *mortal) remove(path string) error {
	return first(m.live("remove", path), func() error { return m.posix.remove(path) })
}

func (m *mortal) removeAll(path string) error {
	return first(m.live("remove", path), func() error { return m.posix.removeAll(path) })
}

func first(err error, then func() error) error {
	if err != nil {
		return err
	}
	return then()
}

// short gives a path without what differs from run to run.
func short(path string) string {
	parts := strings.Split(path, string(filepath.Separator))
	for i, part := range parts {
		prefix, id, _ := strings.Cut(part, "-")
		switch {
		case len(part) == 64:
			parts[i] = "<digest>"
		case len(part) == 32:
			parts[i] = "<id>"
		case len(id) == 32:
			parts[i] = prefix + "-<id>"
		}
	}
	path = strings.Join(parts, "/")
	if _, below, ok := strings.Cut(path, "/root"); ok {
		return "root" + below
	}
	return path
}

package filefence

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// makeDurable makes the directory path and those above it, up to the root, each
// so that it is there after a crash. One that is there already may have been made
// just now by somebody who has not got as far as making it durable.
func (p *Publisher) makeDurable(path string) error {
	if path == p.root {
		return nil
	}
	if _, known := p.durable.Load(path); known {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			return nil
		}
	}
	parent := filepath.Dir(path)
	if err := p.makeDurable(parent); err != nil {
		return err
	}
	if err := p.disk.mkdir(path); err != nil {
		return err
	}
	if err := p.disk.syncPath(parent); err != nil {
		return err
	}
	p.durable.Store(path, struct{}{})
	return nil
}

// readyTree moves the staged directory among the versions of its name and makes
// the link that shall lead there.
func (p *Publisher) readyTree(s *stage, scope, name, target string) (*swap, error) {
	previous, err := currentVersion(target)
	if err != nil {
		return nil, err
	}
	dir := p.scopeDir(scope)
	versions := filepath.Join(dir, "trees", digest(name))
	if err := p.makeDurable(versions); err != nil {
		return nil, err
	}
	version, link := filepath.Join(versions, newID()), filepath.Join(dir, linkPrefix+newID())
	to, err := filepath.Rel(filepath.Dir(target), version)
	if err != nil {
		return nil, err
	}
	if err := p.disk.rename(s.output(), version); err != nil {
		return nil, err
	}
	ready := &swap{
		from:   link,
		placed: func() { p.forget(versions, filepath.Base(version), filepath.Base(previous)) },
		undo: func() {
			_ = p.disk.remove(link)
			_ = p.disk.removeAll(version)
		},
	}
	if err := errors.Join(p.disk.syncPath(versions), p.disk.symlink(to, link)); err != nil {
		ready.cancel()
		return nil, err
	}
	return ready, nil
}

// currentVersion gives where the link target leads, "" if it is none.
func currentVersion(target string) (string, error) {
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case info.Mode().Type() != fs.ModeSymlink:
		return "", nil
	}
	return os.Readlink(target)
}

// forget removes the versions of a name but for the two given: nobody leads there
// any more, and whoever went there before the last swap has had time to leave.
func (p *Publisher) forget(versions, current, previous string) {
	entries, err := os.ReadDir(versions)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Name() != current && e.Name() != previous {
			_ = p.disk.removeAll(filepath.Join(versions, e.Name()))
		}
	}
}

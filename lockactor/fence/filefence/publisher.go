package filefence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// hidden is the directory under the root that is not for readers.
const hidden = ".fence"

// Publisher publishes files and directories under one root. All methods may be
// called from any goroutine, and from many processes that have a publisher on the
// same root. Make one with [New].
type Publisher struct {
	root string
	disk disk
	// durable has the directories that this publisher has made durable, so that
	// it does so once.
	durable sync.Map // of path to struct{}
}

// New gives a publisher on root, which must be an existing directory of a local
// file system; all that is published is in it.
func New(root string) *Publisher { return &Publisher{root: filepath.Clean(root), disk: posix{}} }

// makeDurable makes the directory path and those above it, up to the root, each
// so that it is there after a crash. One that is there already may have been made
// just now by somebody who has not got as far as making it durable.
func (p *Publisher) makeDurable(path string) error {
	if path == p.root {
		return nil
	}
	if _, known := p.durable.Load(path); known {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
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

// checkName tells why nothing can be published under name, nil if it can.
func checkName(name string) error {
	first, _, _ := strings.Cut(name, string(filepath.Separator))
	if !filepath.IsLocal(name) || filepath.Clean(name) != name || name == "." || first == hidden {
		return fmt.Errorf("filefence: %w: %q is no name below the root", fence.ErrInvalid, name)
	}
	return nil
}

func (p *Publisher) scopeDir(scope string) string {
	return filepath.Join(p.root, hidden, digest(scope))
}

// File publishes what write writes as the file name, a path below the root. Only
// when write is finished does anything change for a reader, and then at once.
//
// If token is lower than one accepted in scope before, nothing changes and the
// error is a *fence.StaleError; write may have run. It matches
// fence.ErrAmbiguous if the new file is in its place and may still be lost in a
// crash of the machine. After any other error, that of write or of ctx too, the
// old file is in its place.
func (p *Publisher) File(ctx context.Context, scope string, token lease.Token, name string, write func(f *os.File) error) error {
	return p.run(ctx, scope, token, name, func(s *stage) (func() error, error) {
		f, err := p.disk.create(s.output())
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if err := write(f); err != nil {
			return nil, err
		}
		if err := p.disk.sync(f); err != nil {
			return nil, err
		}
		return func() error { return p.placeFile(s, name) }, f.Close()
	})
}

// Directory publishes the directory that fill has filled as name, a path below
// the root. There it is a symbolic link; a reader that opens files through it one
// after the other may find that it leads elsewhere between two of them, so it
// should resolve the link once and stay with what it found. The version before
// is kept for such readers until the next one is published.
//
// Errors are as with [Publisher.File]. What is not a link is never replaced.
func (p *Publisher) Directory(ctx context.Context, scope string, token lease.Token, name string, fill func(dir string) error) error {
	return p.run(ctx, scope, token, name, func(s *stage) (func() error, error) {
		if err := p.disk.mkdir(s.output()); err != nil {
			return nil, err
		}
		if err := fill(s.output()); err != nil {
			return nil, err
		}
		return func() error { return p.placeTree(s, scope, name) }, syncTree(p.disk, s.output())
	})
}

// Accepted gives the highest token accepted in scope, zero if none. It waits for
// whoever is publishing: a token that is recorded and whose output is not yet in
// place has not been accepted yet.
func (p *Publisher) Accepted(ctx context.Context, scope string) (lease.Token, error) {
	if err := errors.Join(fence.CheckName(scope), ctx.Err()); err != nil {
		return 0, err
	}
	dir := p.scopeDir(scope)
	l, err := lock(ctx, filepath.Join(dir, "lock"))
	if errors.Is(err, fs.ErrNotExist) { // no directory, no scope
		return 0, nil
	}
	if err != nil {
		return 0, p.explain(scope, err)
	}
	defer l.Close()
	token, err := readToken(dir, scope)
	return token, p.explain(scope, err)
}

// run stages an output and publishes it. produce fills the stage and gives what
// puts its output in place.
func (p *Publisher) run(ctx context.Context, scope string, token lease.Token, name string,
	produce func(*stage) (place func() error, err error)) error {
	if err := errors.Join(fence.CheckOwner(scope, token), checkName(name)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s, err := p.newStage(ctx, scope, token)
	if err != nil {
		return p.explain(scope, err)
	}
	defer s.discard(p.disk)
	place, err := produce(s)
	if err != nil {
		return p.explain(scope, err)
	}
	return p.explain(scope, p.publish(ctx, scope, token, place))
}

// explain says which scope an error is about; what says so already stays as it
// is.
func (p *Publisher) explain(scope string, err error) error {
	if err == nil || errors.Is(err, fence.ErrStale) {
		return err
	}
	return fmt.Errorf("filefence: scope %q: %w", scope, err)
}

// publish is the part that counts: compare, record, place, all under the scope's
// lock (P2). It works to the end once it has the lock, whatever happens to ctx;
// nothing in it takes long.
func (p *Publisher) publish(ctx context.Context, scope string, token lease.Token, place func() error) error {
	dir := p.scopeDir(scope)
	l, err := lock(ctx, filepath.Join(dir, "lock"))
	if err != nil {
		return err
	}
	defer l.Close()
	if err := ctx.Err(); err != nil {
		return err
	}
	accepted, err := readToken(dir, scope)
	if err != nil {
		return err
	}
	if token < accepted {
		return &fence.StaleError{Scope: scope, Refused: token, Accepted: accepted}
	}
	if token > accepted {
		if err := writeToken(p.disk, dir, scope, token); err != nil {
			return fmt.Errorf("record the token: %w", err)
		}
	}
	return place()
}

// placeFile moves the staged file to its name.
func (p *Publisher) placeFile(s *stage, name string) error {
	target := filepath.Join(p.root, name)
	if err := p.makeDurable(filepath.Dir(target)); err != nil {
		return err
	}
	if err := p.disk.rename(s.output(), target); err != nil {
		return err
	}
	return p.settle(target)
}

// placeTree moves the staged directory among the versions of its name and has
// the link lead there.
func (p *Publisher) placeTree(s *stage, scope, name string) error {
	target := filepath.Join(p.root, name)
	previous, err := currentVersion(target)
	if err != nil {
		return err
	}
	dir := p.scopeDir(scope)
	versions := filepath.Join(dir, "trees", digest(name))
	for _, needed := range []string{versions, filepath.Dir(target)} {
		if err := p.makeDurable(needed); err != nil {
			return err
		}
	}
	version, link := filepath.Join(versions, newID()), filepath.Join(dir, "link-"+newID())
	if err := p.disk.rename(s.output(), version); err != nil {
		return err
	}
	if err := p.disk.syncPath(versions); err != nil {
		return err
	}
	to, err := filepath.Rel(filepath.Dir(target), version)
	if err != nil {
		return err
	}
	if err := p.disk.symlink(to, link); err != nil {
		return err
	}
	if err := p.disk.rename(link, target); err != nil {
		_ = p.disk.remove(link)
		return err
	}
	if err := p.settle(target); err != nil {
		return err
	}
	p.forget(versions, filepath.Base(version), filepath.Base(previous))
	return nil
}

// errNotOurs is why a directory is not published over another one.
var errNotOurs = errors.New("is a directory that was not published; move it away first")

// currentVersion gives where the link target leads, "" if there is none. A
// directory that is no link is not replaced: rename could not, and it is not ours
// to remove.
func currentVersion(target string) (string, error) {
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case info.IsDir():
		return "", &fs.PathError{Op: "publish", Path: target, Err: errNotOurs}
	case info.Mode().Type() != fs.ModeSymlink:
		return "", nil
	}
	return os.Readlink(target)
}

// settle makes the new entry at target durable. It is visible by now, so if that
// fails nobody knows what a crash would leave.
func (p *Publisher) settle(target string) error {
	if err := p.disk.syncPath(filepath.Dir(target)); err != nil {
		return fmt.Errorf("%w: %w", fence.ErrAmbiguous, err)
	}
	return nil
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

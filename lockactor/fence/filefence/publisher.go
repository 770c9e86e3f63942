package filefence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// Publisher publishes files and directories under one root. All methods may be
// called from any goroutine, and from many processes that have a publisher on the
// same root. Make one with [New].
type Publisher struct {
	root string // absolute
	err  error  // why it could not be made absolute
	disk disk
	// durable has the directories that this publisher has made durable, so that
	// it does so once.
	durable sync.Map // of path to struct{}
}

// New gives a publisher on root, which must be an existing directory of a local
// file system; all that is published is in it. A relative root is taken from the
// working directory as it is now, whatever becomes of that later.
func New(root string) *Publisher {
	path, err := filepath.Abs(root)
	return &Publisher{root: path, err: err, disk: posix{}}
}

// File publishes what write writes as the file name, a path below the root. Only
// when write is finished does anything change for a reader, and then at once.
// write must leave f open, and under its name. The file is a new one: its mode is
// what the process gives to new files, not that of the one before, unless write
// changes it.
//
// No directory on the way to name may be a symbolic link, and name itself may be
// no directory: then, as after any other error that can be told beforehand,
// nothing changes and the token is not recorded.
//
// If token is lower than one accepted in scope before, nothing changes and the
// error is a *fence.StaleError; write may have run. It matches
// fence.ErrAmbiguous if the new file is in its place and may still be lost in a
// crash of the machine. After any other error, that of write or of ctx too, the
// old file is in its place.
func (p *Publisher) File(ctx context.Context, scope string, token lease.Token, name string, write func(f *os.File) error) error {
	if err := checkName(name); err != nil {
		return err
	}
	return p.file(ctx, scope, token, name, write)
}

// file is File for names of ours too.
func (p *Publisher) file(ctx context.Context, scope string, token lease.Token, name string, write func(f *os.File) error) error {
	return p.run(ctx, scope, token, name, job{
		produce: func(s *stage) error {
			f, err := p.disk.create(s.output())
			if err != nil {
				return err
			}
			defer f.Close()
			if err := write(f); err != nil {
				return err
			}
			if err := p.disk.sync(f); err != nil {
				return err
			}
			return errors.Join(s.holdsFile(f), f.Close())
		},
		ready: func(s *stage, _ string) (*swap, error) { return &swap{from: s.output()}, nil },
	})
}

// Directory publishes the directory that fill has filled as name, a path below
// the root. There it is a symbolic link; a reader that opens files through it one
// after the other may find that it leads elsewhere between two of them, so it
// should resolve the link once and stay with what it found. The version before
// is kept for such readers until the next one is published.
//
// Errors are as with [Publisher.File]. A directory that is no such link is never
// replaced.
func (p *Publisher) Directory(ctx context.Context, scope string, token lease.Token, name string, fill func(dir string) error) error {
	if err := checkName(name); err != nil {
		return err
	}
	return p.run(ctx, scope, token, name, job{
		produce: func(s *stage) error {
			if err := p.disk.mkdir(s.output()); err != nil {
				return err
			}
			if err := fill(s.output()); err != nil {
				return err
			}
			if err := s.holdsDirectory(); err != nil {
				return err
			}
			return syncTree(p.disk, s.output())
		},
		ready: func(s *stage, target string) (*swap, error) { return p.readyTree(s, scope, name, target) },
	})
}

// Accepted gives the highest token accepted in scope, zero if none. It waits for
// whoever is publishing: a token that is recorded and whose output is not yet in
// place has not been accepted yet. One whose output then could not be put in
// place, for a reason that showed only in the attempt, is among the accepted.
func (p *Publisher) Accepted(ctx context.Context, scope string) (lease.Token, error) {
	if err := errors.Join(fence.CheckName(scope), ctx.Err()); err != nil {
		return 0, err
	}
	if err := p.exists(); err != nil {
		return 0, p.explain(scope, err)
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

// exists tells why there is no root, or one whose tokens are somewhere else. To
// take a root that is not there for one in which nothing has been accepted would
// be wrong: it may only not be mounted.
func (p *Publisher) exists() error {
	if p.err != nil {
		return p.err
	}
	if _, err := os.Stat(p.root); err != nil {
		return err
	}
	own := filepath.Join(p.root, hidden)
	if info, err := os.Lstat(own); err == nil && info.Mode().Type() == fs.ModeSymlink {
		return &fs.PathError{Op: "publish in", Path: own, Err: errLink}
	}
	return nil
}

func (p *Publisher) scopeDir(scope string) string {
	return filepath.Join(p.root, hidden, digest(scope))
}

// job is what differs between publishing a file and a directory.
type job struct {
	// produce fills the stage; it may take long.
	produce func(*stage) error
	// ready does, under the scope's lock, all that can be done before a reader
	// sees anything of it.
	ready func(s *stage, target string) (*swap, error)
}

// swap is a new entry that is ready to be renamed to its place.
type swap struct {
	from   string
	placed func() // after it has been
	undo   func() // if it will not be
}

// run stages an output and publishes it.
func (p *Publisher) run(ctx context.Context, scope string, token lease.Token, name string, j job) error {
	if err := errors.Join(fence.CheckOwner(scope, token), ctx.Err()); err != nil {
		return err
	}
	if err := p.exists(); err != nil {
		return p.explain(scope, err)
	}
	s, err := p.newStage(ctx, scope, token)
	if err != nil {
		return p.explain(scope, err)
	}
	defer s.discard(p.disk)
	// What stands in the way now is told before the work is done for nothing.
	if _, err := p.clear(name); err != nil {
		return p.explain(scope, err)
	}
	if err := j.produce(s); err != nil {
		return p.explain(scope, err)
	}
	return p.explain(scope, p.publish(ctx, scope, token, name, s, j))
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
// nothing in it takes long. Everything that can fail comes before the record, as
// far as that can be arranged.
func (p *Publisher) publish(ctx context.Context, scope string, token lease.Token, name string, s *stage, j job) error {
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
	if err := p.makeDurable(filepath.Dir(filepath.Join(p.root, name))); err != nil {
		return err
	}
	target, err := p.clear(name)
	if err != nil {
		return err
	}
	swap, err := j.ready(s, target)
	if err != nil {
		return err
	}
	if token > accepted {
		if err := writeToken(p.disk, dir, scope, token); err != nil {
			swap.cancel()
			return fmt.Errorf("record the token: %w", err)
		}
	}
	return p.place(swap, target)
}

// place renames the new entry to its place and makes it durable. It is visible by
// then, so if that fails nobody knows what a crash would leave.
func (p *Publisher) place(s *swap, target string) error {
	if err := p.disk.rename(s.from, target); err != nil {
		s.cancel()
		return err
	}
	if err := p.disk.syncPath(filepath.Dir(target)); err != nil {
		return fmt.Errorf("%w: %w", fence.ErrAmbiguous, err)
	}
	if s.placed != nil {
		s.placed()
	}
	return nil
}

// cancel undoes what has been made ready.
func (s *swap) cancel() {
	if s.undo != nil {
		s.undo()
	}
}

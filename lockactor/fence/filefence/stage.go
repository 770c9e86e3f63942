package filefence

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// stage is where one job's output comes into being. Its directory has a lock
// file that is locked as long as the job lives, so that what a dead job has left
// can be told from what a slow one is still writing.
type stage struct {
	dir   string
	owner lockFile
}

// output is the file or directory in the stage.
func (s *stage) output() string { return filepath.Join(s.dir, "output") }

// discard removes the stage with all that is in it. What cannot be removed is
// removed by whoever sweeps next.
func (s *stage) discard(d disk) {
	_ = d.removeAll(s.dir)
	s.owner.Close()
}

// holdsFile tells why the output is not f any more: the job has moved it, or put
// something else in its place, and that is not what was made durable.
func (s *stage) holdsFile(f *os.File) error {
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	found, err := os.Lstat(s.output())
	if err == nil && !os.SameFile(opened, found) {
		err = &fs.PathError{Op: "publish", Path: s.output(), Err: errReplaced}
	}
	return err
}

// holdsDirectory tells why the output is no directory any more.
func (s *stage) holdsDirectory() error {
	found, err := os.Lstat(s.output())
	if err == nil && !found.IsDir() {
		err = &fs.PathError{Op: "publish", Path: s.output(), Err: errReplaced}
	}
	return err
}

// errReplaced is why an output is not published that the job itself has taken
// away.
var errReplaced = errors.New("the job has put something else in its place")

// What a scope's directory has for the time being; the rest of the name is an id.
const (
	stagePrefix = "stage-"
	linkPrefix  = "link-"
	tokenPrefix = "token-"
)

// newStage makes a stage in the scope's directory, unless token is stale already:
// then nothing need be written in vain. That it is not stale now protects
// nothing; publish compares again.
func (p *Publisher) newStage(ctx context.Context, scope string, token lease.Token) (*stage, error) {
	dir := p.scopeDir(scope)
	if err := p.makeDurable(dir); err != nil {
		return nil, err
	}
	// Under the lock nobody sweeps, so nobody takes the new stage for one whose
	// owner is dead.
	l, err := lock(ctx, filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	defer l.Close()
	if err := p.compare(scope, token); err != nil {
		return nil, err
	}
	p.sweep(dir)
	s := &stage{dir: filepath.Join(dir, stagePrefix+newID())}
	if err := p.disk.mkdir(s.dir); err != nil {
		return nil, err
	}
	owner, ok, err := tryLock(filepath.Join(s.dir, "owner"))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("the new stage %s is in use", s.dir)
	}
	s.owner = owner
	return s, nil
}

// compare gives a *fence.StaleError if token is lower than the highest accepted
// in scope (F1).
func (p *Publisher) compare(scope string, token lease.Token) error {
	accepted, err := readToken(p.scopeDir(scope), scope)
	if err == nil && token < accepted {
		err = &fence.StaleError{Scope: scope, Refused: token, Accepted: accepted}
	}
	return err
}

// sweep removes the stages of jobs that have died and what they had on the way
// to the token file. It is called under the scope's lock. An error only means
// that something is left lying.
func (p *Publisher) sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), tokenPrefix), strings.HasPrefix(e.Name(), linkPrefix):
			_ = p.disk.remove(path)
		case strings.HasPrefix(e.Name(), stagePrefix):
			if owner, ok, err := tryLock(filepath.Join(path, "owner")); ok && err == nil {
				_ = p.disk.removeAll(path)
				owner.Close()
			}
		}
	}
}

// newID gives a name that nobody else has.
func newID() string {
	var nonce [16]byte
	rand.Read(nonce[:]) // never fails
	return hex.EncodeToString(nonce[:])
}

package durable

import (
	"errors"
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/sequencer"
)

// ErrUnused is the error of what cannot be done with a directory that no engine has
// used.
var ErrUnused = errors.New("durable: no engine has used the directory yet")

// Bump raises the counter of a lock to at least the token, in a directory that no
// engine has open (E4): recorded and durable like an operation of the engine. Its
// instant is the last recorded one, so every grant of the lock that comes after it in
// the history has a higher token: those too that the time since then brings about, when
// leases of a restored backup have run out and their locks go to who waits in it. A
// bump of the engine itself comes after those. It needs room on the disk for what it writes
// only (journal.Options.Sparing). It gives the counter; the error of a
// token above lease.MaxBump matches actors.ErrBump.
func Bump(dir string, o Options, lock string, token lease.Token) (lease.Token, error) {
	results, err := operate(dir, o, func(*sequencer.Sequencer) []lease.Operation {
		return []lease.Operation{{Kind: lease.Bump, Lock: lock, Token: token}}
	})
	if err != nil {
		return 0, err
	}
	return results[0].Token, nil
}

// BumpAll is Bump for every lock, those that nobody has ever used too. It gives how
// many are known.
func BumpAll(dir string, o Options, token lease.Token) (known int, err error) {
	_, err = operate(dir, o, func(order *sequencer.Sequencer) (ops []lease.Operation) {
		_, _, locks := order.Save()
		scratch := "bump"
		for l := range locks {
			ops = append(ops, lease.Operation{Kind: lease.Bump, Lock: l.Name, Token: token})
			if l.Name == scratch { // they come in ascending order, and this makes it greater
				scratch += "'"
			}
		}
		known = len(ops)
		// Counters of new locks start above the highest token ever forgotten.
		return append(ops,
			lease.Operation{Kind: lease.Bump, Lock: scratch, Token: token},
			lease.Operation{Kind: lease.Forget, Lock: scratch})
	})
	return known, err
}

// operate has operators' operations done in a directory, before anything that the time
// since the last record would bring about. An error says that some may not have been, or
// that they were refused.
func operate(dir string, o Options, choose func(*sequencer.Sequencer) []lease.Operation) ([]lease.Result, error) {
	o.Journal.Sparing = true
	s, err := Open(dir, o)
	if err != nil {
		return nil, err
	}
	results, err := s.operate(choose)
	if closed := s.Close(); err == nil {
		err = closed
	}
	return results, err
}

func (s *Store) operate(choose func(*sequencer.Sequencer) []lease.Operation) ([]lease.Result, error) {
	if !s.begun {
		return nil, ErrUnused
	}
	_, _, order, err := s.Resume(s.header.Zero, s.header.Engine, func(uint64, error) {})
	if err != nil {
		return nil, err
	}
	seq, last := order.Stamp()
	now := last
	if now == lease.Dawn {
		now = 0 // nothing has happened yet, so nothing can lapse
	}
	ops := choose(order)
	for i := range ops {
		if ops[i].Kind == lease.Bump && ops[i].Token > lease.MaxBump {
			return nil, sequencer.ErrBump
		}
		if code := ops[i].Check(lease.Live); code != lease.OK {
			return nil, fmt.Errorf("%v of lock %q: %w", ops[i].Kind, ops[i].Lock, code)
		}
	}
	for i := range ops {
		ops[i].At = now
		s.Add(seq+1+uint64(i), &ops[i])
	}
	if _, err := s.Commit(); err != nil {
		return nil, err
	}
	if err := s.journal.Sync(); err != nil {
		return nil, err
	}
	results := make([]lease.Result, len(ops))
	model.Resume(order, lease.Live, nil).Run(ops, results)
	return results, nil
}

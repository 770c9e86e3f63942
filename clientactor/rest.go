package clientactor

import "github.com/leasekeeper/lkactor/actors/lease"

// kept gives the notes that bring a fresh session of this client's age to where
// this one is; nil if it holds and awaits nothing.
func (s *Session) kept() []lease.Note {
	if s.Idle() {
		return nil
	}
	notes := make([]lease.Note, 0, s.slots.Used()+1)
	for _, h := range s.holds {
		if h.lock != nil {
			notes = append(notes, lease.Note{
				Change: lease.ChangeGranted, Lock: h.lock, Mode: h.mode, Token: h.token, Until: h.until,
			})
		}
	}
	if s.waiting != nil {
		notes = append(notes, lease.Note{Change: lease.ChangeQueued, Lock: s.waiting})
	}
	return notes
}

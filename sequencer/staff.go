package sequencer

// staff is the actors of one role. One whose lock or client has gone idle waits
// here for another: to make an actor takes some microseconds, to give it a new lock
// nothing.
type staff[M any] struct {
	spawn  func() Seat[M]
	vacant []Seat[M]
	made   uint64 // how many have ever been made
}

// vacantKept is how many actors wait for work at most: as many as the clock hand
// can take their locks from between two batches.
const vacantKept = looksPerSeat * MaxBatch

// leaver is a seat whose actor can be stopped, by its sequencer only.
type leaver interface{ Dismiss() }

// hire gives an actor without a lock or client.
func (s *staff[M]) hire() Seat[M] {
	if n := len(s.vacant); n > 0 {
		seat := s.vacant[n-1]
		s.vacant[n-1] = nil
		s.vacant = s.vacant[:n-1]
		return seat
	}
	s.made++
	return s.spawn()
}

// vacate takes back an actor that has left its lock or client.
func (s *staff[M]) vacate(seat Seat[M]) {
	if len(s.vacant) < vacantKept {
		s.vacant = append(s.vacant, seat)
		return
	}
	seat.(leaver).Dismiss()
}

// disband stops the actors that wait for work.
func (s *staff[M]) disband() {
	for _, seat := range s.vacant {
		seat.(leaver).Dismiss()
	}
	s.vacant = nil
}

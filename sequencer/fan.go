package sequencer

// chainLimit is up to how many lanes go one after the other, each sent on its way
// by the one before. In a short batch most of the time is waking goroutines: sent
// one by one from here, each wakes an idle processor, which finds little to do. In
// a long one all processors are busy anyway.
const chainLimit = 64

// fan sends lanes to actors that answer later. Each has a seat already; passes
// tells whether one can send the next.
func fan(lanes []*Lane, passes bool) {
	if !passes || len(lanes) > chainLimit {
		for _, lane := range lanes {
			lane.Entry.Seat.Run(&lane.Lane)
		}
		return
	}
	for i, lane := range lanes[1:] {
		lanes[i].passTo(lane)
	}
	lanes[0].Entry.Seat.Run(&lanes[0].Lane)
}

// passTo has the lane's actor send another one on its way before it does anything
// else, so that a lane that takes long holds up none behind it.
func (l *Lane) passTo(next *Lane) {
	l.next = next
	if l.pass == nil {
		l.pass = func() { l.next.Entry.Seat.Run(&l.next.Lane) }
	}
	l.Pass = l.pass
}

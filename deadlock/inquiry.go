package deadlock

import "github.com/leasekeeper/lkactor/actors/lease"

// Answer takes the effects of an inquiry in their order, then answers its
// question into it.
func (g *Graph) Answer(in *lease.Inquiry) {
	for _, e := range in.Effects {
		g.Apply(e)
	}
	switch in.Ask {
	case lease.AskBegin:
		in.Found = g.Begin(in.Requester)
	case lease.AskVictim:
		in.Victim, in.Found = g.Victim()
		if in.Found && in.Explain {
			in.Deadlock = g.Deadlock()
		}
	case lease.AskNothing:
	}
	in.Steps = g.Steps()
}

package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// fake stands for all actors: every lock grants whatever it is asked for, clients
// and graph keep what they are told.
type fake struct {
	locks     map[string]int // lanes by lock
	gone      []string       // locks and clients that were sent away
	notes     map[string][]lease.Change
	questions map[string]int
	inquiries int
}

func newFake() *fake {
	return &fake{locks: map[string]int{}, notes: map[string][]lease.Change{}, questions: map[string]int{}}
}

type seat struct{}

func (seat) Run(*lease.Lane) {}

type clientSeat struct{}

func (clientSeat) Run(*lease.Post) {}

func (f *fake) Locks(lanes []*Lane) error {
	for _, lane := range lanes {
		lane.Entry.Seat = seat{}
		f.locks[lane.Lock.Name]++
		lane.Effects = lane.Effects[:0]
		lane.Due = lease.Never
		for s := lane.First; s != nil; s = s.Next {
			s.From = int32(len(lane.Effects))
			f.step(lane, s)
			s.To = int32(len(lane.Effects))
		}
		if lane.Leave {
			f.gone = append(f.gone, lane.Lock.Name)
		}
	}
	return nil
}

func (f *fake) step(lane *Lane, s *lease.Step) {
	switch s.Kind {
	case lease.Acquire:
		lane.Holders = 1
		lane.Due = s.Now + lease.Instant(s.TTL)
		lane.Effects = append(lane.Effects, lease.Effect{
			Change: lease.ChangeGranted, Lock: lane.Lock, Client: s.Client, Token: 1, At: s.Now, Until: lane.Due, Age: s.Age,
		})
		*s.Result = lease.Result{Outcome: lease.Granted, Token: 1, Until: lane.Due}
	case lease.Release:
		lane.Holders = 0
		lane.Effects = append(lane.Effects, lease.Effect{
			Change: lease.ChangeReleased, Lock: lane.Lock, Client: s.Client, Token: 1, At: s.Now,
		})
		*s.Result = lease.Result{Outcome: lease.Released}
	case lease.Settle:
	case lease.Forget:
		*s.Result = lease.Result{Outcome: lease.Forgotten}
	default:
		*s.Result = lease.Fail(lease.NotHolder)
	}
}

func (f *fake) Clients(posts []*Post) error {
	for _, post := range posts {
		post.Entry.Seat = clientSeat{}
		for _, n := range post.Notes {
			f.notes[post.Client.Name] = append(f.notes[post.Client.Name], n.Change)
		}
		for _, q := range post.Questions {
			f.questions[post.Client.Name]++
			*q.Result = lease.Result{Outcome: lease.Reported}
		}
		if post.Leave {
			f.gone = append(f.gone, post.Client.Name)
		}
	}
	return nil
}

func (f *fake) Graph(*lease.Inquiry) error {
	f.inquiries++
	return nil
}

// do takes operations as one batch each.
func do(q *Sequencer, ops ...lease.Operation) []lease.Result {
	results := make([]lease.Result, len(ops))
	for i := range ops {
		if err := q.Take(&ops[i], &results[i]); err != nil {
			panic(err)
		}
		if err := q.Flush(); err != nil {
			panic(err)
		}
	}
	return results
}

func op(kind lease.Kind, at lease.Instant, client, lock string) lease.Operation {
	return lease.Operation{Kind: kind, At: at, Client: client, Lock: lock, TTL: 60}
}

package level

import (
	"sync"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/bench/internal/plain"
)

type plainService struct{ *plain.Service }

func (plainService) Work() Work  { return Work{} }
func (plainService) Actors() int { return 0 }
func (plainService) Close()      {}

type modelService struct{ *model.Model }

// Work leaves out what in a loop is a call and no message.
func (m modelService) Work() Work {
	counts := m.Counts()
	counts.Lanes, counts.Posts, counts.Inquiries, counts.Batches = 0, 0, 0, 0
	return Work{counts}
}

func (modelService) Actors() int { return 0 }
func (modelService) Close()      {}

// locked is a service whose operations wait for each other, as whoever has no
// engine would write it.
type locked struct {
	mu sync.Mutex
	Service
}

func (s *locked) Do(op *lease.Operation) lease.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Service.Do(op)
}

package timeline

import "container/heap"

// rows is which rows of a lane are taken: by leases and, below those, by waits.
type rows struct{ leases, waits stack }

func (r *rows) of(wait bool) *stack {
	if wait {
		return &r.waits
	}
	return &r.leases
}

// take gives the first free row and takes it.
func (r *rows) take(wait bool) int { return r.of(wait).take() }

// free gives a row back.
func (r *rows) free(wait bool, row int) { heap.Push(r.of(wait), row) }

// stack is rows one above the other: those that were given back, lowest first, and all
// from most on are free.
type stack struct {
	back []int
	most int // how many were ever taken at once
}

func (s *stack) take() int {
	if len(s.back) > 0 {
		return heap.Pop(s).(int)
	}
	s.most++
	return s.most - 1
}

// Len, Less, Swap, Push and Pop implement [heap.Interface].
func (s *stack) Len() int           { return len(s.back) }
func (s *stack) Less(i, j int) bool { return s.back[i] < s.back[j] }
func (s *stack) Swap(i, j int)      { s.back[i], s.back[j] = s.back[j], s.back[i] }
func (s *stack) Push(row any)       { s.back = append(s.back, row.(int)) }

// Pop takes off the end, as the heap wants it.
func (s *stack) Pop() any {
	last := len(s.back) - 1
	row := s.back[last]
	s.back = s.back[:last]
	return row
}

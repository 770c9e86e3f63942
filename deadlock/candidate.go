package deadlock

import "github.com/leasekeeper/lkactor/actors/lease"

// candidate is a client of C. It stays in the heap when it leaves C and is
// dropped when it comes to the top.
type candidate struct {
	age  lease.Age
	node nodeRef
}

// heapify orders the candidates as a heap, the youngest on top, in linear time:
// a resolution mostly ends after a victim or two, so sorting would be too much.
func (r *resolution) heapify() {
	for i := len(r.candidates)/2 - 1; i >= 0; i-- {
		r.sink(i)
	}
}

// dropYoungest removes the top.
func (r *resolution) dropYoungest() {
	last := len(r.candidates) - 1
	r.candidates[0] = r.candidates[last]
	r.candidates = r.candidates[:last]
	r.sink(0)
}

// sink moves the candidate at i down to where nobody younger is below it.
func (r *resolution) sink(i int) {
	heap := r.candidates
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && heap[child+1].age > heap[child].age {
			child++
		}
		if heap[i].age >= heap[child].age {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

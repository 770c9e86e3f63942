package sequencer

// slab keeps values that never move, numbered from 1 in the order in which they
// were added. It costs the size of the values and no more, and grows without
// copying any.
type slab[T any] struct {
	chunks [][]T
	size   uint32
	spare  []uint32 // numbers that are free again
}

const (
	chunkBits = 9
	chunkSize = 1 << chunkBits
)

// add makes a zero value.
func (s *slab[T]) add() (id uint32, value *T) {
	if n := len(s.spare); n > 0 {
		id = s.spare[n-1]
		s.spare = s.spare[:n-1]
		return id, s.at(id)
	}
	s.size++
	id = s.size
	if int(id>>chunkBits) == len(s.chunks) {
		s.chunks = append(s.chunks, make([]T, chunkSize))
	}
	return id, s.at(id)
}

// len is how many values there are.
func (s *slab[T]) len() int { return int(s.size) - len(s.spare) }

// drop makes the value zero and its number free.
func (s *slab[T]) drop(id uint32) {
	var zero T
	*s.at(id) = zero
	s.spare = append(s.spare, id)
}

// at gives the value with that number, which must have been added.
func (s *slab[T]) at(id uint32) *T { return &s.chunks[id>>chunkBits][id&(chunkSize-1)] }

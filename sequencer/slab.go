package sequencer

// slab keeps values that never move, numbered from 1 in the order in which they
// were added. It costs the size of the values and no more, and grows without
// copying any.
type slab[T any] struct {
	chunks [][]T
	size   uint32
}

const (
	chunkBits = 9
	chunkSize = 1 << chunkBits
)

// add makes a zero value.
func (s *slab[T]) add() (id uint32, value *T) {
	s.size++
	id = s.size
	if int(id>>chunkBits) == len(s.chunks) {
		s.chunks = append(s.chunks, make([]T, chunkSize))
	}
	return id, s.at(id)
}

// at gives the value with that number, which must have been added.
func (s *slab[T]) at(id uint32) *T { return &s.chunks[id>>chunkBits][id&(chunkSize-1)] }

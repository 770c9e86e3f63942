package deadlock

// arena keeps values of one type in one slice and reuses freed places, so that
// links between them are small numbers and a steady state allocates nothing.
// Place zero is never given out: a zero link means none.
type arena[R ~int32, T any] struct {
	cells []T
	freed []R
}

func newArena[R ~int32, T any]() arena[R, T] {
	return arena[R, T]{cells: make([]T, 1)}
}

// take gives a place with the zero value in it. Pointers from at are void after
// it, since the slice may have moved.
func (a *arena[R, T]) take() R {
	if last := len(a.freed) - 1; last >= 0 {
		r := a.freed[last]
		a.freed = a.freed[:last]
		return r
	}
	var zero T
	a.cells = append(a.cells, zero)
	return R(len(a.cells) - 1)
}

// at gives the value at r for use until the next take.
func (a *arena[R, T]) at(r R) *T { return &a.cells[r] }

// free gives r back and clears its value, which also drops the pointers in it.
func (a *arena[R, T]) free(r R) {
	var zero T
	a.cells[r] = zero
	a.freed = append(a.freed, r)
}

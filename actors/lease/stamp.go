package lease

// Stamp is the place of an operation in the order of its engine. Two operations
// never have the same Seq; replayed by Seq they give the answers they had.
type Stamp struct {
	Seq uint64  // counts the operations from 1
	Now Instant // the instant at which it was handled (O11)
}

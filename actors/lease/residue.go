package lease

// Residue is what must be remembered of a lock that nobody holds or awaits: its
// counter (Q2), the highest token its store has accepted and the values stored
// under it (F1). A lock actor that goes away leaves it with the directory, and
// the next actor of that lock starts from it.
type Residue struct {
	Counter  Token
	Accepted Token
	Values   map[string]string // nil when nothing was ever stored
}

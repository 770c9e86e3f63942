package lease

// Client is the interned identity of a client: one value per name and engine,
// made by the sequencer's directory and compared by pointer or ID. It never
// changes once made, so any goroutine may read it.
type Client struct {
	// ID numbers the clients of one engine from 1 in order of first use.
	ID uint32
	// Name is the client's name, exactly as first used (O10).
	Name string
}

// Lock is the interned identity of a lock, as [Client] is of a client.
type Lock struct {
	// ID numbers the locks of one engine from 1 in order of first use.
	ID uint32
	// Name is the lock's name, exactly as first used (O10).
	Name string
}

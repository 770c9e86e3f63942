package lease

// Claims is what must be remembered, beside its [Residue], of a lock that somebody
// holds or awaits. A lock whose actor goes away leaves both with the directory,
// and the next actor of that lock starts from them.
type Claims struct {
	Holders []Claim // by token, lowest first
	Queue   []Claim // by arrival, oldest first

	// Mirrored says that the deadlock graph knows the holders and the queue.
	Mirrored bool
}

// Claim is a lease, or a place in a queue, of one client.
type Claim struct {
	Client *Client
	Age    Age // of the client
	Mode   Mode
	TTL    Duration // of a request: what its lease will last (T3)
	Token  Token    // of a lease
	Until  Instant  // expires_at of a lease
}

// Empty tells that nobody holds or awaits the lock. A nil Claims is empty.
func (c *Claims) Empty() bool { return c == nil || len(c.Holders)+len(c.Queue) == 0 }

package result

// Guarantees is what a system promises, in a word or two each. "No" means that
// its clients have to see to it themselves.
type Guarantees struct {
	Reach      string `json:"reach"`      // who can use it
	Leases     string `json:"leases"`     // does a lock come free when its holder is gone
	Fencing    string `json:"fencing"`    // can a store refuse a holder that is late
	Deadlocks  string `json:"deadlocks"`  // are rings of waiting clients broken
	Durable    string `json:"durable"`    // do locks outlive the service
	Replicated string `json:"replicated"` // and the machine
	Fair       string `json:"fair"`       // who is next
	Shared     string `json:"shared"`     // readers together
	Replay     string `json:"replay"`     // can what happened be computed again
}

// columns are the guarantees as columns of a table.
var columns = []struct {
	title string
	of    func(Guarantees) string
}{
	{"reach", func(g Guarantees) string { return g.Reach }},
	{"leases", func(g Guarantees) string { return g.Leases }},
	{"fencing tokens", func(g Guarantees) string { return g.Fencing }},
	{"deadlocks broken", func(g Guarantees) string { return g.Deadlocks }},
	{"durable", func(g Guarantees) string { return g.Durable }},
	{"replicated", func(g Guarantees) string { return g.Replicated }},
	{"fair", func(g Guarantees) string { return g.Fair }},
	{"shared mode", func(g Guarantees) string { return g.Shared }},
	{"replay", func(g Guarantees) string { return g.Replay }},
}

// Engine is what the engine promises as long as it lives in memory only.
var Engine = Guarantees{
	Reach: "one process", Leases: "yes", Fencing: "yes", Deadlocks: "yes, at once", Durable: "no", Replicated: "no",
	Fair: "yes", Shared: "yes", Replay: "yes",
}

// EngineDurable is what it promises with a journal.
var EngineDurable = Guarantees{
	Reach: "one process", Leases: "yes", Fencing: "yes", Deadlocks: "yes, at once", Durable: "yes", Replicated: "no",
	Fair: "yes", Shared: "yes", Replay: "yes",
}

// Shards is what a hand-written table of locks promises.
var Shards = Guarantees{
	Reach: "one process", Leases: "no", Fencing: "no", Deadlocks: "no", Durable: "no", Replicated: "no",
	Fair: "yes", Shared: "no", Replay: "no",
}

// Etcd is what etcd's recipe for a mutex promises.
var Etcd = Guarantees{
	Reach: "network", Leases: "yes", Fencing: "yes", Deadlocks: "no", Durable: "yes", Replicated: "yes",
	Fair: "yes", Shared: "no", Replay: "no",
}

// Redis is what the recipes on Redis promise without a log on disk.
var Redis = Guarantees{
	Reach: "network", Leases: "yes", Fencing: "no", Deadlocks: "no", Durable: "no", Replicated: "can lose locks",
	Fair: "no", Shared: "no", Replay: "no",
}

// RedisDurable is the same with every write on disk before it is answered.
var RedisDurable = Guarantees{
	Reach: "network", Leases: "yes", Fencing: "no", Deadlocks: "no", Durable: "yes", Replicated: "can lose locks",
	Fair: "no", Shared: "no", Replay: "no",
}

// Postgres is what advisory locks promise.
var Postgres = Guarantees{
	Reach: "network", Leases: "no", Fencing: "no", Deadlocks: "yes, after a timeout", Durable: "no", Replicated: "no",
	Fair: "yes", Shared: "yes", Replay: "no",
}

// notes says in sentences what the words of the table leave out.
const notes = `
What the words leave out:

- **Leases.** The engine's and Redis' end at their own instant, lock by lock. etcd's is one for the whole session, kept
  alive by the client in the background. An advisory lock of PostgreSQL, like a named lock of MariaDB, lasts until its
  session ends: a client that hangs with its connection open holds it for ever. A mutex lasts until somebody unlocks it.
- **Fencing tokens.** The engine gives every grant a number that rises by one for each lock; etcd has the revision of the
  key, which rises for the whole cluster. The random value of the recipes on Redis tells owners apart but has no order,
  so a store cannot tell which of two is late.
- **Deadlocks.** The engine looks when a request is queued, and aborts the youngest client in the ring in the same
  operation. PostgreSQL looks after a session has waited for deadlock_timeout, a second unless it is changed, and aborts
  the session that looked. MariaDB looks when a session begins to wait. On the others a ring waits until a lease ends or
  a client gives up.
- **Durable.** The engine with a journal, etcd, and Redis with appendfsync always answer when the write is on disk.
  Redis without it, PostgreSQL's and MariaDB's locks of this kind and the engine without a journal forget all locks when
  they stop.
- **Replicated.** etcd answers when a majority of its members has the write; here it has one member. Redis replicates
  after it has answered, so a lock can be granted twice across a fail-over; here there is no replica. The engine does
  not replicate: who needs the lock service to survive the loss of a machine without somebody restarting it elsewhere
  needs etcd or the like.
- **Fair.** Clients of Redis ask again every millisecond, and whoever asks at the right moment has the lock. The others
  queue; PostgreSQL lets a request past others where that avoids a deadlock.
- **Replay.** The same log of operations gives the engine's results again, byte for byte. The others can be asked what
  is, and etcd for a while what was, but not why.
- **The network.** The engine and the hand-written table are in the process of their clients, and are spared the way to
  a server and back, which is most of what the others' first column shows. They also serve no other process.
`

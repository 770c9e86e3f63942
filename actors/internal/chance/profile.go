package chance

// Profile is a kind of log. The zero value is of no use: take one of [Profiles]
// or [LiveProfiles].
type Profile struct {
	// Name says which profile it is, for failure messages.
	Name string
	// Live says that the log is a live one: to be run behind a header (E1).
	Live bool

	clients, locks span // how many there are
	ttl            span // asked for: seconds, in a live log milliseconds
	steps          []int64
	aim            int // percent of operations at the end of a lease, or just before it
	shared         int // percent of acquires in shared mode
	strange        int // percent of logs with strange names
	moves          []choice

	// Of live logs only.
	ids     int // percent of the operations with a client that have an id
	expects int // percent of renews and releases that say which lease they mean
	long    int // percent of logs in which one client uses more ids than are remembered
}

// unit is a second in a plain log and a millisecond in a live one: what ttls are
// multiples of.
func (p *Profile) unit() int64 {
	if p.Live {
		return millisecond
	}
	return 1
}

// millisecond is one in the unit of live logs, and the shortest ttl there (E1).
const millisecond = 1_000_000

// span is a range of numbers, both ends included.
type span struct{ least, most int64 }

// choice is a move and how often it is made, against the others of its profile.
type choice struct {
	weight int
	move   func(*maker)
}

// Profiles are those of plain logs. The last one changes among the others within one
// log.
var Profiles = []Profile{
	tight, transactions, readers, lapseChains, bystanders, sparse, badInput, repeats, looks, mix,
}

// tight lets a few clients fight over a few locks, with leases about as long as
// the steps of time: rings, lapses and renewals meet at the same instants.
var tight = Profile{
	Name:    "tight",
	clients: span{2, 5}, locks: span{1, 4}, ttl: span{1, 8},
	steps: []int64{0, 0, 0, 0, 1, 1, 2}, aim: 20, shared: 25, strange: 10,
	moves: []choice{
		{30, (*maker).acquire}, {14, (*maker).renewOwn}, {10, (*maker).releaseOwn}, {4, (*maker).withdraw},
		{2, (*maker).renewAny}, {2, (*maker).releaseAny}, {10, (*maker).inspect}, {6, (*maker).status},
		{6, (*maker).write}, {3, (*maker).read}, {4, (*maker).ring}, {15, (*maker).overreach}, {15, (*maker).close},
	},
}

// transactions lets clients take two to four locks each in random order and give
// them all back: the deadlocks of textbooks.
var transactions = Profile{
	Name:    "transactions",
	clients: span{3, 9}, locks: span{3, 6}, ttl: span{50, 400},
	steps: []int64{0, 0, 1, 1, 2, 5}, aim: 3, shared: 20, strange: 10,
	moves: []choice{
		{80, (*maker).transact}, {4, (*maker).renewOwn}, {4, (*maker).status}, {4, (*maker).inspect},
		{2, (*maker).releaseOwn}, {3, (*maker).withdraw}, {2, (*maker).jump}, {10, (*maker).close},
	},
}

// readers lets many share and some write.
var readers = Profile{
	Name:    "readers",
	clients: span{4, 12}, locks: span{1, 3}, ttl: span{3, 40},
	steps: []int64{0, 0, 1, 1, 2, 4}, aim: 20, shared: 75, strange: 10,
	moves: []choice{
		{50, (*maker).acquire}, {10, (*maker).renewOwn}, {16, (*maker).releaseOwn}, {6, (*maker).withdraw},
		{10, (*maker).inspect}, {4, (*maker).status}, {6, (*maker).readersRing}, {2, (*maker).jump},
		{6, (*maker).overreach}, {6, (*maker).close},
	},
}

// lapseChains lets long queues of short leases build up while time stands nearly
// still, and jumps.
var lapseChains = Profile{
	Name:    "lapse chains",
	clients: span{8, 24}, locks: span{1, 3}, ttl: span{1, 4},
	steps: []int64{0, 0, 0, 0, 0, 0, 1}, aim: 4, shared: 30, strange: 10,
	moves: []choice{
		{70, (*maker).acquire}, {8, (*maker).hop}, {2, (*maker).jump}, {5, (*maker).inspect},
		{4, (*maker).status}, {4, (*maker).renewOwn}, {4, (*maker).releaseOwn}, {2, (*maker).withdraw}, {2, (*maker).write},
	},
}

// bystanders puts many waiters into the queues of rings.
var bystanders = Profile{
	Name:    "bystanders",
	clients: span{8, 24}, locks: span{2, 5}, ttl: span{200, 900},
	steps: []int64{0, 0, 0, 1, 2}, aim: 1, shared: 20, strange: 10,
	moves: []choice{
		{30, (*maker).acquire}, {20, (*maker).crowdedRing}, {6, (*maker).readersRing}, {6, (*maker).releaseOwn},
		{6, (*maker).withdraw}, {3, (*maker).jump}, {8, (*maker).inspect}, {6, (*maker).status}, {6, (*maker).close},
	},
}

// sparse spreads many clients over many locks: hardly anybody meets.
var sparse = Profile{
	Name:    "sparse",
	clients: span{40, 80}, locks: span{40, 80}, ttl: span{5, 60},
	steps: []int64{0, 1, 1, 2, 3, 7}, aim: 15, shared: 30, strange: 10,
	moves: []choice{
		{40, (*maker).acquire}, {12, (*maker).renewOwn}, {12, (*maker).releaseOwn}, {8, (*maker).inspect},
		{8, (*maker).status}, {8, (*maker).write}, {8, (*maker).read}, {2, (*maker).ring}, {1, (*maker).jump},
		{2, (*maker).withdraw}, {4, (*maker).overreach}, {4, (*maker).close},
	},
}

// badInput makes every mistake there is, between operations that are all right.
var badInput = Profile{
	Name:    "bad input",
	clients: span{2, 5}, locks: span{1, 4}, ttl: span{1, 30},
	steps: []int64{0, 0, 1, 1, 3}, aim: 15, shared: 30, strange: 60,
	moves: []choice{
		{45, (*maker).mangled}, {6, (*maker).junk}, {20, (*maker).acquire}, {6, (*maker).renewOwn},
		{6, (*maker).releaseOwn}, {6, (*maker).inspect}, {6, (*maker).status}, {6, (*maker).write},
		{4, (*maker).read}, {3, (*maker).goBack}, {4, (*maker).close}, {3, (*maker).withdraw},
	},
}

// repeats runs templates, good, bad and failing ones.
var repeats = Profile{
	Name:    "repeats",
	clients: span{2, 6}, locks: span{1, 4}, ttl: span{1, 20},
	steps: []int64{0, 0, 1, 2, 5}, aim: 15, shared: 25, strange: 0,
	moves: []choice{
		{40, (*maker).repeat}, {8, (*maker).repeatBadly}, {20, (*maker).acquire}, {6, (*maker).releaseOwn},
		{10, (*maker).inspect}, {8, (*maker).status}, {4, (*maker).read}, {2, (*maker).ring},
		{3, (*maker).withdraw}, {4, (*maker).overreach}, {4, (*maker).close},
	},
}

// looks asks more than it does, so that what is seen is compared at every turn.
var looks = Profile{
	Name:    "looks",
	clients: span{3, 8}, locks: span{2, 5}, ttl: span{2, 25},
	steps: []int64{0, 0, 1, 1, 2, 4}, aim: 35, shared: 35, strange: 20,
	moves: []choice{
		{30, (*maker).inspect}, {30, (*maker).status}, {25, (*maker).acquire}, {6, (*maker).releaseOwn},
		{3, (*maker).withdraw}, {4, (*maker).renewOwn}, {2, (*maker).crowdedRing}, {3, (*maker).write},
		{4, (*maker).read}, {4, (*maker).overreach}, {6, (*maker).close},
	},
}

// mix is every other profile for a while; see [Log].
var mix = Profile{Name: "mix", clients: span{3, 14}, locks: span{2, 8}, strange: 25}

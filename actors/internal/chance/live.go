package chance

// LiveProfiles are those of live logs (E). The last one changes among the others
// within one log.
var LiveProfiles = []Profile{
	liveTight, liveTransactions, liveChains, retries, manyIDs, operators, liveBadInput, liveMix,
}

// Steps of time in nanoseconds. A single one comes in between, so that instants
// that look alike are not.
var (
	smallSteps = []int64{0, 0, 0, 1, millisecond, millisecond, 2 * millisecond}
	largeSteps = []int64{0, 0, 1, millisecond, 2 * millisecond, 5 * millisecond}
)

// liveTight is tight with everything that a live log can have.
var liveTight = Profile{
	Name: "live tight", Live: true,
	clients: span{2, 5}, locks: span{1, 4}, ttl: span{1, 8},
	steps: smallSteps, aim: 20, shared: 25, strange: 10, ids: 30, expects: 30,
	moves: []choice{
		{28, (*maker).acquire}, {12, (*maker).renewOwn}, {9, (*maker).releaseOwn}, {4, (*maker).withdraw},
		{3, (*maker).renewAny}, {3, (*maker).releaseAny}, {8, (*maker).inspect}, {6, (*maker).status},
		{4, (*maker).write}, {2, (*maker).read}, {4, (*maker).ring}, {12, (*maker).overreach}, {12, (*maker).close},
		{6, (*maker).pass}, {8, (*maker).retry}, {2, (*maker).retryChanged},
		{3, (*maker).evict}, {2, (*maker).bump}, {4, (*maker).forget}, {3, (*maker).closeClient},
	},
}

// liveTransactions has deadlocks that are asked for again.
var liveTransactions = Profile{
	Name: "live transactions", Live: true,
	clients: span{3, 9}, locks: span{3, 6}, ttl: span{50, 400},
	steps: largeSteps, aim: 3, shared: 20, strange: 10, ids: 50, expects: 20,
	moves: []choice{
		{80, (*maker).transact}, {5, (*maker).renewOwn}, {4, (*maker).status}, {3, (*maker).inspect},
		{2, (*maker).releaseOwn}, {4, (*maker).withdraw}, {2, (*maker).jump}, {10, (*maker).close},
		{12, (*maker).retry}, {2, (*maker).retryChanged}, {2, (*maker).pass}, {3, (*maker).evict}, {2, (*maker).closeClient},
	},
}

// liveChains has long queues of short leases that only ticks settle.
var liveChains = Profile{
	Name: "live lapse chains", Live: true,
	clients: span{8, 24}, locks: span{1, 3}, ttl: span{1, 4},
	steps: []int64{0, 0, 0, 0, 0, 0, 1, millisecond}, aim: 4, shared: 30, strange: 10, ids: 20, expects: 30,
	moves: []choice{
		{70, (*maker).acquire}, {6, (*maker).hop}, {2, (*maker).jump}, {14, (*maker).pass}, {5, (*maker).inspect},
		{4, (*maker).status}, {4, (*maker).renewOwn}, {4, (*maker).releaseOwn}, {2, (*maker).withdraw},
		{8, (*maker).retry}, {4, (*maker).evict}, {2, (*maker).forget}, {3, (*maker).closeClient},
	},
}

// retries asks for most things under ids, for many of them again, and for some a
// day later.
var retries = Profile{
	Name: "retries", Live: true,
	clients: span{2, 4}, locks: span{1, 3}, ttl: span{1, 30},
	steps: largeSteps, aim: 20, shared: 20, strange: 20, ids: 90, expects: 40,
	moves: []choice{
		{16, (*maker).acquire}, {6, (*maker).renewOwn}, {6, (*maker).releaseOwn}, {3, (*maker).withdraw},
		{3, (*maker).releaseAny}, {8, (*maker).status}, {3, (*maker).evict}, {4, (*maker).closeClient}, {5, (*maker).close},
		{4, (*maker).inspect}, {40, (*maker).retry}, {14, (*maker).retryChanged}, {4, (*maker).nextDay}, {2, (*maker).ring},
	},
}

// manyIDs lets one client do small things under ids, in some logs under more of
// them than are remembered.
var manyIDs = Profile{
	Name: "many ids", Live: true,
	clients: span{1, 1}, locks: span{1, 2}, ttl: span{1, 9},
	steps: smallSteps, aim: 0, shared: 0, strange: 0, ids: 100, expects: 10, long: 15,
	moves: []choice{{30, (*maker).useID}, {1, (*maker).retry}},
}

// operators evicts, bumps, forgets and closes whatever state things are in.
var operators = Profile{
	Name: "operators", Live: true,
	clients: span{3, 7}, locks: span{2, 5}, ttl: span{3, 30},
	steps: smallSteps, aim: 20, shared: 30, strange: 10, ids: 15, expects: 25,
	moves: []choice{
		{60, (*maker).acquire}, {3, (*maker).renewOwn}, {6, (*maker).releaseOwn}, {2, (*maker).withdraw}, {6, (*maker).overreach},
		{6, (*maker).close}, {16, (*maker).evict}, {10, (*maker).bump}, {24, (*maker).forget}, {16, (*maker).closeClient},
		{2, (*maker).write}, {1, (*maker).read}, {6, (*maker).inspect}, {5, (*maker).status}, {4, (*maker).pass}, {2, (*maker).jump},
		{4, (*maker).retry}, {1, (*maker).retryChanged},
	},
}

// liveBadInput makes the mistakes of bad input and those that only a live log
// has room for.
var liveBadInput = Profile{
	Name: "live bad input", Live: true,
	clients: span{2, 5}, locks: span{1, 4}, ttl: span{1, 30},
	steps: smallSteps, aim: 15, shared: 30, strange: 60, ids: 30, expects: 30,
	moves: []choice{
		{60, (*maker).mangled}, {5, (*maker).junk}, {20, (*maker).acquire}, {5, (*maker).renewOwn},
		{5, (*maker).releaseOwn}, {5, (*maker).inspect}, {5, (*maker).status}, {4, (*maker).write},
		{3, (*maker).read}, {2, (*maker).repeat}, {3, (*maker).goBack}, {4, (*maker).close}, {3, (*maker).retry}, {3, (*maker).forget},
	},
}

// liveMix is every other live profile for a while; see [Log].
var liveMix = Profile{Name: "live mix", Live: true, clients: span{3, 10}, locks: span{2, 6}, strange: 25}

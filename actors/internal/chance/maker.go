package chance

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/leasekeeper/lkactor/actors/internal/twin"
)

// pair is a client and a lock, or a lock and a key.
type pair struct{ first, second string }

// maker makes one log.
type maker struct {
	rng  *rand.Rand
	p    Profile
	ops  [][]byte
	size int
	now  int64

	clients, locks, keys []string

	// service has run the log so far, so that the maker knows where it stands.
	service *twin.Twin

	freeAt  map[string]int64 // by lock: when its leases, the awaited ones too, have ended if nobody gives up
	asked   map[string]int64 // by lock: about where its counter is, how many acquires were granted or queued
	written []pair           // lock and key of the latest writes
	plans   map[string][]string

	forgotten int64     // about the highest counter that was forgotten (E4)
	requests  []request // all that had an id, in the order of their first use (E3)

	mangle bool // whether the next operation is to be spoilt
}

// mostWritten is how many writes a maker remembers.
const mostWritten = 6

// mostWait is how far, in units, a maker goes for the end of a lease: farther
// than any ttl of a profile.
const mostWait = 10_000

// mostTries is how many clients a maker looks at when it wants a certain kind.
const mostTries = 20

// knowing is how often, in percent, a maker uses what it knows.
const knowing = 80

func newMaker(rng *rand.Rand, p Profile, size int) *maker {
	m := &maker{
		rng: rng, p: p, size: size,
		service: twin.New(),
		freeAt:  map[string]int64{}, asked: map[string]int64{}, plans: map[string][]string{},
	}
	strange := m.percent(p.strange)
	m.clients = m.names("c", m.in(p.clients), strange)
	m.locks = m.names("L", m.in(p.locks), strange)
	m.keys = m.names("k", 3, strange)
	if m.percent(20) {
		m.now = (int64(rng.IntN(2000)) - 1000) * p.unit()
	}
	if p.Live {
		m.service = twin.NewLive()
	}
	return m
}

// names gives n names: a letter and a number, or some of the strange ones in
// random order with numbered ones to make up for what is missing.
func (m *maker) names(letter string, n int64, strange bool) []string {
	var names []string
	if strange {
		for _, i := range m.rng.Perm(len(strangeNames)) {
			names = append(names, strangeNames[i])
		}
	}
	for i := int64(len(names)); i < n; i++ {
		names = append(names, letter+strconv.FormatInt(i, 10))
	}
	return names[:n]
}

func (m *maker) full() bool { return len(m.ops) >= m.size }

// move makes one of the profile's moves.
func (m *maker) move() {
	total := 0
	for _, c := range m.p.moves {
		total += c.weight
	}
	n := m.rng.IntN(total)
	for _, c := range m.p.moves {
		if n -= c.weight; n < 0 {
			c.move(m)
			return
		}
	}
}

// raw is the text of a JSON value that is used as it is.
type raw string

// emit adds one operation at the current instant and gives its result. Arguments
// are strings, numbers and raw values.
func (m *maker) emit(name string, args ...any) string {
	if m.p.Live {
		return m.request(name, args)
	}
	return m.plainly(name, args)
}

// plainly is emit without anything that the operation does not need to have.
func (m *maker) plainly(name string, args []any) string {
	return m.add(m.tokens(name, raw(strconv.FormatInt(m.now, 10)), args))
}

// tokens gives the JSON texts of a name, what follows it, and the arguments.
func (m *maker) tokens(name string, second raw, args []any) []string {
	texts := []string{m.text(name)}
	if second != "" {
		texts = append(texts, string(second))
	}
	for _, arg := range args {
		texts = append(texts, m.text(arg))
	}
	return texts
}

func (m *maker) text(value any) string {
	if r, ok := value.(raw); ok {
		return string(r)
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // only strings and integers come here
	}
	return string(text)
}

// add adds the operation of these elements, spoilt if it is to be.
func (m *maker) add(elements []string) string {
	if m.full() {
		return ""
	}
	op := ""
	if m.mangle {
		m.mangle = false
		op = m.spoil(elements)
	} else {
		op = listOf(elements)
	}
	return m.append(op)
}

// listOf gives the text of a list of these.
func listOf(elements []string) string { return "[" + strings.Join(elements, ",") + "]" }

// append adds the text of an operation and gives its result.
func (m *maker) append(op string) string {
	m.ops = append(m.ops, []byte(op))
	return m.service.Do([]byte(op))
}

// tick lets some time pass, or none: by one of the profile's steps, or to where
// a lease ends, or to just before.
func (m *maker) tick() {
	if m.percent(m.p.aim) {
		if _, s := m.find(holds); len(s.ends) > 0 {
			// Where the service has run far ahead of the maker, nothing ends that
			// the maker could wait for.
			if end := pick(m, s.ends) - pick(m, []int64{0, 0, 0, 1}); end < m.now+mostWait*m.p.unit() {
				m.now = max(m.now, end)
				return
			}
		}
	}
	m.now += m.p.steps[m.rng.IntN(len(m.p.steps))]
}

// situation is what status says about a client.
type situation struct {
	holds   []string // the locks
	tokens  []int64  // of the leases on them
	ends    []int64  // of the same
	waiting string   // empty if it does not wait
}

// situation looks a client up, as of now.
func (m *maker) situation(client string) situation {
	query := "[" + strings.Join(m.tokens("status", raw(strconv.FormatInt(m.now, 10)), []any{client}), ",") + "]"
	var status struct {
		Holds   [][]json.RawMessage
		Waiting string
	}
	if err := json.Unmarshal([]byte(m.service.Do([]byte(query))), &status); err != nil {
		panic(err) // a status with good arguments never fails
	}
	s := situation{waiting: status.Waiting}
	for _, hold := range status.Holds {
		var lock string
		var token, end int64
		if json.Unmarshal(hold[0], &lock) != nil || json.Unmarshal(hold[2], &token) != nil || json.Unmarshal(hold[3], &end) != nil {
			panic("a hold is a lock, a mode, a token and an end")
		}
		s.holds, s.tokens, s.ends = append(s.holds, lock), append(s.tokens, token), append(s.ends, end)
	}
	return s
}

// find gives a random client that fits, most of the time; otherwise, or when
// none is found, any client.
func (m *maker) find(fits func(situation) bool) (client string, s situation) {
	if m.percent(knowing) {
		for _, i := range m.rng.Perm(len(m.clients))[:min(mostTries, len(m.clients))] {
			if s := m.situation(m.clients[i]); fits(s) {
				return m.clients[i], s
			}
		}
	}
	client = m.client()
	return client, m.situation(client)
}

func waits(s situation) bool { return s.waiting != "" }
func idles(s situation) bool { return s.waiting == "" }
func holds(s situation) bool { return len(s.holds) > 0 }

func (m *maker) client() string { return pick(m, m.clients) }
func (m *maker) lock() string   { return pick(m, m.locks) }
func (m *maker) key() string    { return pick(m, m.keys) }

func (m *maker) percent(n int) bool { return m.rng.IntN(100) < n }

// in gives a number of a span.
func (m *maker) in(s span) int64 { return s.least + m.rng.Int64N(s.most-s.least+1) }

// ttl gives one of the profile's.
func (m *maker) ttl() int64 { return m.in(m.p.ttl) * m.p.unit() }

func pick[T any](m *maker, list []T) T { return list[m.rng.IntN(len(list))] }

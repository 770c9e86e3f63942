package chance

import (
	"fmt"
	"strings"
)

// repeat adds a repeat that runs. Its last run often lies ahead of the next
// operation (O11).
func (m *maker) repeat() {
	m.tick()
	count := 1 + m.rng.Int64N(12)
	if m.percent(10) {
		count = 1 + m.rng.Int64N(80)
	}
	step := pick(m, []int64{0, 0, 0, 1, 1, 2, 3, m.p.ttl.most})
	m.emit("repeat", count, step, m.template())
	if m.percent(50) {
		m.now += (count - 1) * step
	}
}

// template gives a template: mostly one that does something, now and then one
// whose operations fail.
func (m *maker) template() raw {
	client, lock, ttl := m.pattern("c", len(m.clients)), m.pattern("L", len(m.locks)), m.in(m.p.ttl)
	var list []string
	switch m.rng.IntN(12) {
	case 0, 1, 2, 3:
		list = m.tokens("acquire", "", []any{client, lock, ttl})
	case 4:
		list = m.tokens("acquire", "", []any{client, lock, ttl, "shared"})
	case 5:
		list = m.tokens("release", "", []any{client, lock})
	case 6:
		list = m.tokens("renew", "", []any{client, lock, ttl})
	case 7:
		list = m.tokens("write", "", []any{lock, m.pattern("k", 3), m.pattern("v", 100), 1 + m.rng.IntN(4)})
	case 8:
		list = m.tokens("read", "", []any{lock, m.pattern("k", 3)})
	case 9:
		list = m.tokens("inspect", "", []any{lock})
	case 10:
		list = m.tokens("status", "", []any{client})
	default:
		return pick(m, failingTemplates)
	}
	return raw("[" + strings.Join(list, ",") + "]")
}

// pattern gives a name with or without placeholders.
func (m *maker) pattern(letter string, n int) string {
	switch m.rng.IntN(8) {
	case 0, 1, 2:
		return fmt.Sprintf("%s{i%%%d}", letter, 1+m.rng.IntN(n))
	case 3:
		return fmt.Sprintf("%s{i+%d%%%d}", letter, m.rng.IntN(5), 1+m.rng.IntN(n))
	case 4:
		return letter + "{i}"
	case 5:
		return fmt.Sprintf("%s{i+%d}", letter, m.rng.IntN(3))
	case 6:
		return letter + pick(m, []string{"{{i}}", "{i+}", "{i%}", "{", "{i}{i}", "{i+007%010}", "{I}", "{i%2+1}"})
	}
	return fmt.Sprintf("%s%d", letter, m.rng.IntN(n))
}

// repeatBadly adds a repeat that is refused, with a few that are not.
func (m *maker) repeatBadly() {
	m.tick()
	args := []any{raw("2"), raw("1"), m.template()}
	switch m.rng.IntN(5) {
	case 0:
		args[0] = pick(m, badCounts)
	case 1:
		args[1] = pick(m, badSteps)
	case 2:
		// The largest step, or one too many; an unknown operation, so that the
		// clock stays where it is.
		count := 2 + m.rng.Int64N(9)
		args = []any{count, (mostInstant-m.now)/(count-1) + m.rng.Int64N(2), raw(`["frob"]`)}
	default:
		args[2] = pick(m, badTemplates)
	}
	m.emit("repeat", args...)
}

// mostInstant is the limit of O9.
const mostInstant = 1 << 62

var badCounts = []raw{
	"0", "-0", "-1", "100001", "1.0", "1e1", `"2"`, "null", "true", "[]", "4611686018427387905",
	"1000000000000000000000000000000",
}

// The huge steps end at most at the limit of O9 where the log begins early
// enough; a repeat over them moves the clock to where nothing ever lapses again,
// so there is but one.
var badSteps = []raw{
	"-1", "0.5", "1e0", `"1"`, "null", "false", "{}", "4611686018427387904", "4611686018427387905",
	"-4611686018427387904", "9223372036854775807", "9223372036854775808", "1000000000000000000000000000000",
}

var badTemplates = []raw{
	`"inspect"`, `{}`, `null`, `7`, `[]`, `[7]`, `[null,"L0"]`, `[["inspect","L0"]]`, `["repeat",1,0,["inspect","L0"]]`,
	`["repeat"]`, `["inspect","{i%0}"]`, `["inspect","a{i+3%00}"]`, `["inspect","{i+1234567890123456789}"]`,
	`["inspect","{i%0000000000000000001}"]`, `["frob","{i%0}"]`, `["inspect","L0","{i%0}"]`, `["\ud800","L0"]`,
	`["write","L0","k","{i}{i%0}",1]`, `["acquire","c0","L0",5,"{i+0000000000000000000}"]`,
}

var failingTemplates = []raw{
	`["frob","{i}"]`, `[""]`, `["tick"]`, `["Repeat",1]`, `["acquire"]`, `["acquire","c{i}","L0",0]`,
	`["acquire","c{i}","L0","{i}"]`, `["acquire","","L0",5]`, `["renew","nobody{i}","L0",5]`, `["inspect{i}","L0"]`,
	`["inspect",["{i%0}"]]`, `["inspect",{"{i}":"{i%0}"}]`, `["inspect","\ud800{i%0}"]`, `["write","L0","k0","v",0]`,
	`["release","c{i}"]`, `["acquire","c0","L0",5,"{i}"]`, `["acquire","c{i}","L0",1.5]`, `["read","L0",null]`,
	`["acquire","{\u0069}","L{i%2}",9]`, `["write","L{i%2}","k0","granted",7]`,
}

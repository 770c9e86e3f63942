package chance

import (
	"fmt"
	"strconv"
	"strings"
)

// strangeNames are lawful names that somebody may trim, fold, split, normalise,
// sort by UTF-16 units, or print as HTML.
var strangeNames = []string{
	" ", "a", "A", " a", "a ", "path", "path/", "path/1", "é", "e\u0301", "\uff5e", "😀", "𐀀", "\uffff",
	"\ufffd", "\x00", "a\x00b", "\n", "\"", "\\", "\\u0041", "</b>&", "\u2028", "\x7f", "null", "0", "error: not holder",
	"granted", "other", "constructor", "__proto__", "İ", "ß", strings.Repeat("x", 300),
}

// mangled spoils one operation of the ordinary kind.
func (m *maker) mangled() {
	m.mangle = true
	moves := []func(){m.acquire, m.acquire, m.renewOwn, m.releaseOwn, m.inspect, m.status, m.write, m.write, m.read}
	if m.p.Live {
		moves = append(moves, m.pass, m.evict, m.bump, m.forget, m.closeClient)
	}
	pick(m, moves)()
	m.mangle = false
}

// junk adds something that is no operation at all.
func (m *maker) junk() {
	m.append(pick(m, junkOperations))
}

// spoil gives the text of an operation with one thing changed. Some changes
// leave it as good as it was.
func (m *maker) spoil(elements []string) string {
	if m.p.Live && m.percent(knowing/2) {
		return m.spoilObject(elements)
	}
	at := m.rng.IntN(len(elements))
	last := len(elements) - 1
	switch m.rng.IntN(12) {
	case 0, 1, 2, 3:
		elements[at] = m.junkFor(at)
	case 4:
		elements = append(elements[:at:at], elements[at+1:]...)
	case 5:
		elements = append(elements[:at:at], append([]string{m.junkFor(at)}, elements[at:]...)...)
	case 6:
		elements = append(elements, pick(m, junkValues))
	case 7:
		other := m.rng.IntN(len(elements))
		elements[at], elements[other] = elements[other], elements[at]
	case 8:
		elements[last] = m.edgeNumber()
	case 9:
		elements[1] = strconv.FormatInt(m.now-m.rng.Int64N(20)*m.p.unit(), 10)
	case 10:
		return m.spaced(elements)
	case 11:
		for i, element := range elements {
			elements[i] = spell(element)
		}
	}
	return listOf(elements)
}

// edgeNumber gives a number at or about some limit.
func (m *maker) edgeNumber() string {
	if m.p.Live && m.percent(40) {
		return pick(m, liveTTLs)
	}
	return pick(m, edgeNumbers)
}

// junkFor gives a value that is wrong in some place of an operation.
func (m *maker) junkFor(place int) string {
	switch {
	case place == 0 && m.percent(70):
		return pick(m, junkNames)
	case place == 1:
		if m.percent(3) {
			return pick(m, edgeInstants)
		}
		return pick(m, junkInstants)
	}
	return pick(m, junkValues)
}

// spaced writes an operation with white space between all tokens.
func (m *maker) spaced(elements []string) string {
	space := func() string { return pick(m, []string{" ", "\t", "\n", "\r\n", "  "}) }
	var op strings.Builder
	op.WriteString("[" + space())
	for i, element := range elements {
		if i > 0 {
			op.WriteString("," + space())
		}
		op.WriteString(element + space())
	}
	op.WriteString("]")
	return op.String()
}

// spell writes the plain characters of a JSON string as escapes, which changes
// nothing. Other values stay.
func spell(element string) string {
	if !strings.HasPrefix(element, `"`) || strings.Contains(element, `\`) {
		return element
	}
	var spelt strings.Builder
	for _, r := range element[1 : len(element)-1] {
		if r < 0x10000 {
			fmt.Fprintf(&spelt, `\u%04X`, r)
		} else {
			spelt.WriteRune(r)
		}
	}
	return `"` + spelt.String() + `"`
}

var junkNames = []string{
	`"Acquire"`, `"acquire "`, `""`, `"frob"`, `"tick"`, `"evict"`, `"bump"`, `"forget"`, `"close"`, `"__proto__"`,
	`"toString"`, `"\ud800"`, "\"\xff\"", `7`, `null`, `["acquire"]`, `{"acquire":1}`, `true`, `"acqu\u0069re"`,
}

// junkInstants are no instants, or lie before any clock.
var junkInstants = []string{
	`1.5`, `5.0`, `1e3`, `"3"`, `""`, `true`, `null`, `[]`, `[1]`, `{}`, `-0`, `-0.0`, `-1`, `-4611686018427387904`,
	`-4611686018427387905`, `4611686018427387905`, `9223372036854775808`, `1000000000000000000000000000000`,
}

// edgeInstants are lawful and far away; what follows in a log that has got there
// is handled as of the end of time, so they are rare.
var edgeInstants = []string{`9007199254740993`, `4611686018427387904`, `4611686018427387903`}

// edgeNumbers are at or about the limits of ttls and tokens.
var edgeNumbers = []string{
	`0`, `-0`, `1`, `-1`, `86400`, `86401`, `5.0`, `1e1`, `4611686018427387904`, `4611686018427387905`,
	`9007199254740992`, `9007199254740993`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775809`,
	`18446744073709551617`, `1000000000000000000000000000000`, `-1000000000000000000000000000000`,
}

// liveTTLs are those of a live log (E1).
var liveTTLs = []string{`999999`, `1000000`, `86400000000000`, `86400000000001`, `1000000.0`, `60`}

var junkValues = []string{
	`0`, `-1`, `86401`, `1.5`, `5.0`, `5e0`, `1E400`, `true`, `false`, `null`, `""`, `" "`, `"5"`, `"Shared"`, `"shared"`,
	`[]`, `{}`, `["c0"]`, `{"id":"x"}`, `{"token":1}`, `{"a":[1,{"b":[null,"]}"]}]}`, `[[[[[[[["x"]]]]]]]]`,
	`"\ud800"`, `"\udc00\ud800"`, `"\ud83d\ud83d\ude00"`, `"a\udfffb"`, `"\ufffd"`, `"\\ud800"`, `"\u0000"`,
	"\"\xff\"", "\"a\xc3\"", "\"\xed\xa0\x80\"", "\"\xc0\xaf\"", `1000000000000000000000000000000`,
}

var junkOperations = []string{
	`null`, `true`, `5`, `-0`, `1e9`, `""`, `"acquire"`, `{}`, `{"op":"acquire","ts":1}`, `[]`, `[[]]`, `["acquire"]`,
	`["frob"]`, `[7]`, `[null]`, `[null,null]`, `[[],[]]`, `["frob",1]`, `["frob",1.5]`, `["acquire",null]`,
	`[["acquire",0,"c0","L0",5]]`, `{"acquire":[0,"c0","L0",5]}`, "\"\xff\"", "[\"\xff\",0]", `["status",{},[]]`,
	`[ ]`, `["inspect",0,"L0",[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]`,
}

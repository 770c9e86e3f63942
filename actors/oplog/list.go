package oplog

import "unicode/utf8"

// list walks over the elements of a JSON array, or over the names and values of
// an object by turns. The parser has checked its text already: it need only find
// where elements end.
type list struct {
	text string
	at   int
}

// element is one of them. A plain string has no escapes and only ASCII: what
// stands between its quotes is what it says.
type element struct {
	text  string
	plain bool
}

// openList begins a walk; ok is false when text is another kind of value.
func openList(text string) (l list, ok bool) {
	return list{text: text, at: 1}, text[0] == '['
}

// openObject begins a walk over an object; ok is false when text is another kind
// of value.
func openObject(text string) (l list, ok bool) {
	return list{text: text, at: 1}, text[0] == '{'
}

// next gives the next element; ok is false at the end.
func (l *list) next() (e element, ok bool) {
	text, at := l.text, l.at
	for inside[text[at]] {
		at++
	}
	start := at
	switch text[at] {
	case ']', '}':
		return element{}, false
	case '"':
		for at++; !notable[text[at]]; at++ {
		}
		e.plain = text[at] == '"'
		if !e.plain {
			at = stringEnd(text, at)
		} else {
			at++
		}
	case '[', '{':
		at = nestedEnd(text, at)
	default:
		for at++; !closing[text[at]]; at++ {
		}
	}
	l.at = at
	e.text = text[start:at]
	return e, true
}

// all gives the elements that are left.
func (l list) all() (elements []element) {
	for e, ok := l.next(); ok; e, ok = l.next() {
		elements = append(elements, e)
	}
	return elements
}

// between are the bytes that may stand between two elements of a list, inside
// those of an object too.
var (
	between = [256]bool{',': true, ' ': true, '\t': true, '\r': true, '\n': true}
	inside  = [256]bool{',': true, ':': true, ' ': true, '\t': true, '\r': true, '\n': true}
)

// notable are the bytes at which a plain string ends or stops being one.
var notable = func() (table [256]bool) {
	table['"'], table['\\'] = true, true
	for c := utf8.RuneSelf; c < len(table); c++ {
		table[c] = true
	}
	return table
}()

// closing are the bytes that end a number or literal.
var closing = [256]bool{',': true, ']': true, '}': true, ' ': true, '\t': true, '\r': true, '\n': true}

// stringEnd is the position behind the string of which at is a byte inside, not
// behind a backslash.
func stringEnd(text string, at int) int {
	for text[at] != '"' {
		if text[at] == '\\' {
			at++
		}
		at++
	}
	return at + 1
}

// nestedEnd is the position behind the list or object that starts at at. What
// closes what has been checked, so one count serves both kinds.
func nestedEnd(text string, at int) int {
	for depth := 0; ; {
		switch text[at] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '"':
			at = stringEnd(text, at+1)
			continue
		}
		at++
		if depth == 0 {
			return at
		}
	}
}

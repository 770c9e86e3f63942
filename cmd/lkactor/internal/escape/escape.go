// Package escape shows names and values, which are anybody's text, as text and as
// nothing else: one function for each kind of output.
//
// All show the same characters for a name; they differ in how these are written for
// whoever reads the output next. In a sentence a name is always quoted, since nothing
// keeps it from being "the" or "nobody"; where it stands alone, as a label, a word of
// letters, digits and a few signs stands as it is. Quotes are those of Go strings, so that
// control characters, escape sequences of terminals, marks that turn the direction
// of text and whatever else cannot be seen (see [Hidden]) come out as visible escapes, and
// a backslash in a name cannot be taken for one. Letters of all scripts stay as they
// are. A name of more than [MostRunes] is cut in the middle and says how long it is;
// what is for machines (--json) has it whole.
package escape

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MostRunes is how many characters of a name are shown at most.
const MostRunes = 64

// tail is how many of them are from its end.
const tail = 16

// Terminal shows a name that stands alone in text for a terminal or a file.
func Terminal(name string) string {
	if name == "" || strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) >= 0 || utf8.RuneCountInString(name) > MostRunes {
		return Quoted(name)
	}
	return name
}

// Quoted shows a name in a sentence of such a text.
func Quoted(name string) string {
	if utf8.RuneCountInString(name) > MostRunes {
		head, end := ends(name)
		return fmt.Sprintf("%s...%s(%d bytes)", quote(head), quote(end), len(name))
	}
	return quote(name)
}

// quote is strconv.Quote, which does not escape all that is hidden.
func quote(text string) string {
	quoted := strconv.Quote(text)
	if strings.IndexFunc(quoted, Hidden) < 0 {
		return quoted
	}
	var b strings.Builder
	for _, r := range quoted {
		switch {
		case !Hidden(r):
			b.WriteRune(r)
		case r < 1<<16:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// blanks are characters that are drawn as nothing though Unicode has them as letters,
// marks and symbols: blanks of Braille, of hieroglyphs and of music, and fillers.
var blanks = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}},
	R32: []unicode.Range32{
		{Lo: 0x13441, Hi: 0x13446, Stride: 1}, {Lo: 0x16fe4, Hi: 0x16fe4, Stride: 1},
		{Lo: 0x1d159, Hi: 0x1d159, Stride: 1}, {Lo: 0x1d173, Hi: 0x1d17a, Stride: 1},
	},
}

// Hidden tells the characters that cannot be seen, the space between words aside:
// control and format characters, other white space, what programs are told to draw as
// nothing (Unicode's default-ignorable code points, in which are fillers and variation
// selectors), and what is drawn so anyway.
func Hidden(r rune) bool {
	return !strconv.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, blanks)
}

// ends gives the first and the last characters of a long name.
func ends(name string) (head, end string) {
	at := 0
	for range MostRunes - tail {
		_, size := utf8.DecodeRuneInString(name[at:])
		at += size
	}
	from := len(name)
	for range tail {
		_, size := utf8.DecodeLastRuneInString(name[:from])
		from -= size
	}
	return name[:at], name[from:]
}

// Message shows a text of our own in which names of files and flags stand as they are:
// on the lines that it has, with visible escapes for all else that is hidden.
func Message(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if one := text[:size]; r != '\n' && Hidden(r) || r == utf8.RuneError && size == 1 {
			quoted := quote(one)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(one)
		}
		text = text[size:]
	}
	return b.String()
}

// Value shows the text of a JSON value in a sentence: as it stands, which is on one line,
// what is hidden in it as escapes of JSON, and cut like a name.
func Value(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) > MostRunes {
		head, end := ends(text)
		return fmt.Sprintf("%s...%s(%d bytes)", JSON(nil, []byte(head)), JSON(nil, []byte(end)), len(text))
	}
	return string(JSON(nil, []byte(text)))
}

// plain tells the characters of a name that needs no quotes.
func plain(r rune) bool {
	return r != utf8.RuneError && !Hidden(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:@#+=~%{}", r))
}

// HTML shows a name in HTML or SVG: in text, or in an attribute within quotes of
// either kind.
func HTML(name string) string { return html.EscapeString(Terminal(name)) }

// dot writes what has a meaning inside a quoted string of Graphviz: the quote and the
// backslash there, and the character references that labels know.
var dot = strings.NewReplacer(`"`, `\"`, `\`, `\\`, `&`, `&amp;`)

// DOT shows a name inside a quoted string of Graphviz' language; the quotes are the
// caller's.
func DOT(name string) string { return DOTText(Terminal(name)) }

// DOTText is DOT for a text of our own, which needs no quotes and is never cut.
func DOTText(text string) string { return dot.Replace(text) }

// Mermaid shows a name inside a quoted label of Mermaid; the quotes are the caller's.
// Labels there may be read as Markdown or HTML, so everything that is no letter,
// digit, or one of a few signs without a meaning is written as a character reference
// of Mermaid's own kind. Hyphens, dots and underscores have none inside a word.
func Mermaid(name string) string { return MermaidText(Terminal(name)) }

// MermaidText is Mermaid for a text of our own, which needs no quotes and is never
// cut.
func MermaidText(text string) string {
	var b strings.Builder
	runes := []rune(text)
	inWord := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for i, r := range runes {
		if inWord(i) || strings.ContainsRune(" /:,", r) || strings.ContainsRune("-._", r) && inWord(i-1) && inWord(i+1) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// JSON adds JSON text to buf with everything that cannot be seen written as an
// escape. It is the same value to whoever reads it, and nothing but text on a
// terminal.
func JSON(buf, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			buf = append(buf, `\ufffd`...) // no valid Unicode
		} else if r < utf8.RuneSelf && r != '\x7f' || !Hidden(r) {
			buf = append(buf, text[:size]...)
		} else if r < 1<<16 {
			buf = fmt.Appendf(buf, `\u%04x`, r)
		} else {
			high, low := 0xd800+(r-1<<16)>>10, 0xdc00+(r-1<<16)&0x3ff
			buf = fmt.Appendf(buf, `\u%04x\u%04x`, high, low)
		}
		text = text[size:]
	}
	return buf
}

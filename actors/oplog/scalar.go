package oplog

import (
	"math"

	"github.com/go-json-experiment/json/jsontext"
)

// integer reads the text of a JSON value as an integer (O9): a number with
// neither fraction nor exponent. One that does not fit is kept as the nearest
// bound of int64, which is out of every range.
func integer(text string) (n int64, ok bool) {
	digits := text
	negative := digits[0] == '-'
	if negative {
		digits = digits[1:]
	}
	for i, c := range digits {
		digit := int64(c) - '0'
		if digit < 0 || digit > 9 {
			return 0, false
		}
		if i >= safeDigits && n > (math.MaxInt64-digit)/10 {
			n = math.MaxInt64 // and there it stays, however many digits follow
			continue
		}
		n = n*10 + digit
	}
	if negative {
		if n == math.MaxInt64 {
			return math.MinInt64, true
		}
		return -n, true
	}
	return n, true
}

// safeDigits is how many decimal digits fit an int64 whatever they are.
const safeDigits = 18

// content gives what a JSON string says; ok is false when e is another kind of
// value, or a string that is not valid Unicode (O10).
func content(e element) (text string, ok bool) {
	if e.plain {
		return e.text[1 : len(e.text)-1], true
	}
	return unquote(e.text)
}

// unquote is [content] of whatever is no plain string.
func unquote(text string) (content string, ok bool) {
	if text[0] != '"' {
		return "", false
	}
	// The parser's unquoting puts U+FFFD for a lone surrogate or an invalid byte,
	// but it says so, which tells them from a U+FFFD that somebody wrote.
	unquoted, err := jsontext.AppendUnquote(nil, text)
	if err != nil {
		return "", false
	}
	return string(unquoted), true
}

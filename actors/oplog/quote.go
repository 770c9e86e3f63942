package oplog

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// appendString adds text as a JSON string with as few escapes as JSON allows:
// the quote, the backslash and control characters. All else stands as it is, <,
// >, & and U+2028 too. Equal texts give equal bytes.
func appendString(buf []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c > '~' {
			// Bytes that are no UTF-8 come out as U+FFFD: what is written is JSON
			// whatever it is given.
			buf, _ = jsontext.AppendQuote(buf, text)
			return buf
		}
	}
	buf = append(buf, '"')
	buf = append(buf, text...)
	return append(buf, '"')
}

func appendInt[N ~int64 | ~int](buf []byte, n N) []byte {
	return strconv.AppendInt(buf, int64(n), 10)
}

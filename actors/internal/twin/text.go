package twin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// limit is 2^62, the largest magnitude of a ts, token, count or step (O9).
var limit = new(big.Int).Lsh(big.NewInt(1), 62)

// The bounds of a ttl: in a plain log in seconds (O7), in a live one in
// nanoseconds (E1).
const (
	leastTTL     = 1
	mostTTL      = 86_400
	leastLiveTTL = 1_000_000
	mostLiveTTL  = 86_400 * 1_000_000_000
)

// elements gives the elements of a JSON list, each as it was written; ok is
// false for anything else.
func elements(raw []byte) (list []json.RawMessage, ok bool) {
	if !bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("[")) {
		return nil, false
	}
	err := json.Unmarshal(raw, &list)
	return list, err == nil
}

// member is one key of a JSON object and its value.
type member struct {
	key   string
	value json.RawMessage
}

// members gives the members of a JSON object in their order, doubles and all; ok
// is false for anything else.
func members(raw []byte) (list []member, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return nil, false
	}
	for decoder.More() {
		// What is no Unicode in a key comes out as U+FFFD, and so as none of the keys
		// that anybody asks for.
		key, err := decoder.Token()
		if err != nil {
			return nil, false
		}
		m := member{key: key.(string)}
		if decoder.Decode(&m.value) != nil {
			return nil, false
		}
		list = append(list, m)
	}
	return list, true
}

// text gives the string that raw is; ok is false if it is no string, which
// includes one that is not valid Unicode (O10). The JSON decoder would quietly
// turn those into U+FFFD, so the text is looked at before it is decoded.
func text(raw json.RawMessage) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' || !utf8.Valid(raw) || hasLoneSurrogate(string(raw)) {
		return "", false
	}
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// hasLoneSurrogate looks for an escape of half a surrogate pair in the JSON text
// of a string.
func hasLoneSurrogate(raw string) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		unit := escapedUnit(raw[i:])
		switch {
		case unit >= 0xDC00 && unit <= 0xDFFF:
			return true // a low half that no high half came before
		case unit >= 0xD800 && unit <= 0xDBFF:
			low := escapedUnit(raw[i+6:])
			if low < 0xDC00 || low > 0xDFFF {
				return true
			}
			i += 11 // both escapes
		default:
			i++ // the escaped character may be a backslash itself
		}
	}
	return false
}

// escapedUnit gives the number of a \uXXXX at the start of s, -1 if there is
// none.
func escapedUnit(s string) int64 {
	if len(s) < 6 || s[:2] != `\u` {
		return -1
	}
	unit, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return int64(unit)
}

// name gives the non-empty string that raw is (O6).
func name(raw json.RawMessage) (s string, ok bool) {
	s, ok = text(raw)
	return s, ok && s != ""
}

// integer gives the integer that raw is, of any size: a number written with
// neither fraction nor exponent (O9).
func integer(raw json.RawMessage) (n *big.Int, ok bool) {
	if len(raw) == 0 || !strings.Contains("-0123456789", string(raw[:1])) || bytes.ContainsAny(raw, ".eE") {
		return nil, false
	}
	return new(big.Int).SetString(string(raw), 10)
}

// limited gives the integer that raw is if it is no larger in magnitude than a
// ts, token, count or step may be (O9).
func limited(raw json.RawMessage) (n int64, ok bool) {
	exact, ok := integer(raw)
	if !ok || exact.CmpAbs(limit) > 0 {
		return 0, false
	}
	return exact.Int64(), true
}

// isTTL tells whether an integer is in the range of O7 or E1.
func (t *Twin) isTTL(n *big.Int) bool {
	least, most := int64(leastTTL), int64(mostTTL)
	if t.live {
		least, most = leastLiveTTL, mostLiveTTL
	}
	return n.Cmp(big.NewInt(least)) >= 0 && n.Cmp(big.NewInt(most)) <= 0
}

// quote writes a string as JSON, escaping only what must be escaped.
func quote(s string) string {
	short := map[rune]string{
		'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`,
	}
	var out strings.Builder
	for _, r := range s {
		switch {
		case short[r] != "":
			out.WriteString(short[r])
		case r < 0x20:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	return `"` + out.String() + `"`
}

// quoteAll writes a list of strings as JSON.
func quoteAll(list []string) string {
	var quoted []string
	for _, s := range list {
		quoted = append(quoted, quote(s))
	}
	return "[" + strings.Join(quoted, ",") + "]"
}

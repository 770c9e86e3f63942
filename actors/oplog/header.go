package oplog

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Header is what a live log begins with (E1). It is no operation and has no
// result.
type Header struct {
	// Zero is the wall-clock time of instant 0, in UTC, from the year 0 to 9999.
	Zero time.Time
	// Engine names the engine whose history the log is.
	Engine uuid.UUID
}

// Dialect is that of the operations below a header; nil stands for a log
// without one.
func (h *Header) Dialect() lease.Dialect {
	if h == nil {
		return lease.Plain
	}
	return lease.Live
}

// liveVersion is the one version of live logs that there is.
const liveVersion = 1

// AppendHeader adds the text of a header to buf: one JSON object on one line
// without spaces, keys in the order of E1. Equal headers give equal bytes.
func AppendHeader(buf []byte, h Header) []byte {
	buf = append(buf, `{"lkactor":`...)
	buf = appendInt(buf, liveVersion)
	buf = append(buf, `,"unit":"ns","zero":"`...)
	buf = h.Zero.UTC().AppendFormat(buf, time.RFC3339Nano)
	buf = append(buf, `","engine":"`...)
	buf = append(buf, h.Engine.String()...)
	return append(buf, `"}`...)
}

// AppendPartialHeader adds the header of a log that lacks its first operations, so many. It
// is no header of E1: whoever replayed the log would start from nothing and get other
// results, so a decoder refuses it and says why.
func AppendPartialHeader(buf []byte, h Header, missing uint64) []byte {
	buf = AppendHeader(buf, h)
	buf = append(buf[:len(buf)-1], `,"`+missingKey+`":`...)
	return append(strconv.AppendUint(buf, missing, 10), '}')
}

// missingKey is the key by which a header says that its log has no beginning.
const missingKey = "missing"

// liveKey is the key by which a header is known.
const liveKey = "lkactor"

// headerKeys are all the keys of a header.
var headerKeys = []string{liveKey, "unit", "zero", "engine"}

// What is expected in a header, in the words of a [SyntaxError].
var (
	wantKey   = `"` + strings.Join(headerKeys, `", "`) + `" and no other key in the header of a live log`
	wantWhole = "a log from its beginning, and this one lacks its first operations"
	wantOnce  = "each key of a header once"
	wantValue = map[string]string{
		liveKey:  fmt.Sprintf("version %d of live logs", liveVersion),
		"unit":   `"ns" as the unit of a live log`,
		"zero":   "an RFC 3339 time as the zero of a live log",
		"engine": "a UUID as the engine of a live log",
	}
)

// isHeader tells whether the text of the first entry makes a log live: an object
// with the key. Whether it is a good header is another question.
func isHeader(text string) bool {
	members, ok := openObject(text)
	if !ok {
		return false
	}
	for {
		name, ok := members.next()
		if !ok {
			return false
		}
		if key, _ := content(name); key == liveKey {
			return true
		}
		members.next() // the value
	}
}

// flaw is the first thing wrong with a header: the place in its text, and what
// is to be said about it.
type flaw struct {
	at          int
	want, found string
}

// parseHeader reads the text of what [isHeader] says is one.
func parseHeader(text string) (h Header, wrong *flaw) {
	members, _ := openObject(text)
	seen := make([]bool, len(headerKeys))
	for {
		name, ok := members.next()
		if !ok {
			break
		}
		place := members.at - len(name.text)
		key, _ := content(name)
		i := slices.Index(headerKeys, key)
		if key == missingKey {
			return h, &flaw{place, wantWhole, shown(name.text)}
		}
		if i < 0 {
			return h, &flaw{place, wantKey, shown(name.text)}
		}
		if seen[i] {
			return h, &flaw{place, wantOnce, shown(name.text) + " again"}
		}
		seen[i] = true
		value, _ := members.next()
		if !h.set(key, value) {
			return h, &flaw{members.at - len(value.text), wantValue[key], shown(value.text)}
		}
	}
	if i := slices.Index(seen, false); i >= 0 {
		return h, &flaw{len(text) - 1, fmt.Sprintf("%q in the header of a live log", headerKeys[i]), "its end"}
	}
	return h, nil
}

// rfc3339 is the form of a time. Package time alone would also take hours of one
// digit, fractions behind a comma and offsets of a whole day. It is compiled when it is
// first needed: plain logs have no use for it.
var rfc3339 = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)
})

// set takes over the value of a key; it answers false for a wrong one.
func (h *Header) set(key string, value element) bool {
	if key == liveKey {
		version, ok := integer(value.text)
		return ok && version == liveVersion
	}
	text, ok := content(value)
	if !ok {
		return false
	}
	switch key {
	case "zero":
		zero, err := time.Parse(time.RFC3339, text)
		h.Zero = zero.UTC()
		return err == nil && rfc3339().MatchString(text)
	case "engine":
		// Parse takes other forms too, all of other lengths.
		id, err := uuid.Parse(text)
		h.Engine = id
		return err == nil && len(text) == len(uuid.Nil.String())
	}
	return text == "ns"
}

// mostShown is how many bytes of a value a message repeats.
const mostShown = 60

// shown gives a value for a message: as it stands, where that is short and can
// be shown on one line.
func shown(text string) string {
	if len(text) <= mostShown && strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
		return text
	}
	switch text[0] {
	case '"':
		return "another string"
	case '[':
		return "a list"
	case '{':
		return "an object"
	}
	return "a longer number"
}

// look sees whether the first entry of the log, which begins where lines are
// counted up to, is a header.
func (d *Decoder) look(text []byte) error {
	if entry := string(text); isHeader(entry) {
		h, wrong := parseHeader(entry)
		if wrong != nil {
			at := d.counted + int64(wrong.at)
			if d.format == Array {
				d.count(text[:wrong.at])
			}
			return d.errorAt(at, wrong.want, wrong.found)
		}
		d.header = &h
	}
	d.looked = true
	return nil
}

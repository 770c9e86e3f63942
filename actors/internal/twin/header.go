package twin

import (
	"encoding/json"
	"regexp"
	"time"
)

// isLive tells whether the first element of a log makes it a live one: an object
// with the key lkactor (E1).
func isLive(first json.RawMessage) bool {
	entries, _ := members(first)
	for _, e := range entries {
		if e.key == "lkactor" {
			return true
		}
	}
	return false
}

var (
	uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

	// timeForm is that of RFC 3339, whether there is such a time or not.
	timeForm = regexp.MustCompile(`^[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}([.][0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`)
)

// isHeader tells whether the first element of a live log is as E1 wants it: each
// of four keys once, and no other.
func isHeader(first json.RawMessage) bool {
	entries, _ := members(first)
	good := map[string]bool{}
	for _, e := range entries {
		s, _ := text(e.value)
		switch e.key {
		case "lkactor":
			good[e.key] = string(e.value) == "1"
		case "unit":
			good[e.key] = s == "ns"
		case "zero":
			_, err := time.Parse(time.RFC3339, s)
			good[e.key] = err == nil && timeForm.MatchString(s)
		case "engine":
			good[e.key] = uuidForm.MatchString(s)
		}
	}
	return len(entries) == 4 && good["lkactor"] && good["unit"] && good["zero"] && good["engine"]
}

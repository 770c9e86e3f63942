package oplog

import "strings"

// arena turns bytes into strings, many to an allocation. A string of it is never
// overwritten: a full chunk is left to those who still hold a part of it.
type arena struct{ chunk strings.Builder }

// keep gives text as a string.
func (a *arena) keep(text []byte) string {
	if len(text) > chunkBytes/8 {
		return string(text)
	}
	if a.chunk.Cap()-a.chunk.Len() < len(text) {
		a.chunk.Reset()
		a.chunk.Grow(chunkBytes)
	}
	from := a.chunk.Len()
	a.chunk.Write(text)
	return a.chunk.String()[from:]
}

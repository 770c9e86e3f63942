package casfence

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// maxRemembered is how many of a scope's latest writes its manifest names. A
// writer whose answer was lost can tell what became of its write unless more than
// so many others have followed.
const maxRemembered = 64

// manifest is the object of one scope. The zero value is that of a scope nobody
// has written to.
type manifest struct {
	Scope string      `json:"scope"`
	Token lease.Token `json:"token"` // the highest accepted
	// Count is the number of writes so far; Writes are the latest of them, newest
	// last, by the names of their value objects.
	Count  int64             `json:"count"`
	Writes []string          `json:"writes"`
	Keys   map[string]string `json:"keys"` // key to name of its value object
}

// with gives the manifest after one write more; m stays as it is.
func (m *manifest) with(scope, key, id string, token lease.Token) *manifest {
	keys := maps.Clone(m.Keys)
	if keys == nil {
		keys = make(map[string]string, 1)
	}
	keys[key] = id
	writes := append(slices.Clone(m.Writes), id)
	return &manifest{
		Scope:  scope,
		Token:  token,
		Count:  m.Count + 1,
		Writes: writes[max(0, len(writes)-maxRemembered):],
		Keys:   keys,
	}
}

// fate tells what became of the write id that was put on the condition that the
// manifest is still before, now that it is m.
func (m *manifest) fate(id string, before *manifest) fate {
	switch {
	case slices.Contains(m.Writes, id):
		return done
	case m.Count-before.Count > int64(len(m.Writes)):
		return forgotten
	case m.Count > before.Count:
		return void
	}
	return open
}

// fate is what became of a write whose answer was no plain yes.
type fate uint8

const (
	open      fate = iota // the manifest is still the one before: it may yet be done
	done                  // it was done
	void                  // another was done in its place: it never will be
	forgotten             // it was done or not, too long ago to tell
)

func (m *manifest) encode() []byte {
	data, err := json.Marshal(m)
	if err != nil {
		panic(err) // there is nothing in it that JSON has not
	}
	return data
}

func decode(data []byte, scope string) (*manifest, error) {
	m := new(manifest)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("casfence: the manifest of scope %q is damaged: %w", scope, err)
	}
	if m.Scope != scope || m.Token < 1 || m.Count < 1 || len(m.Writes) == 0 {
		return nil, fmt.Errorf("casfence: what stands in place of the manifest of scope %q is none", scope)
	}
	return m, nil
}

// manifestName and valueName give the names of objects. Scopes and keys may
// contain what object names may not, so they appear as digests.
func (s *Store) manifestName(scope string) string { return s.prefix + "manifest/" + digest(scope) }

func (s *Store) valueName(scope, id string) string {
	return s.prefix + "value/" + digest(scope) + "/" + id
}

func digest(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

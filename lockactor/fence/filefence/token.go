package filefence

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// record is what a scope's token file says. The scope is in it for people, who
// could not tell from a digest which one it is.
type record struct {
	Scope string      `json:"scope"`
	Token lease.Token `json:"token"`
}

// readToken gives the highest token accepted in the scope with that directory,
// zero if none. A file that says anything else is an error: to take it for none
// would let everybody in.
func readToken(dir, scope string) (lease.Token, error) {
	path := filepath.Join(dir, "token")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return 0, fmt.Errorf("%s is damaged: %w", path, err)
	}
	if r.Scope != scope || r.Token < 1 {
		return 0, fmt.Errorf("%s is not the token of scope %q", path, scope)
	}
	return r.Token, nil
}

// writeToken makes token the highest accepted, durably.
func writeToken(d disk, dir, scope string, token lease.Token) error {
	data, err := json.Marshal(record{Scope: scope, Token: token})
	if err != nil {
		return err
	}
	through := filepath.Join(dir, tokenPrefix+newID())
	if err := replace(d, filepath.Join(dir, "token"), through, append(data, '\n')); err != nil {
		_ = d.remove(through)
		return err
	}
	return nil
}

// digest gives a file name for any name there is.
func digest(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

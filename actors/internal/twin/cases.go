package twin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Case is one golden case: a log and the results that the rules give it, worked
// out by hand.
type Case struct {
	Name   string   // the file's, without .json
	Why    string   // which rule it is about and what would go wrong
	Live   bool     // whether Log is a live log, which begins with its header (E1)
	Log    []byte   // the text of the log, a JSON list, as written in the file
	Expect []string // one result per operation, compact JSON
}

// Cases reads the golden cases of a folder, in the order of their names. A file
// is an object with "why", "ops" and "expect"; the latter two are lists of one
// length, the header of a live log not counted. For tests of every engine; the
// paths are the caller's.
func Cases(dir string) ([]Case, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no cases in %s", dir)
	}
	var cases []Case
	for _, path := range paths {
		c, err := readCase(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

func readCase(path string) (Case, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Case{}, err
	}
	var file struct {
		Why    string
		Ops    json.RawMessage
		Expect []json.RawMessage
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return Case{}, err
	}
	c := Case{
		Name: strings.TrimSuffix(filepath.Base(path), ".json"),
		Why:  file.Why,
		Log:  file.Ops,
	}
	ops, ok := elements(file.Ops)
	if len(ops) > 0 && isLive(ops[0]) {
		c.Live, ops = true, ops[1:]
	}
	if !ok || len(ops) != len(file.Expect) {
		return Case{}, fmt.Errorf("%d operations, %d results", len(ops), len(file.Expect))
	}
	for _, result := range file.Expect {
		var compact bytes.Buffer
		if err := json.Compact(&compact, result); err != nil {
			return Case{}, err
		}
		c.Expect = append(c.Expect, compact.String())
	}
	return c, nil
}

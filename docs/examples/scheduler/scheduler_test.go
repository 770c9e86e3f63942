package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
)

// The whole story, in a time of its own. What two workers do at the same instant
// may be printed in either order, so each is looked at by itself.
func TestStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		if err := run(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		for who, want := range story {
			var lines []string
			for _, line := range got {
				if told, ok := strings.CutPrefix(line, who); ok {
					lines = append(lines, told)
				}
			}
			if got := strings.Join(lines, "\n"); got != strings.Trim(want, "\n") {
				t.Errorf("%s\n%s\nwant%s", who, got, want)
			}
		}
	})
}

// story is what each has to tell.
var story = map[string]string{
	"worker-1: ": `
rollup has warehouse with token 1
rollup has catalog with token 2
rollup is done
export, once more has exports/daily with token 2
export, once more is done
`,
	"worker-2: ": `
reindex has catalog with token 1
reindex is aborted
  worker-2 waits for warehouse of worker-1, of age 1
  worker-1 waits for catalog of worker-2, of age 2
reindex tries again
reindex has catalog with token 3
reindex has warehouse with token 2
reindex is done
`,
	"worker-3: ": `
export has exports/daily with token 1
export stalls
export goes on
export had lost exports/daily
export is refused by the store: token 1, and 2 has written since
`,
	"  ": `
catalog, part 1: reindex
catalog, part 2: reindex
exports/daily, part 1: export, once more
exports/daily, part 2: export, once more
exports/daily, part 3: export, once more
warehouse, part 1: reindex
warehouse, part 2: reindex
`,
}

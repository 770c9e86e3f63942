package waitfor

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// pictures runs a log in lines and draws its deadlocks and then its end.
func pictures(t *testing.T, log string) (all []*Picture) {
	t.Helper()
	in := oplog.NewDecoder(strings.NewReader(log), "log", oplog.Lines)
	var clock telling.Clock
	var s *story.Story
	var now lease.Instant
	s = story.New(lease.Plain, func(e *story.Event) {
		now = e.Noticed
		if e.Kind == story.Deadlock {
			all = append(all, Deadlock(clock, e, s.Book()))
		}
	})
	for n := int64(1); ; n++ {
		var op lease.Operation
		if err := in.Next(&op); err == io.EOF {
			return append(all, At(clock, n-1, clock.Instant(now), s.Book()))
		} else if err != nil {
			t.Fatal(err)
		}
		s.Do(&op)
	}
}

func text(t *testing.T, draw func(io.Writer, []*Picture) error, all []*Picture) string {
	t.Helper()
	var b strings.Builder
	if err := draw(&b, all); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Scripts in testdata: a log, one operation on each line, and its pictures: each
// deadlock, then who waits at the end. go test -rewrite writes them anew.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			draw := DOT
			if d.Cmd == "mermaid" {
				draw = Mermaid
			}
			return text(t, draw, pictures(t, d.Input))
		})
	})
}

// What a line of each output may be; names stand within quotes only.
var (
	dotLine = regexp.MustCompile(`^(digraph waitfor \{|  rankdir.*|  (node|edge) \[.*|  subgraph cluster_\d+ \{|(  )?\}` +
		`|    label="[^"\\<>]*";` +
		`|    p\d+n(\d+)?( -> p\d+n\d+)? \[label="([^"\\]|\\["\\n])*"(, [a-z]+=[a-z0-9.]+)*\];)$`)
	mermaidLine = regexp.MustCompile(`^(flowchart LR|  end|  subgraph p\d+\["[^"<>]*"\]|  classDef .*|  linkStyle [\d,]+ stroke:#d00,stroke-width:3px` +
		`|    p\d+n(\d+)?(\(\[|\[)"([^"<>&` + "`" + `]|<br/>)*"(\]\)|\])(:::cycle|:::victim)?` +
		`|    p\d+n\d+ (-->|-\.->)\|"[^"<>]*"\| p\d+n\d+)$`)
)

// Names change nothing but what stands between the quotes.
func TestHostileNames(t *testing.T) {
	plain := `["acquire",0,"H","L",100]
["acquire",1,"Z","M",100]
["acquire",2,"Y","L",100]
["acquire",3,"H","M",100]
["acquire",4,"Z","L",100]
`
	want := map[string]int{}
	for _, name := range []string{
		"plain", `\"];x[label=\"`, `<script>alert(1)</script>`, `\\N`, `\u001b[2J`, `\u202eevil`, "`x`", `&quot;`, `end`, `a]\n  b --> c`, `#quot;`,
		strings.Repeat("x", 10_000),
	} {
		log := plain
		for _, letter := range []string{"H", "L", "M", "Y", "Z"} {
			log = strings.ReplaceAll(log, `"`+letter+`"`, `"`+name+letter+`"`)
		}
		for kind, drawn := range map[string]string{"dot": text(t, DOT, pictures(t, log)), "mermaid": text(t, Mermaid, pictures(t, log))} {
			lines := strings.Split(strings.TrimSuffix(drawn, "\n"), "\n")
			if want[kind] == 0 {
				want[kind] = len(lines)
			}
			if len(lines) != want[kind] {
				t.Errorf("%s of %.20q has %d lines, want %d", kind, name, len(lines), want[kind])
			}
			fits := dotLine
			if kind == "mermaid" {
				fits = mermaidLine
			}
			for _, line := range lines {
				if !fits.MatchString(line) || len(line) > 1500 {
					t.Errorf("%s of %.20q has the line %.200s", kind, name, line)
				}
			}
		}
	}
}

// Of a crowd only some are drawn, and those on the cycle in any case.
func TestACrowd(t *testing.T) {
	var log strings.Builder
	const readers = 1000
	for i := range readers {
		fmt.Fprintf(&log, "[\"acquire\",0,\"r%d\",\"A\",100,\"shared\"]\n", i)
	}
	for i := range 100 {
		fmt.Fprintf(&log, "[\"acquire\",0,\"w%d\",\"A\",100]\n", i)
	}
	log.WriteString(`["acquire",0,"young","B",100]` + "\n" + `["acquire",1,"r999","B",100]` + "\n" + `["acquire",2,"young","A",100]`)
	all := pictures(t, log.String())
	if len(all) != 2 {
		t.Fatalf("%d pictures", len(all))
	}
	drawn := text(t, DOT, all[:1])
	for _, want := range []string{`label="r999\n`, `label="r0\n`, `label="young\n`, "959 holders and 60 waiters more", "101 in the queue"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("no %s in\n%s", want, drawn)
		}
	}
	if n := strings.Count(drawn, "\n"); n > 300 {
		t.Errorf("%d lines", n)
	}
}

package waitfor

import (
	"fmt"
	"io"
	"strings"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
)

// Mermaid writes pictures as one flow chart of Mermaid, each in a frame of its own. No
// pictures are a chart that says so, since Mermaid takes an empty one for a mistake.
func Mermaid(w io.Writer, pictures []*Picture) error {
	e := &errWriter{w: w}
	e.printf("flowchart LR\n")
	if len(pictures) == 0 {
		e.printf("  none[\"nothing to be shown\"]\n")
	}
	links := 0
	var red []string // the links on cycles, by their number in the chart
	for i, p := range pictures {
		e.printf("  subgraph p%d[\"%s\"]\n", i, escape.MermaidText(p.title))
		if len(p.nodes) == 0 {
			e.printf("    p%dn[\"nobody waits\"]\n", i)
		}
		for k, n := range p.nodes {
			e.printf("    p%dn%d%s\n", i, k, n.mermaid())
		}
		for _, a := range p.arrows {
			line := "-->"
			if a.ahead {
				line = "-.->"
			}
			e.printf("    p%dn%d %s|\"%s\"| p%dn%d\n", i, a.from, line, escape.MermaidText(a.label), i, a.to)
			if a.cycle {
				red = append(red, fmt.Sprint(links))
			}
			links++
		}
		e.printf("  end\n")
	}
	e.printf("  classDef cycle stroke:#d00,stroke-width:3px\n")
	e.printf("  classDef victim stroke:#d00,stroke-width:3px,fill:#fdd,color:#000\n")
	if len(red) > 0 {
		e.printf("  linkStyle %s stroke:#d00,stroke-width:3px\n", strings.Join(red, ","))
	}
	return e.err
}

func (n *node) mermaid() string {
	label := escape.Mermaid(n.name)
	if n.note != "" {
		label += "<br/>" + escape.MermaidText(n.note)
	}
	text := fmt.Sprintf("([\"%s\"])", label)
	if n.lock {
		text = fmt.Sprintf("[\"%s\"]", label)
	}
	switch {
	case n.victim:
		text += ":::victim"
	case n.cycle:
		text += ":::cycle"
	}
	return text
}

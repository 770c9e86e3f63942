package waitfor

import (
	"fmt"
	"io"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
)

// DOT writes pictures as one graph in the language of Graphviz, each in a frame of its
// own if there are several. No pictures are an empty graph.
func DOT(w io.Writer, pictures []*Picture) error {
	e := &errWriter{w: w}
	e.printf("digraph waitfor {\n")
	e.printf("  rankdir=LR; fontname=\"sans-serif\";\n")
	e.printf("  node [fontname=\"sans-serif\", style=filled, fillcolor=white];\n")
	e.printf("  edge [fontname=\"sans-serif\", fontsize=10];\n")
	for i, p := range pictures {
		e.printf("  subgraph cluster_%d {\n    label=\"%s\";\n", i, escape.DOTText(p.title))
		if len(p.nodes) == 0 {
			e.printf("    p%dn [label=\"nobody waits\", shape=plaintext];\n", i)
		}
		for k, n := range p.nodes {
			e.printf("    p%dn%d [%s];\n", i, k, n.dot())
		}
		for _, a := range p.arrows {
			e.printf("    p%dn%d -> p%dn%d [%s];\n", i, a.from, i, a.to, a.dot())
		}
		e.printf("  }\n")
	}
	e.printf("}\n")
	return e.err
}

func (n *node) dot() string {
	label := escape.DOT(n.name)
	if n.note != "" {
		label += `\n` + escape.DOTText(n.note)
	}
	text := fmt.Sprintf("label=\"%s\"", label)
	if n.lock {
		text += ", shape=box"
	}
	if n.cycle {
		text += ", color=red, penwidth=2"
	}
	if n.victim {
		text += ", fillcolor=mistyrose, peripheries=2"
	}
	return text
}

func (a *arrow) dot() string {
	text := fmt.Sprintf("label=\"%s\"", escape.DOTText(a.label))
	if a.cycle {
		text += ", color=red, penwidth=2.5"
	}
	if a.ahead {
		text += ", style=dashed"
	}
	return text
}

// errWriter keeps the first error of a writer.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}

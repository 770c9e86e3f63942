package report

import (
	"fmt"
	"io"
	"strings"
)

// markdown is a table on its way to a file, row by row.
type markdown struct {
	out   io.Writer
	cells []string
}

// table begins a table with these columns. The first texts of them hold text, the
// others figures.
func table(out io.Writer, texts int, columns ...string) *markdown {
	fmt.Fprintf(out, "\n| %s |\n|", strings.Join(columns, " | "))
	for i := range columns {
		if i < texts {
			fmt.Fprint(out, "---|")
		} else {
			fmt.Fprint(out, "---:|")
		}
	}
	fmt.Fprintln(out)
	return &markdown{out: out}
}

// add adds a cell to the row.
func (m *markdown) add(format string, values ...any) {
	m.cells = append(m.cells, fmt.Sprintf(format, values...))
}

// some adds a figure to the row, or an empty cell if it is zero.
func (m *markdown) some(format string, value float64) {
	if value == 0 {
		m.cells = append(m.cells, "")
		return
	}
	m.add(format, value)
}

// end ends the row.
func (m *markdown) end() {
	fmt.Fprintf(m.out, "| %s |\n", strings.Join(m.cells, " | "))
	m.cells = m.cells[:0]
}

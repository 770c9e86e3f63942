package timeline

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
)

//go:embed page
var pageFiles embed.FS

// libraries are the files of D3 that the page uses, each behind those it needs.
// d3-zoom turns wheels, drags, pinches and double clicks into a zoomed range, on every
// browser's own terms; d3-scale finds round times and numbers for the axis. Both are
// small parts of a library that is old, well kept and without dependencies; the drawing
// itself goes to a canvas by our own hand, since no library that makes an element of
// each bar stays usable with a hundred thousand of them.
var libraries = []string{
	"dispatch", "selection", "drag", "color", "interpolate", "timer", "ease", "transition", "zoom",
	"array", "format", "time", "time-format", "scale",
}

// scripts are the parts of the page's own script, which share one scope.
var scripts = []string{"data", "clock", "lanes", "theme", "bars", "marks", "overview", "paint", "find", "panel", "view", "keys", "actions", "main"}

// HTML writes the chart as a page that stands alone: it loads nothing, and its
// policy forbids it to, as well as any script but its own. Names and whatever else
// comes from the log are in its data and get into the page as text.
func (c *Chart) HTML(w io.Writer) error {
	out := bufio.NewWriter(w)
	vendor, script, style := vendorText(), scriptText(), pageText("style.css")
	policy := fmt.Sprintf("default-src 'none'; script-src %s %s; style-src %s; base-uri 'none'; form-action 'none'",
		hash(vendor), hash(script), hash(style))
	body, rest, _ := strings.Cut(pageText("index.html"), "<!--data-->")
	head := strings.NewReplacer(
		"<!--policy-->", policy, "<!--title-->", html.EscapeString(escape.Terminal(c.Title)),
		"<!--licence-->", "<!--\n"+pageText("vendor/LICENSE")+"-->", "/*style*/", style,
	)
	_, _ = head.WriteString(out, body)
	if err := c.writeData(out); err != nil {
		return err
	}
	_, _ = strings.NewReplacer("/*vendor*/", vendor, "/*script*/", script).WriteString(out, rest)
	return out.Flush() // which tells what the two before have met
}

// hash names an inline script or style in a policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func pageText(name string) string {
	text, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is compiled in
	}
	return string(text)
}

func vendorText() string {
	var b strings.Builder
	for _, name := range libraries {
		b.WriteString(pageText("vendor/d3-" + name + ".min.js"))
		b.WriteByte('\n')
	}
	return b.String()
}

// scriptText joins the parts of the page's script in a function of their own, so that
// nothing of them is global.
func scriptText() string {
	var b strings.Builder
	b.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range scripts {
		b.WriteString(pageText(name + ".js"))
	}
	b.WriteString("})();\n")
	return b.String()
}

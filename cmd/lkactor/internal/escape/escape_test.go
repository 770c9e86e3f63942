package escape

import (
	"encoding/json"
	"encoding/xml"
	"html"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// names are hostile, each in its own way, and some that are not.
var names = []string{
	"etl-a", "exports/daily", "größe", "イベント", "",
	"<script>alert(1)</script>", `"];x["`, `'"><img src=x onerror=alert(1)>`, "a\nb", "a\x1b[2Jb", "a\x1b]0;title\x07",
	"\u202eevil\u202c", "a\u200fb", "\u2066x\u2069", "a\u0085b\u009bc", "a\u2028b", "tab\tstop", "nul\x00", "del\x7f", "\ufeff",
	`back\slash`, `\u202e`, `\N\G\l`, "&quot;&#34;", "#quot;#35;", "`**bold**`", "%%{init}%%", "{}", "end", "a --> b", "$x$", "]]>", "--", "- a", "-", "1.", "1. a", "_a_", "a-_b", "v1.2_x-y",
	strings.Repeat("x", 10_000), strings.Repeat("\u202e", 10_000), strings.Repeat("<", 64), "\xff\xfe", "\U000e0001tag", "\U0001f600",
}

// edges finds a sign at the edge of a word, where Markdown may see a list or a stress.
var edges = regexp.MustCompile(`(^|[^\pL\pN])[-._]|[-._]($|[^\pL\pN])`)

// harmless fails if text has a character that is not to be seen.
func harmless(t *testing.T, what, name, text string) {
	t.Helper()
	for _, r := range text {
		if r == unicode.ReplacementChar || r != ' ' && !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) && r != ' ' {
			t.Errorf("%s of %.30q has %U", what, name, r)
			return
		}
	}
	if len(text) > 64*12+100 {
		t.Errorf("%s of %.30q is %d bytes", what, name, len(text))
	}
}

func TestNamesAreShownAsText(t *testing.T) {
	shown := map[string]string{}
	for _, name := range names {
		text := Terminal(name)
		harmless(t, "Terminal", name, text)
		if other, taken := shown[text]; taken {
			t.Errorf("%q and %q look the same", name, other)
		}
		shown[text] = name

		harmless(t, "HTML", name, HTML(name))
		if back := html.UnescapeString(HTML(name)); back != text || strings.ContainsAny(HTML(name), `<>"'`) {
			t.Errorf("HTML of %.30q is %s", name, HTML(name))
		}
		var inside string
		if err := xml.Unmarshal([]byte("<t>"+HTML(name)+"</t>"), &inside); err != nil || inside != text {
			t.Errorf("as XML %.30q is %q, %v", name, inside, err)
		}

		harmless(t, "DOT", name, DOT(name))
		if back := undot(DOT(name)); back != text {
			t.Errorf("DOT of %.30q is %s, shown as %s", name, DOT(name), back)
		}

		harmless(t, "Mermaid", name, Mermaid(name))
		if s := Mermaid(name); strings.ContainsAny(s, "\"'`<>&[](){}|\\$*%") || edges.MatchString(s) || unmermaid(s) != text {
			t.Errorf("Mermaid of %.30q is %s, shown as %s", name, s, unmermaid(s))
		}
	}
}

// undot reads a quoted string of Graphviz as a label: backslashes first, then
// character references. It gives nothing if the string would have ended.
func undot(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return ""
		case s[i] == '\\':
			if i++; i == len(s) || s[i] != '\\' && s[i] != '"' {
				return ""
			}
		}
		b.WriteByte(s[i])
	}
	return html.UnescapeString(b.String())
}

// unmermaid reads the character references of Mermaid.
func unmermaid(s string) string {
	return html.UnescapeString(strings.ReplaceAll(s, "#", "&#"))
}

func TestPlainNamesStandAsTheyAre(t *testing.T) {
	for _, name := range []string{"etl-a", "exports/daily", "größe", "イベント", "job{i%10}"} {
		if Terminal(name) != name {
			t.Errorf("%s is shown as %s", name, Terminal(name))
		}
	}
}

func TestJSONOfInvalidBytes(t *testing.T) {
	if got := string(JSON(nil, []byte("\"a\xffb\""))); got != `"a\ufffdb"` {
		t.Errorf("%s", got)
	}
}

func TestJSONStaysTheSameValue(t *testing.T) {
	for _, name := range names {
		text, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		escaped := JSON(nil, text)
		var a, b string
		if json.Unmarshal(text, &a) != nil || json.Unmarshal(escaped, &b) != nil || a != b {
			t.Errorf("%.30q becomes %.30q", a, b)
		}
		for _, r := range string(escaped) {
			if !unicode.IsGraphic(r) {
				t.Errorf("JSON of %.30q has %U", name, r)
				break
			}
		}
	}
}

func TestMessages(t *testing.T) {
	for text, want := range map[string]string{
		"cannot read \"a b\\c\":\nno such file": "cannot read \"a b\\c\":\nno such file",
		"x\x1b[31m\r\x7f\u202e\u00a0y.json":     `x\x1b[31m\r\x7f\u202e\u00a0y.json`,
		"\xff\ufffd":                            "\\xff\ufffd",
	} {
		if got := Message(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestValues(t *testing.T) {
	long := `"` + strings.Repeat("a", 100) + `"`
	for text, want := range map[string]string{
		"30.0":                      "30.0",
		"[ 1,\n\t\"a\x7f\u202e\" ]": `[ 1,  "a\u007f\u202e" ]`,
		long:                        long[:48] + "..." + long[86:] + "(102 bytes)",
	} {
		if got := Value(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

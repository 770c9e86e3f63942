package escape

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// ignorable are the default-ignorable code points of Unicode 16, as its
// DerivedCoreProperties has them, and behind them what is drawn as nothing all the same.
var ignorable = [][2]rune{
	{0xad, 0xad}, {0x34f, 0x34f}, {0x61c, 0x61c}, {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f},
	{0x202a, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0},
	{0xfff0, 0xfff8}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	{0x2800, 0x2800}, {0x16fe4, 0x16fe4}, {0x1d159, 0x1d159}, {0xa0, 0xa0}, {0x3000, 0x3000}, {0x2028, 0x2029},
}

// Whatever cannot be seen is an escape in every kind of output, wherever it stands in a
// name, and the name can be read back from it.
func TestHiddenCharactersAreEscaped(t *testing.T) {
	for _, span := range ignorable {
		for r := span[0]; r <= span[1]; r++ {
			if !Hidden(r) {
				t.Errorf("%U is not hidden", r)
			}
			for _, name := range []string{string(r), "a" + string(r) + "b", strings.Repeat("x", 60) + string(r)} {
				for kind, text := range map[string]string{
					"Terminal": Terminal(name), "Quoted": Quoted(name), "HTML": HTML(name), "DOT": DOT(name), "Mermaid": Mermaid(name),
				} {
					if strings.ContainsRune(text, r) {
						t.Errorf("%s of %+q has %U as it is", kind, name, r)
					}
				}
				if back, err := strconv.Unquote(Quoted(name)); err != nil || back != name {
					t.Errorf("Quoted of %+q reads back as %+q, %v", name, back, err)
				}
				text, _ := json.Marshal(name)
				var back string
				if shown := JSON(nil, text); strings.ContainsRune(string(shown), r) || json.Unmarshal(shown, &back) != nil || back != name {
					t.Errorf("JSON of %+q is %s", name, shown)
				}
			}
		}
	}
}

// Letters of all scripts, numbers and signs stay as they are, and in a sentence all names
// have quotes.
func TestWhatCanBeSeenIsShown(t *testing.T) {
	for _, name := range []string{"größe", "イベント", "한글", "हिन्दी", "ไทย", "שלום", "a1", "the", "nobody", "it"} {
		if Hidden([]rune(name)[0]) {
			t.Errorf("%q is hidden", name)
		}
		if got := Quoted(name); got != `"`+name+`"` {
			t.Errorf("Quoted of %s is %s", name, got)
		}
	}
	shown := 0
	for r := rune(' '); r <= unicode.MaxRune; r++ {
		if unicode.IsGraphic(r) && !Hidden(r) {
			shown++
		}
	}
	if shown < 100_000 {
		t.Errorf("only %d characters are shown", shown)
	}
}

package command

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
)

// What cannot be seen is an escape on a terminal; a file gets it as it is.
func TestTerminalsAreShownEscapes(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this system has no terminal to try it on: ", err)
	}
	defer terminal.Close()
	if _, escapes := shown(terminal).(*escape.Writer); !escapes {
		t.Error("a terminal gets names as they are")
	}
	if out := new(bytes.Buffer); shown(out) != io.Writer(out) {
		t.Error("a buffer does not get names as they are")
	}
}

func TestProgressIsForTerminalsOnly(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, stderr := range map[string]io.Writer{"a file": file, "a buffer": new(bytes.Buffer)} {
		p := newProgress("replay", longLogBytes, io.Discard, stderr)
		p.update(longLogBytes)
		p.finish()
		if p != nil {
			t.Errorf("a bar is drawn on %s", name)
		}
	}
}

func TestProgressIsForLongLogs(t *testing.T) {
	for _, size := range []int64{10 * longLogBytes, -1} {
		var screen bytes.Buffer
		p := &progress{what: "replay", size: size, stderr: &screen}
		p.update(longLogBytes - 1)
		if known := size > 0; known != (p.bar != nil) {
			t.Errorf("size %d: whether there is a bar near the beginning: %v", size, p.bar != nil)
		}
		for offset := int64(longLogBytes); offset <= 10*longLogBytes; offset += longLogBytes {
			p.update(offset)
		}
		p.finish()
		if text := screen.String(); !strings.Contains(text, "replay") || !strings.HasSuffix(text, "\r") {
			t.Errorf("size %d: the screen shows %q", size, text)
		}
	}
}

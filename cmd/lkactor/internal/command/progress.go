package command

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
)

const (
	// longLogBytes is how long a log has to be for a progress bar: one that takes
	// a moment to replay.
	longLogBytes = 8 << 20

	// barInterval is the time between two states of the bar.
	barInterval = 100 * time.Millisecond
)

// progress shows on stderr how far the reading of a long log has come. A nil
// progress shows nothing.
type progress struct {
	what   string // is being done
	size   int64  // of the log in bytes, -1 where that is not known
	stderr io.Writer
	bar    *progressbar.ProgressBar // nil until the log is known to be long
}

// newProgress gives the progress of a log of size bytes, nil if nobody could
// see it: stderr must be a terminal and stdout none, for what both write would
// run into each other.
func newProgress(what string, size int64, stdout, stderr io.Writer) *progress {
	if size >= 0 && size < longLogBytes || !isTerminal(stderr) || isTerminal(stdout) {
		return nil
	}
	return &progress{what: what, size: size, stderr: stderr}
}

// update tells that the log is done up to an offset.
func (p *progress) update(offset int64) {
	if p == nil || p.size < 0 && offset < longLogBytes {
		return
	}
	if p.bar == nil {
		p.bar = newBar(p.what, p.size, p.stderr)
	}
	_ = p.bar.Set64(offset) // a bar that cannot be drawn is no reason to stop a replay
}

// finish takes the bar away.
func (p *progress) finish() {
	if p != nil && p.bar != nil {
		_ = p.bar.Finish()
	}
}

func newBar(what string, size int64, stderr io.Writer) *progressbar.ProgressBar {
	return progressbar.NewOptions64(size,
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(barInterval),
		progressbar.OptionSetRenderBlankState(false),
		progressbar.OptionClearOnFinish(),
	)
}

func isTerminal(w io.Writer) bool {
	if out, ok := w.(*output); ok {
		w = out.Writer
	}
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// shown gives what JSON is written to: on a terminal with all that cannot be seen as escapes,
// which is the same to whoever reads it; elsewhere as it is.
func shown(stdout io.Writer) io.Writer {
	if isTerminal(stdout) {
		return escape.NewWriter(stdout)
	}
	return stdout
}

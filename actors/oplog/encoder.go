package oplog

import (
	"io"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Encoder writes the results of a log one after another. It collects them and
// writes when it has a window full or is told to [Encoder.Flush]. It is for one
// goroutine at a time. [Encoder.Close] or [Encoder.BreakOff] comes last.
type Encoder struct {
	output io.Writer
	format Format
	text   []byte
	begun  bool  // Array: the opening bracket has been written
	failed error // sticky: what the output answered
}

// NewEncoder makes an encoder that writes results laid out as format to output.
func NewEncoder(output io.Writer, format Format) *Encoder {
	return &Encoder{output: output, format: format, text: make([]byte, 0, windowBytes+windowBytes/4)}
}

// Write adds results in their order. It answers what the output answered if it
// could not be written to, and goes on answering that.
func (e *Encoder) Write(results []lease.Result) error {
	for i := range results {
		if e.format == Array {
			e.text = append(e.text, e.separator()...)
		}
		e.text = AppendResult(e.text, &results[i])
		if e.format == Lines {
			e.text = append(e.text, '\n')
		}
		if len(e.text) >= windowBytes {
			if err := e.Flush(); err != nil {
				return err
			}
		}
	}
	return e.failed
}

// separator is what comes before a result in Array: each has its own line.
func (e *Encoder) separator() string {
	if e.begun {
		return ",\n"
	}
	e.begun = true
	return "[\n"
}

// Flush writes what has been collected.
func (e *Encoder) Flush() error {
	if e.failed == nil && len(e.text) > 0 {
		_, e.failed = e.output.Write(e.text)
		e.text = e.text[:0]
	}
	return e.failed
}

// Close writes the end of the results, in Array the closing bracket.
func (e *Encoder) Close() error {
	switch {
	case e.format == Lines:
	case e.begun:
		e.text = append(e.text, "\n]\n"...)
	default:
		e.text = append(e.text, "[]\n"...)
	}
	return e.Flush()
}

// BreakOff ends the results of a log that broke off. An array is left without
// its closing bracket, so that nobody can take it for a whole one.
func (e *Encoder) BreakOff() error {
	if e.format == Array && e.begun {
		e.text = append(e.text, '\n')
	}
	return e.Flush()
}

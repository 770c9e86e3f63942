package oplog

import (
	"path/filepath"
	"strings"
)

// Format is how a log and its results are laid out as text.
type Format uint8

const (
	// Array is one JSON array of operations; its results are one JSON array with
	// one result on each line.
	Array Format = iota
	// Lines is one operation on each line and one result on each line, so that a
	// log has no end before it ends. Blank lines are skipped.
	Lines
)

// String gives the format as a user writes it: "array" or "lines".
func (f Format) String() string {
	if f == Lines {
		return "lines"
	}
	return "array"
}

// ParseFormat reads a format as [Format.String] writes it; ok is false for any
// other text.
func ParseFormat(text string) (f Format, ok bool) {
	switch text {
	case "array":
		return Array, true
	case "lines":
		return Lines, true
	}
	return Array, false
}

// FormatOf gives the format that a file's name stands for: Lines for .ndjson
// and .jsonl in any case, Array for all others.
func FormatOf(file string) Format {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".ndjson", ".jsonl":
		return Lines
	}
	return Array
}

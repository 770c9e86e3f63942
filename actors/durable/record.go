package durable

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

// A record is the operations of one intake as the text of a live log: a first line
// with the version of this form and the number of the first operation, then one
// operation on each line, stamped (E).
//
//	1 42
//	["acquire",1700000000,"a","L",30000000000]
//	["tick",1700000500]
//
// The first record of a journal has the number 0 and, instead of operations, the
// header of the log.
const recordVersion = 1

// appendHead begins a record whose first operation has the number seq.
func appendHead(buf []byte, seq uint64) []byte {
	buf = strconv.AppendInt(buf, recordVersion, 10)
	buf = append(buf, ' ')
	buf = strconv.AppendUint(buf, seq, 10)
	return append(buf, '\n')
}

// appendOperation adds an operation to a record.
func appendOperation(buf []byte, op *lease.Operation) []byte {
	return append(oplog.AppendOperationIn(buf, op, lease.Live), '\n')
}

// headerRecord gives the first record of a journal.
func headerRecord(h oplog.Header) []byte {
	return append(oplog.AppendHeader(appendHead(nil, 0), h), '\n')
}

// A RecordError says that a record is whole but not to be understood, or not the one
// that belongs in its place.
type RecordError struct {
	Index uint64 // of the record in its journal
	Why   string
}

// Error implements error.
func (e *RecordError) Error() string { return fmt.Sprintf("durable: record %d: %s", e.Index, e.Why) }

// A VersionError says that a record or a snapshot has a form that this program does
// not know, most likely that of a newer one.
type VersionError struct {
	What    string // "record" or "snapshot"
	Index   uint64 // of the record, or of the last one in the snapshot
	Version string // as it is written
}

// Error implements error.
func (e *VersionError) Error() string {
	return fmt.Sprintf("durable: %s %d has version %q, and only %d is known to this program", e.What, e.Index, e.Version, recordVersion)
}

// splitRecord gives the number of the first operation and the lines of them.
func splitRecord(index uint64, record []byte) (seq uint64, text []byte, err error) {
	head, text, found := bytes.Cut(record, []byte{'\n'})
	version, number, spaced := bytes.Cut(head, []byte{' '})
	if !found || !spaced {
		return 0, nil, &RecordError{index, "it does not begin with a version and a number"}
	}
	if string(version) != strconv.Itoa(recordVersion) {
		return 0, nil, &VersionError{"record", index, string(version)}
	}
	seq, err = strconv.ParseUint(string(number), 10, 64)
	if err != nil || len(text) == 0 || text[len(text)-1] != '\n' {
		return 0, nil, &RecordError{index, "its number is none, or its last line has no end"}
	}
	return seq, text, nil
}

// parseHeaderRecord reads the first record of a journal.
func parseHeaderRecord(index uint64, record []byte) (h oplog.Header, err error) {
	seq, text, err := splitRecord(index, record)
	if err != nil {
		return h, err
	}
	if seq != 0 {
		return h, &RecordError{index, "it ought to have the header of the log"}
	}
	return parseHeader(text, &RecordError{Index: index})
}

// parseHeader reads the line of a header; wrong is the error to fill in if it is none.
func parseHeader(line []byte, wrong *RecordError) (oplog.Header, error) {
	header, err := oplog.NewDecoder(bytes.NewReader(line), "header", oplog.Lines).Header()
	if err != nil || header == nil {
		wrong.Why = fmt.Sprintf("it has no header of a live log: %v", err)
		return oplog.Header{}, wrong
	}
	return *header, nil
}

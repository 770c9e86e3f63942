package oplog

import (
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Record is an entry of a log that was kept together with its answers: the object
// {"op": [...], "result": ...}, with these two keys and no other. Without "result" it is an
// operation whose answer is not known.
type Record struct {
	Op     string // the text of the operation
	Result string // the text of the answer; empty if it is not known
}

// The keys of a record.
const (
	opKey     = "op"
	resultKey = "result"
)

// What is expected of a record, in the words of a [SyntaxError].
const (
	wantRecordKey = `"op", "result" and no other key in an operation with its answer`
	wantOpKey     = `the key "op" in an operation with its answer`
	wantKeyOnce   = `"op" and "result" once each in an operation with its answer`
)

// isRecord tells whether the text of an entry is to be read as a record: an object with
// one of the keys, in whatever case. All other objects are operations that are refused
// (O1), or answers.
func isRecord(text string) bool {
	members, ok := openObject(text)
	for ok {
		var name element
		if name, ok = members.next(); !ok {
			break
		}
		if key, _ := content(name); strings.EqualFold(key, opKey) || strings.EqualFold(key, resultKey) {
			return true
		}
		members.next() // the value
	}
	return false
}

// parseRecord reads the text of what [isRecord] says is one.
func parseRecord(text string) (r Record, wrong *flaw) {
	members, _ := openObject(text)
	for {
		name, ok := members.next()
		if !ok {
			break
		}
		place := members.at - len(name.text)
		value, _ := members.next()
		key, _ := content(name)
		of := &r.Op
		switch key {
		case opKey:
		case resultKey:
			of = &r.Result
		default:
			return r, &flaw{place, wantRecordKey, shown(name.text)}
		}
		if *of != "" {
			return r, &flaw{place, wantKeyOnce, shown(name.text) + " again"}
		}
		*of = value.text
	}
	if r.Op == "" {
		return r, &flaw{len(text) - 1, wantOpKey, "its end"}
	}
	return r, nil
}

// record reads an entry that may be a record; ok is false where it is none. A bad one is
// an error at its place, and final.
func (d *Decoder) record(entry string) (r Record, ok bool, err error) {
	if !isRecord(entry) {
		return Record{}, false, nil
	}
	r, wrong := parseRecord(entry)
	if wrong != nil {
		d.failed = d.errorIn(entry, wrong)
		return Record{}, false, d.failed
	}
	return r, true, nil
}

// NextRecord decodes the next entry of a log whose entries may be records: into op as
// [Decoder.Next] does, and what was recorded of it. The Result is empty where the
// entry is the bare operation or has none. The errors are those of [Decoder.Next]; an object with
// "op" or "result" that is no record is one, with the place of what is wrong in it.
func (d *Decoder) NextRecord(op *lease.Operation) (Record, error) {
	entry, err := d.NextText()
	if err != nil {
		return Record{}, err
	}
	r, ok, err := d.record(entry)
	if err != nil {
		return Record{}, err
	}
	if !ok {
		r = Record{Op: entry}
	}
	operation(r.Op, op, d.header.Dialect())
	return r, nil
}

// NextAnswer gives the next entry of a file of recorded answers, which may be a record or
// the answer alone; then Op is empty. The errors are those of [Decoder.NextRecord].
func (d *Decoder) NextAnswer() (Record, error) {
	entry, err := d.NextText()
	if err != nil {
		return Record{}, err
	}
	r, ok, err := d.record(entry)
	if err == nil && !ok {
		r = Record{Result: entry}
	}
	return r, err
}

package oplog

import "github.com/leasekeeper/lkactor/actors/lease"

// Record is an entry of a log that was kept together with its answers: the object
// {"op": [...], "result": ...}. It may have other keys, which mean nothing here.
type Record struct {
	Op     string // the text of the operation
	Result string // the text of the answer
}

// ParseRecord reads the text of one JSON value, as [Decoder.NextText] gives it; ok
// is false where it is no object with both keys. Where a key comes twice the last
// one counts.
func ParseRecord(text string) (r Record, ok bool) {
	members, ok := openObject(text)
	if !ok {
		return Record{}, false
	}
	for {
		name, ok := members.next()
		if !ok {
			return r, r.Op != "" && r.Result != ""
		}
		value, _ := members.next()
		switch key, _ := content(name); key {
		case "op":
			r.Op = value.text
		case "result":
			r.Result = value.text
		}
	}
}

// NextRecord decodes the next entry of a log whose entries may be records: into op as
// [Decoder.Next] does, and what was recorded of it. The Result is empty where the
// entry is the bare operation.
func (d *Decoder) NextRecord(op *lease.Operation) (Record, error) {
	entry, err := d.NextText()
	if err != nil {
		return Record{}, err
	}
	r, ok := ParseRecord(entry)
	if !ok {
		r = Record{Op: entry}
	}
	operation(r.Op, op, d.header.Dialect())
	return r, nil
}

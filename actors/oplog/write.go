package oplog

import "github.com/leasekeeper/lkactor/actors/lease"

// AppendOperation adds the text of an operation to buf: one JSON array on one
// line without spaces, which decodes to the same operation again in a log of its
// dialect. An exclusive mode is left out; id comes before token.
//
// An operation that fails its checks is written as it was asked for, too, if that is
// refused in the same way when it is read again. What one of kind Refused looked like is not
// known any more, and of some others a log has no text, such as a name that is no valid
// Unicode: they are written as the shortest operation that is refused in the same way at
// the same instant.
//
// Which dialect the operation is of is seen from it. Where that is known, and there may
// be operations that are none of it, [AppendOperationIn] is right in any case.
func AppendOperation(buf []byte, op *lease.Operation) []byte {
	d := lease.Plain
	if lease.Live.Has(op.Kind) && (!d.Has(op.Kind) || op.Check(d) != lease.OK) {
		d = lease.Live
	}
	return AppendOperationIn(buf, op, d)
}

// AppendOperationIn is [AppendOperation] for an operation of a log of the dialect: one
// that does not occur there is written as one that is unknown there.
func AppendOperationIn(buf []byte, op *lease.Operation, d lease.Dialect) []byte {
	if refused := refusal(op, d); refused != nil {
		if text, ok := asked(buf, op, refused, d); ok {
			return text
		}
		op = refused
	}
	if op.Kind == lease.Refused && op.Untimed && op.Code != lease.UnknownOperation {
		return append(buf, `[]`...) // O1
	}
	return appendEntry(buf, op)
}

// appendEntry adds name, ts and arguments.
func appendEntry(buf []byte, op *lease.Operation) []byte {
	buf = append(buf, '[')
	buf = appendString(buf, nameOf(op))
	buf = appendInt(append(buf, ','), op.At)
	return append(appendArguments(buf, op), ']')
}

// asked adds an operation that is refused as it was asked for; ok is false where that
// would not be refused in the same way.
func asked(buf []byte, op, refused *lease.Operation, d lease.Dialect) (text []byte, ok bool) {
	if op.Kind == lease.Refused || int(op.Kind) >= len(shapes) || op.Kind == lease.Repeat && op.Repeat == nil {
		return buf, false
	}
	text = appendEntry(buf, op)
	var again lease.Operation
	operation(string(text[len(buf):]), &again, d)
	return text, again == *refused
}

// refusal gives the refused operation in the place of one that fails its checks; nil
// for one that passes them.
func refusal(op *lease.Operation, d lease.Dialect) *lease.Operation {
	code := op.Check(d)
	if code == lease.OK {
		return nil
	}
	refused := lease.Refuse(op.At, code)
	if op.Timeless(d) {
		refused = lease.RefuseUntimed(code)
	}
	return &refused
}

// nameOf gives the name under which op is written.
func nameOf(op *lease.Operation) string {
	switch {
	case op.Kind == lease.Refused && op.Code == lease.UnknownOperation:
		return "?"
	case op.Kind == lease.Refused:
		return lease.Acquire.String()
	}
	return op.Kind.String()
}

// appendArguments adds what comes after the ts, each argument with its comma.
func appendArguments(buf []byte, op *lease.Operation) []byte {
	switch op.Kind {
	case lease.Refused:
		if op.Code == lease.InvalidTTL {
			buf = append(buf, `,"?","?",0`...) // O7; all else lacks arguments (O5)
		}
		return buf
	case lease.Repeat:
		return appendRepetition(buf, op.Repeat)
	}
	for _, f := range shapes[op.Kind].fields {
		switch f {
		case client:
			buf = appendString(append(buf, ','), op.Client)
		case lock:
			buf = appendString(append(buf, ','), op.Lock)
		case key:
			buf = appendString(append(buf, ','), op.Key)
		case value:
			buf = appendString(append(buf, ','), op.Value)
		case ttl:
			buf = appendInt(append(buf, ','), op.TTL)
		case token:
			buf = appendInt(append(buf, ','), op.Token)
		case mode:
			if op.Mode != lease.Exclusive {
				buf = appendMode(append(buf, ','), op.Mode)
			}
		}
	}
	return appendAddition(buf, op)
}

// appendRepetition adds count, step and template. The strings of a template's
// operation are as they were written, placeholders and all.
func appendRepetition(buf []byte, r *lease.Repetition) []byte {
	buf = appendInt(append(buf, ','), r.Count)
	buf = appendInt(append(buf, ','), r.Step)
	buf = append(buf, `,[`...)
	buf = appendString(buf, nameOf(&r.Template.Op))
	buf = appendArguments(buf, &r.Template.Op)
	return append(buf, ']')
}

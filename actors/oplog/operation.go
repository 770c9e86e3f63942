package oplog

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// field is what an argument of an operation is, and with it of which type.
type field uint8

const (
	client field = iota
	lock
	key
	value
	ttl
	token
	mode
)

// fieldNames are what people are told of arguments by.
var fieldNames = [...]string{
	client: "the client", lock: "the lock", key: "the key", value: "the value", ttl: "the ttl", token: "the token", mode: "the mode",
}

// shape is the arguments of an operation in their order (O, E); those from least on
// may be left out.
type shape struct {
	fields []field
	least  int
}

var shapes = [...]shape{
	lease.Acquire: {[]field{client, lock, ttl, mode}, 3},
	lease.Renew:   {[]field{client, lock, ttl}, 3},
	lease.Release: {[]field{client, lock}, 2},
	lease.Inspect: {[]field{lock}, 1},
	lease.Status:  {[]field{client}, 1},
	lease.Write:   {[]field{lock, key, value, token}, 4},
	lease.Read:    {[]field{lock, key}, 2},
	lease.Tick:    {nil, 0},
	lease.Evict:   {[]field{client, lock}, 2},
	lease.Bump:    {[]field{lock, token}, 2},
	lease.Forget:  {[]field{lock}, 1},
	lease.Close:   {[]field{client}, 1},
}

// operation decodes the text of one JSON value into op as the dialect has it: the
// checks O1, O2, O3, O5, O6 and O7 in their order. What fails before O4 does not
// move the clock.
func operation(text string, op *lease.Operation, d lease.Dialect) {
	args, ok := openList(text)
	if !ok {
		*op = lease.RefuseUntimed(lease.InvalidArguments) // O1
		return
	}
	first, _ := args.next()
	ts, ok := args.next()
	if !ok {
		*op = lease.RefuseUntimed(lease.InvalidArguments) // O1
		return
	}
	name, _ := content(first) // empty, and so unknown, if it is no string
	kind, ok := lease.ParseKind(name, d)
	if !ok {
		*op = lease.RefuseUntimed(lease.UnknownOperation) // O2
		return
	}
	at, ok := integer(ts.text)
	if !ok || at > lease.MaxMagnitude || at < -lease.MaxMagnitude {
		*op = lease.RefuseUntimed(lease.InvalidArguments) // O3, O9
		return
	}
	*op = lease.Operation{Kind: kind, At: lease.Instant(at)}
	if kind == lease.Repeat {
		op.Repeat = repetition(&args)
	} else if !arguments(op, &args, d) {
		*op = lease.Refuse(op.At, lease.InvalidArguments) // O5, O6
		return
	}
	if code := op.Check(d); code != lease.OK {
		*op = lease.Refuse(op.At, code) // O6, O7, R3
	}
}

// arguments decodes the arguments of op by the shape of its kind. It answers
// false where their number is wrong (O5) or one is of another type (O6). A name
// that is no string is left empty, which is for [lease.Operation.Check] to find
// like everything else that arguments say. No order among these is needed: all
// give the same answer.
func arguments(op *lease.Operation, args *list, d lease.Dialect) bool {
	s := &shapes[op.Kind]
	for i, f := range s.fields {
		e, ok := args.next()
		if !ok {
			return i >= s.least
		}
		switch f {
		case client:
			op.Client, _ = content(e)
		case lock:
			op.Lock, _ = content(e)
		case key:
			op.Key, _ = content(e)
		case value:
			op.Value, _ = content(e)
		case ttl:
			n, ok := integer(e.text)
			if !ok {
				return false
			}
			op.TTL = lease.Duration(n)
		case token:
			n, ok := integer(e.text)
			if !ok {
				return false
			}
			op.Token = lease.Token(n)
		case mode:
			text, ok := content(e)
			if !ok {
				return addition(op, e, args, d) // the mode is left out
			}
			if op.Mode, ok = lease.ParseMode(text); !ok {
				return false
			}
		}
	}
	e, more := args.next()
	return !more || addition(op, e, args, d)
}

// ParseOperation decodes the text of one operation, as [AppendOperation] gives it,
// into op. It answers false for a text that is no JSON value; every other one gives an
// operation, one of kind Refused if need be.
func ParseOperation(text string, op *lease.Operation, d lease.Dialect) bool {
	if !jsontext.Value(text).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
		return false
	}
	operation(text, op, d)
	return true
}

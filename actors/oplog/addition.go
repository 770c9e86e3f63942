package oplog

import "github.com/leasekeeper/lkactor/actors/lease"

// addition decodes what an operation of a live log may end with (E3): one object
// with one or both of the keys id and token. It answers false where e is no such
// object or not the last of args. Whether the operation may have it is for
// [lease.Operation.Check].
func addition(op *lease.Operation, e element, args *list, d lease.Dialect) bool {
	members, ok := openObject(e.text)
	if !ok || d != lease.Live {
		return false
	}
	if _, more := args.next(); more {
		return false
	}
	for {
		name, ok := members.next()
		if !ok {
			return op.ID != "" || op.Expect != 0
		}
		value, _ := members.next()
		key, _ := content(name)
		switch {
		case key == "id" && op.ID == "": // once
			if op.ID, ok = content(value); !ok || op.ID == "" {
				return false
			}
		case key == "token" && op.Expect == 0:
			n, ok := integer(value.text)
			if !ok || n < 1 {
				return false
			}
			op.Expect = lease.Token(n)
		default:
			return false
		}
	}
}

// appendAddition adds what op has of it, with the comma before it.
func appendAddition(buf []byte, op *lease.Operation) []byte {
	if op.ID == "" && op.Expect == 0 {
		return buf
	}
	buf = append(buf, `,{`...)
	if op.ID != "" {
		buf = appendString(append(buf, `"id":`...), op.ID)
		if op.Expect != 0 {
			buf = append(buf, ',')
		}
	}
	if op.Expect != 0 {
		buf = appendInt(append(buf, `"token":`...), op.Expect)
	}
	return append(buf, '}')
}

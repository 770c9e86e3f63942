package oplog

import "github.com/leasekeeper/lkactor/actors/lease"

// FailedCheck tells which of the checks of an operation's form its text fails in a
// log of the dialect, by the number of the rule: O1, O2, O3, O5, O6, O7, R3 or E3. It is
// empty for one that passes them all. Text is one JSON value, as
// [Decoder.NextText] gives it.
func FailedCheck(text string, d lease.Dialect) string {
	var op lease.Operation
	if operation(text, &op, d); op.Kind != lease.Refused {
		return ""
	}
	args, isList := openList(text)
	if !isList {
		return "O1"
	}
	name, _ := args.next()
	if _, hasTime := args.next(); !hasTime {
		return "O1"
	}
	switch {
	case op.Code == lease.UnknownOperation:
		return "O2"
	case op.Untimed:
		return "O3"
	case op.Code == lease.InvalidTTL:
		return "O7"
	}
	word, _ := content(name)
	kind, _ := lease.ParseKind(word, d)
	if kind == lease.Repeat {
		return failedRepeat(&args)
	}
	return failedArguments(&args, &shapes[kind], d)
}

// failedRepeat tells a wrong number of arguments of a repeat from bad ones.
func failedRepeat(args *list) string {
	count := 0
	for ; ; count++ {
		if _, more := args.next(); !more {
			break
		}
	}
	if count != 3 {
		return "O5"
	}
	return "R3"
}

// failedArguments tells a wrong number of arguments from one of a wrong type, and
// from what live logs may add.
func failedArguments(args *list, s *shape, d lease.Dialect) string {
	count, last := 0, ""
	for {
		e, more := args.next()
		if !more {
			break
		}
		count, last = count+1, e.text
	}
	if d == lease.Live && count > s.least && last[0] == '{' {
		return "E3"
	}
	if count < s.least || count > len(s.fields) {
		return "O5"
	}
	return "O6"
}

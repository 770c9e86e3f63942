package oplog

import (
	"fmt"
	"math"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// FormOf says what is wrong with the form of an operation that was decoded as refused, for
// people; text is that of the operation. Of a repeat whose template is refused it says so
// of the template, which stands for all runs. It gives nil where nothing is wrong.
//
// That an operation is refused, and by which code, is decided where it is decoded; this
// looks once more for what the code leaves out.
func FormOf(op *lease.Operation, text string, d lease.Dialect) *lease.Form {
	if op.Kind == lease.Repeat && op.Repeat.Template.Op.Kind == lease.Refused {
		return formOfTemplate(text, op.Repeat.Template.Op.Code)
	}
	if op.Kind != lease.Refused {
		return nil
	}
	args, isList := openList(text)
	if !isList {
		return misfit("O1", "the operation", text, "is no array")
	}
	name, _ := args.next()
	at, timed := args.next()
	if !timed {
		return misfit("O1", "the operation", text, "does not begin with a name and a timestamp")
	}
	kind, form := kindOf(name, d)
	switch {
	case form == nil && op.Untimed:
		form = misfit("O3", "the timestamp", at.text, notWithin(at, -lease.MaxMagnitude, lease.MaxMagnitude))
	case form == nil && kind == lease.Repeat:
		form = formOfRepeat(args)
	case form == nil:
		form = formOfArguments(kind, args, d, op.Code)
	}
	if form.Kind = kind; kind != lease.Repeat && kind != lease.Refused {
		form.Client, form.Lock = whom(kind, args)
	}
	return form
}

func misfit(rule, part, given, fault string) *lease.Form {
	return &lease.Form{Rule: rule, Part: part, Given: given, Fault: fault}
}

// kindOf reads the name of an operation (O2); the form is nil if the dialect has it.
func kindOf(name element, d lease.Dialect) (lease.Kind, *lease.Form) {
	word, isText := content(name)
	if !isText {
		return lease.Refused, misfit("O2", "the name", name.text, notText(name))
	}
	if kind, known := lease.ParseKind(word, d); known {
		return kind, nil
	}
	fault := "is that of no operation"
	if _, plain := lease.ParseKind(word, lease.Plain); plain {
		fault = "is that of an operation of plain logs, and the log is live"
	} else if _, live := lease.ParseKind(word, lease.Live); live {
		fault = "is that of an operation of live logs, and the log has no header of one"
	}
	return lease.Refused, misfit("O2", "the name", name.text, fault)
}

// whom gives the client and the lock that the arguments of an operation name, empty where
// there is none.
func whom(kind lease.Kind, args list) (who, what string) {
	for _, f := range shapes[kind].fields {
		e, ok := args.next()
		switch {
		case !ok:
			return who, what
		case f == client:
			who, _ = content(e)
		case f == lock:
			what, _ = content(e)
		}
	}
	return who, what
}

// formOfRepeat says what is wrong with a repeat that is refused whole.
func formOfRepeat(args list) *lease.Form {
	given := args.all()
	if len(given) != 3 {
		return miscounted(lease.Repeat, given, "exactly 3")
	}
	if fault := notWithin(given[0], 1, lease.MaxRepeatCount); fault != "" {
		return misfit("R3", "the count", given[0].text, fault)
	}
	if fault := notWithin(given[1], 0, lease.MaxMagnitude); fault != "" {
		return misfit("R3", "the step", given[1].text, fault)
	}
	return misfit("R3", "the template", given[2].text, "is none that can be repeated")
}

// formOfTemplate says what is wrong with the template of a repeat that every run is refused
// for. It names nobody: its names may stand for others in each run.
func formOfTemplate(text string, code lease.Code) *lease.Form {
	args, _ := openList(text)
	args, _ = openList(args.all()[4].text)
	name, _ := args.next()
	kind, form := kindOf(name, lease.Plain)
	if form == nil {
		form = formOfArguments(kind, args, lease.Plain, code)
	}
	form.Kind = kind
	return form
}

// formOfArguments says which of the arguments of an operation is not as it has to be, or
// that there are too many or too few of them.
func formOfArguments(kind lease.Kind, args list, d lease.Dialect, code lease.Code) *lease.Form {
	s := &shapes[kind]
	given := args.all()
	var added *element // what live logs may add (E3)
	if n := len(given); d == lease.Live && n > s.least && given[n-1].text[0] == '{' {
		given, added = given[:n-1], &given[n-1]
	}
	if len(given) < s.least || len(given) > len(s.fields) {
		takes := fmt.Sprintf("%d to %d", s.least, len(s.fields))
		if s.least == len(s.fields) {
			takes = fmt.Sprintf("exactly %d", s.least)
		}
		return miscounted(kind, given, takes)
	}
	for i, e := range given {
		if f := s.fields[i]; code == lease.InvalidTTL && f == ttl {
			return misfit("O7", "the ttl", e.text, notWithin(e, int64(d.MinTTL()), int64(d.MaxTTL())))
		} else if fault := f.fault(e); code != lease.InvalidTTL && fault != "" {
			return misfit("O6", fieldNames[f], e.text, fault)
		}
	}
	if added != nil {
		return formOfAdded(kind, *added)
	}
	return misfit("O6", "an argument", "", "is not as it has to be") // for the sake of completeness
}

// formOfAdded says what is wrong with the object at the end of an operation (E3).
func formOfAdded(kind lease.Kind, object element) *lease.Form {
	members, _ := openObject(object.text)
	seen := map[string]bool{}
	for {
		name, ok := members.next()
		if !ok {
			break
		}
		value, _ := members.next()
		key, _ := content(name)
		part, fault := "the request id", ""
		switch {
		case seen[key]:
			return misfit("E3", "the key", name.text, "stands there twice")
		case key == "id" && !slices.Contains(shapes[kind].fields, client):
			fault = "is of no use: the operation has no client"
		case key == "id":
			fault = client.fault(value)
		case key == "token" && kind != lease.Renew && kind != lease.Release:
			part, fault = "the expected token", "is of no use: only a renew or release is of a lease"
		case key == "token":
			part, fault = "the expected token", token.fault(value)
		default:
			return misfit("E3", "the key", name.text, `is neither "id" nor "token"`)
		}
		if fault != "" {
			return misfit("E3", part, value.text, fault)
		}
		seen[key] = true
	}
	return misfit("E3", "the object at the end", object.text, `has neither "id" nor "token"`)
}

func miscounted(kind lease.Kind, given []element, takes string) *lease.Form {
	return misfit("O5", "the list of arguments", "", fmt.Sprintf("has %d, and %v takes %s", len(given), kind, takes))
}

// fault says what is wrong with an argument, its range if it is a ttl aside; empty if
// nothing is.
func (f field) fault(e element) string {
	switch f {
	case ttl:
		return notWithin(e, math.MinInt64, math.MaxInt64)
	case token:
		return notWithin(e, 1, lease.MaxMagnitude)
	}
	text, isText := content(e)
	switch _, isMode := lease.ParseMode(text); {
	case !isText:
		return notText(e)
	case f == mode && !isMode:
		return `is neither "exclusive" nor "shared"`
	case text == "":
		return "is empty"
	}
	return ""
}

// notWithin says what keeps the text of a JSON value from being an integer from least to
// most; empty if nothing does.
func notWithin(e element, least, most int64) string {
	n, ok := integer(e.text)
	switch c := e.text[0]; {
	case !ok && (c == '-' || '0' <= c && c <= '9'):
		return "is no integer: it has a fraction or an exponent"
	case !ok:
		return "is no integer"
	case n < least || n > most:
		return fmt.Sprintf("is not from %d to %d", least, most)
	}
	return ""
}

// notText says why a JSON value is no string (O10).
func notText(e element) string {
	if e.text[0] == '"' {
		return "is no valid Unicode"
	}
	return "is no string"
}

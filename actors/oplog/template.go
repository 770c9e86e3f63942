package oplog

import "github.com/leasekeeper/lkactor/actors/lease"

// repetition decodes the arguments of a repeat: count, step, template. It
// answers nil, which fails [lease.Operation.Check], where R3 refuses them for
// their form; their ranges are for that check too.
func repetition(args *list) *lease.Repetition {
	var texts [3]string
	for i := range texts {
		e, ok := args.next()
		if !ok {
			return nil
		}
		texts[i] = e.text
	}
	if _, more := args.next(); more {
		return nil
	}
	count, ok := integer(texts[0])
	if !ok {
		return nil
	}
	step, ok := integer(texts[1])
	if !ok {
		return nil
	}
	r := &lease.Repetition{Count: count, Step: lease.Duration(step)}
	if !template(&r.Template, texts[2]) {
		return nil
	}
	return r
}

// template decodes an operation without its ts. It answers false for what R3
// calls a bad template. A template whose operation fails a check is not bad: t.Op
// is then what each of its runs comes to.
func template(t *lease.Template, text string) bool {
	args, ok := openList(text)
	if !ok {
		return false
	}
	first, ok := args.next()
	if !ok {
		return false
	}
	name, ok := content(first)
	if !ok {
		return false
	}
	kind, known := lease.ParseKind(name, lease.Plain)
	if kind == lease.Repeat || !patternsHold(args) {
		return false
	}
	if !known {
		t.Op = lease.RefuseUntimed(lease.UnknownOperation)
		return true
	}
	t.Op = lease.Operation{Kind: kind}
	if !arguments(&t.Op, &args, lease.Plain) {
		t.Op = lease.Refuse(0, lease.InvalidArguments)
		return true
	}
	if code := t.Op.Check(lease.Plain); code != lease.OK {
		t.Op = lease.Refuse(0, code)
		return true
	}
	t.Client = patternOf(t.Op.Client)
	t.Lock = patternOf(t.Op.Lock)
	t.Key = patternOf(t.Op.Key)
	t.Value = patternOf(t.Op.Value)
	return true
}

// patternsHold tells whether no string among args has a placeholder that R3
// refuses. All are looked at, the surplus and the misplaced too: whether a
// template is bad does not depend on whether its operation would be.
func patternsHold(args list) bool {
	for {
		e, ok := args.next()
		if !ok {
			return true
		}
		text, ok := content(e)
		if !ok {
			continue
		}
		if _, ok := lease.ParsePattern(text); !ok {
			return false
		}
	}
}

// patternOf gives the pattern of an argument that is known to hold one; the zero
// pattern when it is the same in every run.
func patternOf(text string) lease.Pattern {
	p, _ := lease.ParsePattern(text)
	if p.Constant() {
		return lease.Pattern{}
	}
	return p
}

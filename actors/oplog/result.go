package oplog

import "github.com/leasekeeper/lkactor/actors/lease"

// AppendResult adds the text of a result to buf: one JSON value on one line, as
// rules O and E have it, keys in the order of the rules and no space anywhere.
// Equal results give equal bytes.
func AppendResult(buf []byte, r *lease.Result) []byte {
	switch r.Outcome {
	case lease.Failed:
		return appendString(buf, lease.FailureText(r.Code))
	case lease.Granted:
		buf = append(buf, `["granted",`...)
		return appendVictims(appendLease(buf, r), r)
	case lease.Queued:
		buf = append(buf, `["queued",`...)
		return appendVictims(appendInt(buf, r.Position), r)
	case lease.Deadlocked:
		buf = append(buf, `["deadlock",`...)
		return append(appendNames(buf, r.Victims()), ']')
	case lease.Renewed:
		buf = append(buf, `["renewed",`...)
		return append(appendLease(buf, r), ']')
	case lease.Released:
		return append(buf, `"released"`...)
	case lease.Withdrawn:
		return append(buf, `"withdrawn"`...)
	case lease.Inspected:
		return appendLock(buf, r.Detail.Lock)
	case lease.Reported:
		return appendClient(buf, r.Detail.Client)
	case lease.Written:
		return append(buf, `"ok"`...)
	case lease.Value:
		return appendString(buf, r.Value)
	case lease.Null, lease.Ticked:
		return append(buf, `null`...)
	case lease.Repeated:
		return appendTally(buf, r.Detail.Tally)
	case lease.Bumped:
		return append(appendInt(append(buf, `["bumped",`...), r.Token), ']')
	case lease.Forgotten:
		return append(buf, `"forgotten"`...)
	case lease.Closed:
		return append(buf, `"closed"`...)
	}
	panic("oplog: a result of no known outcome")
}

// appendLease adds the two numbers of a lease: token, expires_at.
func appendLease(buf []byte, r *lease.Result) []byte {
	buf = append(appendInt(buf, r.Token), ',')
	return appendInt(buf, r.Until)
}

// appendVictims adds the victims as one element more, if there are any (D7), and
// closes the list.
func appendVictims(buf []byte, r *lease.Result) []byte {
	if victims := r.Victims(); len(victims) > 0 {
		buf = appendNames(append(buf, ','), victims)
	}
	return append(buf, ']')
}

func appendNames(buf []byte, names []string) []byte {
	buf = append(buf, '[')
	for i, name := range names {
		buf = appendString(comma(buf, i), name)
	}
	return append(buf, ']')
}

// comma adds a comma before every element but the first.
func comma(buf []byte, i int) []byte {
	if i > 0 {
		return append(buf, ',')
	}
	return buf
}

func appendLock(buf []byte, l *lease.LockView) []byte {
	buf = append(buf, `{"holders":[`...)
	for i := range l.Holders {
		h := &l.Holders[i]
		buf = append(comma(buf, i), '[')
		buf = appendHold(buf, h.Client, h.Mode, h.Token, h.Until)
	}
	buf = append(buf, `],"queue":[`...)
	for i := range l.Queue {
		w := &l.Queue[i]
		buf = appendString(append(comma(buf, i), '['), w.Client)
		buf = append(appendMode(append(buf, ','), w.Mode), ']')
	}
	return append(buf, `]}`...)
}

func appendClient(buf []byte, c *lease.ClientView) []byte {
	buf = append(buf, `{"age":`...)
	if c.Age == 0 {
		buf = append(buf, `null`...)
	} else {
		buf = appendInt(buf, c.Age)
	}
	buf = append(buf, `,"holds":[`...)
	for i := range c.Holds {
		h := &c.Holds[i]
		buf = append(comma(buf, i), '[')
		buf = appendHold(buf, h.Lock, h.Mode, h.Token, h.Until)
	}
	buf = append(buf, `],"waiting":`...)
	if c.Waiting == "" {
		buf = append(buf, `null`...)
	} else {
		buf = appendString(buf, c.Waiting)
	}
	return append(buf, '}')
}

// appendHold adds what a view says of one lease, under the name of the other
// party, and closes the list.
func appendHold(buf []byte, name string, mode lease.Mode, token lease.Token, until lease.Instant) []byte {
	buf = append(appendString(buf, name), ',')
	buf = append(appendMode(buf, mode), ',')
	buf = append(appendInt(buf, token), ',')
	return append(appendInt(buf, until), ']')
}

func appendMode(buf []byte, mode lease.Mode) []byte {
	if mode == lease.Shared {
		return append(buf, `"shared"`...)
	}
	return append(buf, `"exclusive"`...)
}

// appendTally adds the result of a repeat: labels ascending, and the aborted
// only where there are any (R2).
func appendTally(buf []byte, t *lease.Tally) []byte {
	buf = append(buf, `{"ops":`...)
	buf = append(appendInt(buf, t.Ops), `,"results":{`...)
	i := 0
	t.Each(func(label string, count int64) {
		buf = append(appendString(comma(buf, i), label), ':')
		buf = appendInt(buf, count)
		i++
	})
	buf = append(buf, '}')
	if t.Aborted != 0 {
		buf = appendInt(append(buf, `,"aborted":`...), t.Aborted)
	}
	return append(buf, '}')
}

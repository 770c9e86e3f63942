package telling

import (
	"fmt"
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
)

// Text adds the lines of an event to buf: the instant at which it happened, the
// operation, the lock, and what happened; for a deadlock the cycle on lines of its
// own. A tick that found nothing has no line.
func (c Clock) Text(buf []byte, e *story.Event) []byte {
	if e.Kind == story.Ticked {
		return buf
	}
	lock := ""
	if e.Lock != "" {
		lock = name(e.Lock) + ": "
	}
	buf = fmt.Appendf(buf, "%*s  %-5s %s%s", c.width(), c.Instant(e.At), Place(e.Place), lock, c.Told(e))
	buf = append(buf, '\n')
	if e.Kind == story.Deadlock {
		margin := strings.Repeat(" ", c.width()+8)
		for _, line := range c.Cycle(e.Deadlock) {
			buf = fmt.Appendf(buf, "%s  %s\n", margin, line)
		}
	}
	return buf
}

// Told is the [Clock.Sentence] of an event and, where it was noticed late, by what.
func (c Clock) Told(e *story.Event) string {
	if !e.Late() {
		return c.Sentence(e)
	}
	return fmt.Sprintf("%s (noticed at %s by the %s)", c.Sentence(e), c.Instant(e.Noticed), doing(e))
}

// doing names the kind of the operation in hand; of one that failed a check of its form it
// is what was asked for, if there is such a kind.
func doing(e *story.Event) string {
	switch {
	case e.Doing != lease.Refused:
		return e.Doing.String()
	case e.Form != nil && e.Form.Kind != lease.Refused:
		return e.Form.Kind.String()
	}
	return "operation"
}

// Sentence says what happened, the lock left out.
func (c Clock) Sentence(e *story.Event) string {
	switch e.Kind {
	case story.Granted:
		return c.granted(e)
	case story.Queued:
		return c.queued(e)
	case story.Renewed:
		verb := "renewed"
		if e.Shortened() {
			verb = "renewed and shortened"
		}
		return fmt.Sprintf("%s %s token %d: until %s instead of %s", name(e.Client), verb, e.Token, c.Instant(e.Until), c.Instant(e.Was))
	case story.Lapsed, story.Released, story.Withdrawn:
		return c.ended(e)
	case story.Deadlock:
		d := e.Deadlock
		if d.Unexplained {
			return fmt.Sprintf("deadlock: the acquire by %s closes very many cycles; %s (age %d) has to be aborted, too", name(d.Requester), name(e.Client), e.Age)
		}
		return fmt.Sprintf("deadlock: the acquire by %s closes a cycle; %s (age %d) has to be aborted, the youngest of %d clients on cycles with %s",
			name(d.Requester), name(e.Client), e.Age, d.Count, name(d.Requester))
	case story.Aborted:
		return fmt.Sprintf("%s (age %d) is aborted and unregistered", name(e.Client), e.Age)
	case story.Failed:
		return c.failed(e)
	case story.Repeated:
		return "the repeat has ended: " + c.answer(e)
	case story.Again:
		return fmt.Sprintf("%s by %s repeats the request of %s under the same request id: nothing is done, and the answer is that of then, %s",
			e.Doing, name(e.Client), Place(e.First), c.answer(e))
	}
	return c.other(e)
}

// other is for what concerns stores, questions and operators.
func (c Clock) other(e *story.Event) string {
	switch e.Kind {
	case story.Wrote:
		return fmt.Sprintf("write of %s under token %d%s accepted, with the value %s", name(e.Key), e.Token, owner(e.Owner), name(e.Value))
	case story.Refused:
		return fmt.Sprintf("write of %s under token %d%s refused as stale: %s", name(e.Key), e.Token, owner(e.Owner), c.Newer(e.Newer))
	case story.Read:
		if e.Value == "" {
			return fmt.Sprintf("read of %s: nothing is stored", name(e.Key))
		}
		return fmt.Sprintf("read of %s gives %s", name(e.Key), name(e.Value))
	case story.Inspected:
		return "inspected: " + c.lock(e.Result.Detail.Lock)
	case story.Reported:
		return fmt.Sprintf("status of %s: %s", name(e.Client), c.client(e.Result.Detail.Client))
	case story.Bumped:
		return fmt.Sprintf("an operator bumped the counter, which is %d now", e.Token)
	case story.Forgotten:
		return "an operator had the lock forgotten"
	case story.Closed:
		return fmt.Sprintf("an operator closed %s", name(e.Client))
	case story.Ticked:
		return "tick"
	}
	return e.Kind.String()
}

func (c Clock) granted(e *story.Event) string {
	if !e.FromQueue {
		return fmt.Sprintf("granted to %s at once: %stoken %d until %s", name(e.Client), shared(e.Mode), e.Token, c.Instant(e.Until))
	}
	why := ""
	if e.Cause != nil {
		why = ", because " + c.Ending(e.Cause)
	}
	return fmt.Sprintf("handed over to %s: %stoken %d until %s, after %s in the queue%s",
		name(e.Client), shared(e.Mode), e.Token, c.Instant(e.Until), c.Span(e.Since, e.At), why)
}

func (c Clock) queued(e *story.Event) string {
	var behind string
	if e.Behind != nil {
		behind = "right behind " + name(e.Behind.Client) + ", which waits, too"
	} else {
		var held []string
		for i := range e.Holders {
			held = append(held, c.Lease(&e.Holders[i]))
		}
		behind = "waiting for " + listed(held, e.HolderCount)
	}
	return fmt.Sprintf("%s queued at position %d%s, %s", name(e.Client), e.Position, wants(e.Mode), behind)
}

func wants(m lease.Mode) string {
	if m == lease.Shared {
		return " to share"
	}
	return ""
}

func (c Clock) ended(e *story.Event) string {
	who := name(e.Client)
	held := c.Span(e.Since, e.At)
	switch {
	case e.Kind == story.Lapsed:
		return fmt.Sprintf("token %d of %s lapsed after %s", e.Token, who, held)
	case e.Kind == story.Released && e.Abort:
		return fmt.Sprintf("token %d taken from %s, because %s is being aborted", e.Token, who, who)
	case e.Kind == story.Released && e.Operator:
		return fmt.Sprintf("an operator took token %d from %s", e.Token, who)
	case e.Kind == story.Released:
		return fmt.Sprintf("%s released token %d after %s", who, e.Token, held)
	case e.Abort:
		return fmt.Sprintf("%s taken out of the queue, because %s is being aborted", who, who)
	case e.Operator:
		return fmt.Sprintf("an operator took %s out of the queue", who)
	}
	return fmt.Sprintf("%s withdrew after %s in the queue", who, held)
}

// failed says that an operation was refused, and what its sender may not have known.
func (c Clock) failed(e *story.Event) string {
	by := ""
	if e.Client != "" {
		by = " by " + name(e.Client)
	}
	text := fmt.Sprintf("%s%s refused, %v", doing(e), by, e.Code)
	if why := c.because(e); why != "" {
		text += ": " + why
	}
	return text
}

// because says why an operation was refused; empty where the code says it all.
func (c Clock) because(e *story.Event) string {
	switch {
	case e.Form != nil:
		return fmt.Sprintf("%s (%s)", Form(e.Form), e.Form.Rule)
	case e.Code == lease.IDReused:
		return "the request id is that of " + Place(e.First)
	case e.Claim != nil:
		return fmt.Sprintf("%s %s", name(e.Claim.Client), c.Claim(e.Claim))
	case e.Code == lease.NotHolder && e.Cause != nil:
		return c.Ending(e.Cause)
	case e.Code == lease.NotHolder:
		return Never(name(e.Client), "the lock", e.Forgot)
	case e.Code == lease.LockInUse && e.Newer != nil:
		return c.Newer(e.Newer)
	}
	return ""
}

// Form says what is wrong with the form of an operation.
func Form(f *lease.Form) string {
	if f.Given == "" {
		return f.Part + " " + f.Fault
	}
	return f.Part + " " + escape.Value(f.Given) + " " + f.Fault
}

// Newer says which write keeps older ones out.
func (c Clock) Newer(w *story.Write) string {
	return fmt.Sprintf("a write under token %d%s was accepted at %s (%s)", w.Token, owner(w.Owner), c.Instant(w.At), Place(w.By))
}

// answer gives a result as results are written.
func (c Clock) answer(e *story.Event) string {
	return Answer(string(oplog.AppendResult(nil, e.Result)))
}

func (c Clock) lock(v *lease.LockView) string {
	var holders, queue []string
	for _, h := range v.Holders {
		holders = append(holders, c.Lease(&story.Claim{Client: h.Client, Mode: h.Mode, Token: h.Token, Until: h.Until}))
	}
	for _, w := range v.Queue {
		queue = append(queue, name(w.Client)+wants(w.Mode))
	}
	text := "nobody holds the lock"
	if len(holders) > 0 {
		text = "held by " + listed(holders, len(holders))
	}
	if len(queue) > 0 {
		text += "; in the queue " + listed(queue, len(queue))
	}
	return text
}

func (c Clock) client(v *lease.ClientView) string {
	if v.Age == 0 {
		return "not registered"
	}
	text := fmt.Sprintf("age %d", v.Age)
	var holds []string
	for _, h := range v.Holds {
		holds = append(holds, fmt.Sprintf("%s (%stoken %d until %s)", name(h.Lock), shared(h.Mode), h.Token, c.Instant(h.Until)))
	}
	if len(holds) > 0 {
		text += ", holds " + listed(holds, len(holds))
	}
	if v.Waiting != "" {
		text += ", waits for " + name(v.Waiting)
	}
	return text
}

package claim_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/client/claim"
	"github.com/leasekeeper/lkactor/actors/lease"
)

var depth = flag.Int("depth", 12, "of how many moves the courses of a wait are; one less under -short")

// world is one lock of a service, as far as one client has to do with it, and
// everything that is under way between the two. The client acquires the lock
// twice, one wait after the other.
type world struct {
	seq    uint64
	state  string // "", "queued" or "held"
	token  lease.Token
	grants []claim.Grant

	sent    []string // operations not handled yet: "acquire", "release" or "release token"
	answers []answer // not delivered yet
	news    []news   // not delivered yet

	waits []claim.Wait
	began uint64 // seq when the wait in hand began
	given bool   // it was given up
	blind bool   // nobody has answered its acquire
	abort bool   // it was told of its client's abort
	moves []string
}

type answer struct {
	to     string
	seq    uint64
	result lease.Result
}

type news struct {
	kind  string // "granted", "gone" or "aborted"
	grant claim.Grant
}

// next lists all that may happen next. Between client and service operations and
// answers keep their order, and so does the news, but not against the answers.
func (w *world) next() []string {
	var moves []string
	add := func(possible bool, move string) {
		if possible {
			moves = append(moves, move)
		}
	}
	for _, outcome := range []string{"grant", "queue", "refuse", "deadlock"} {
		add(len(w.sent) > 0 && w.sent[0] == "acquire", "handle acquire: "+outcome)
	}
	add(len(w.sent) > 0 && w.sent[0] != "acquire", "handle release")
	add(len(w.sent) > 0 && w.sent[0] == "acquire", "acquire lost")
	add(len(w.answers) > 0 && w.answers[0].to == "acquire", "answer lost")
	add(len(w.answers) > 0, "answer")
	add(w.unwanted(), "withdraw")
	add(len(w.news) > 0, "news")
	add(len(w.news) > 1, "overtaken news")
	add(w.state == "queued", "granted")
	add(w.state == "queued", "aborted")
	add(w.state != "", "evicted")
	add(!w.given && w.last().Ending() == claim.Pending, "give up")
	return moves
}

// unwanted tells whether the holder would have something to take back now.
func (w *world) unwanted() bool {
	_, now := w.clone().last().Withdraw()
	return now
}

func (w *world) last() *claim.Wait { return &w.waits[len(w.waits)-1] }

func (w *world) clone() *world {
	c := *w
	c.sent, c.answers, c.news = slices.Clone(w.sent), slices.Clone(w.answers), slices.Clone(w.news)
	c.waits, c.grants, c.moves = slices.Clone(w.waits), slices.Clone(w.grants), slices.Clone(w.moves)
	return &c
}

func (w *world) do(move string) {
	w.moves = append(w.moves, move)
	switch move {
	case "answer":
		a := w.answers[0]
		w.answers = w.answers[1:]
		if a.to == "acquire" {
			w.last().Answered(a.seq, &a.result)
		} else {
			w.last().Released()
		}
	case "acquire lost":
		w.sent = w.sent[1:]
		w.given, w.blind = true, true
		w.last().Unanswered()
	case "answer lost":
		w.answers = w.answers[1:]
		w.given, w.blind = true, true
		w.last().Unanswered()
	case "withdraw":
		token, _ := w.last().Withdraw()
		w.sent = append(w.sent, "release "+fmt.Sprint(token))
		if w.unwanted() {
			panic("to be taken back twice")
		}
	case "news":
		n := w.news[0]
		w.news = w.news[1:]
		switch n.kind {
		case "granted":
			w.last().Granted(n.grant)
		case "gone":
			w.last().Vanished(n.grant.Seq)
		case "aborted":
			w.abort = n.grant.Seq > w.began && w.last().Ending() == claim.Pending
			w.last().Aborted(n.grant.Seq)
		}
	case "overtaken news": // a subscriber may be told the latest state only
		w.news = w.news[1:]
	case "give up":
		w.given = true
		w.last().GiveUp()
	default:
		w.serve(move)
	}
}

// serve is the service's side of a move.
func (w *world) serve(move string) {
	w.seq++
	switch move {
	case "handle release":
		op := w.sent[0]
		w.sent = w.sent[1:]
		var token lease.Token
		fmt.Sscanf(op, "release %d", &token)
		if token == 0 || w.state == "held" && w.token == token {
			w.state = ""
		}
		w.answers = append(w.answers, answer{to: "release", seq: w.seq})
	case "granted":
		w.news = append(w.news, news{"granted", w.grant()})
	case "aborted", "evicted":
		w.state = ""
		kind := map[string]string{"aborted": "aborted", "evicted": "gone"}[move]
		w.news = append(w.news, news{kind, claim.Grant{Seq: w.seq}})
	default:
		w.sent = w.sent[1:]
		var r lease.Result
		switch strings.TrimPrefix(move, "handle acquire: ") {
		case "grant":
			r = lease.Result{Outcome: lease.Granted, Token: w.grant().Token}
		case "queue":
			w.state = "queued"
			r = lease.Result{Outcome: lease.Queued, Position: 1}
		case "refuse":
			r = lease.Fail(lease.ClientBusy)
		case "deadlock":
			r = lease.Result{Outcome: lease.Deadlocked}
			w.news = append(w.news, news{"aborted", claim.Grant{Seq: w.seq}})
		}
		w.answers = append(w.answers, answer{to: "acquire", seq: w.seq, result: r})
	}
}

func (w *world) grant() claim.Grant {
	w.token++
	w.state = "held"
	g := claim.Grant{Seq: w.seq, Token: w.token}
	w.grants = append(w.grants, g)
	return g
}

// check is what must hold whenever nothing is under way.
func (w *world) check() error {
	last := w.last()
	switch ending := last.Ending(); ending {
	case claim.Pending:
		if w.state != "queued" || w.given {
			return fmt.Errorf("still pending, at the service %q", w.state)
		}
	case claim.Held:
		if !slices.Contains(w.grants, last.Grant()) {
			return fmt.Errorf("holds %v, which was never granted", last.Grant())
		}
		if last.Grant().Seq <= w.began {
			return fmt.Errorf("holds %v, which was granted to an earlier acquire", last.Grant())
		}
		if w.given { // which is possible before the end only
			return fmt.Errorf("holds what it had given up")
		}
	default:
		if w.state != "" {
			return fmt.Errorf("ended with %d, at the service still %q", ending, w.state)
		}
		if w.abort && !w.blind && ending != claim.Deadlocked {
			return fmt.Errorf("ended with %d, although it was told of the abort", ending)
		}
	}
	return nil
}

// An acquire ends once, whatever happens in whatever order: with a lease that the
// service granted, or with nothing left there.
func TestEveryCourseOfAWait(t *testing.T) {
	leaves, endings := 0, map[claim.Ending]int{}
	var walk func(w *world, depth int)
	walk = func(w *world, depth int) {
		quiet := len(w.sent)+len(w.answers)+len(w.news) == 0 && !w.unwanted()
		if quiet {
			if err := w.check(); err != nil {
				t.Fatalf("%v\nafter %s", err, strings.Join(w.moves, ", "))
			}
		}
		if w.last().Ending() != claim.Pending && len(w.sent)+len(w.answers) > 0 {
			t.Fatalf("ended, and an operation is under way that may meet a later one, after %s", strings.Join(w.moves, ", "))
		}
		if len(w.waits) == 1 && w.last().Ending() != claim.Pending && w.last().Ending() != claim.Held {
			c := w.clone()
			c.moves = append(c.moves, "second acquire")
			c.waits, c.sent = append(c.waits, claim.Wait{}), []string{"acquire"}
			c.began, c.given, c.blind, c.abort = c.seq, false, false, false
			walk(c, depth)
		}
		moves := w.next()
		if depth == 0 || len(moves) == 0 {
			leaves++
			endings[w.last().Ending()]++
			return
		}
		for _, move := range moves {
			before := w.last().Ending()
			c := w.clone()
			c.do(move)
			if after := c.last().Ending(); before != claim.Pending && after != before {
				t.Fatalf("ended with %d, then with %d, after %s", before, after, strings.Join(c.moves, ", "))
			}
			walk(c, depth-1)
		}
	}
	depth := *depth
	if testing.Short() {
		depth--
	}
	walk(&world{waits: make([]claim.Wait, 1), sent: []string{"acquire"}}, depth)
	t.Logf("%d courses, by ending %v", leaves, endings)
	for _, e := range []claim.Ending{claim.Held, claim.Refused, claim.Deadlocked, claim.Gone, claim.Withdrawn} {
		if endings[e] == 0 {
			t.Errorf("no course ended with %d", e)
		}
	}
}

func TestABrokenWaitStaysBroken(t *testing.T) {
	var w claim.Wait
	w.Break()
	w.Answered(1, &lease.Result{Outcome: lease.Granted, Token: 1})
	if w.Ending() != claim.Broken {
		t.Fatalf("ended with %d", w.Ending())
	}
}

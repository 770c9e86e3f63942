package clientactor

import (
	"fmt"
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// client is a session and the locks that tests name.
type client struct {
	*Session
	locks map[string]*lease.Lock
}

func newClient() *client {
	return &client{New(&lease.Client{ID: 1, Name: "c"}, 0), map[string]*lease.Lock{}}
}

func (c *client) lock(name string) *lease.Lock {
	if c.locks[name] == nil {
		c.locks[name] = &lease.Lock{ID: uint32(len(c.locks) + 1), Name: name}
	}
	return c.locks[name]
}

// tell applies a change of the lock; until is what matters of the rest.
func (c *client) tell(change lease.Change, lock string, until lease.Instant) {
	c.Apply(&lease.Note{Change: change, Lock: c.lock(lock), Token: 1, Until: until})
}

func (c *client) at(now lease.Instant) *lease.ClientView {
	var result lease.Result
	post := &lease.Post{Client: c.id, Questions: []lease.Question{{Kind: lease.AskStatus, Now: now, Result: &result}}}
	c.Run(post)
	return result.Detail.Client
}

func names(v *lease.ClientView) (all []string) {
	for _, h := range v.Holds {
		all = append(all, h.Lock)
	}
	return all
}

// A stranger has no age, holds nothing and awaits nothing (C3).
func TestC3_AStranger(t *testing.T) {
	v := newClient().at(0)
	if v.Age != 0 || len(v.Holds) != 0 || v.Waiting != "" {
		t.Errorf("%+v", v)
	}
}

// Age comes with the first request, stays, and goes with an abort (C2).
func TestC2_AgeStaysUntilAborted(t *testing.T) {
	c := newClient()
	c.Apply(&lease.Note{Change: lease.ChangeRegistered, Age: 7})
	c.tell(lease.ChangeQueued, "L", 0)
	if v := c.at(0); v.Age != 7 || v.Waiting != "L" {
		t.Fatalf("%+v", v)
	}
	c.tell(lease.ChangeWithdrawn, "L", 0)
	if v := c.at(1); v.Age != 7 || v.Waiting != "" || !c.Idle() {
		t.Fatalf("%+v", v)
	}
	c.Apply(&lease.Note{Change: lease.ChangeAborted})
	if v := c.at(2); v.Age != 0 {
		t.Fatalf("%+v", v)
	}
}

// Holds are sorted by name as plain strings (O10), and a lease that has ended is
// not shown, whether or not anybody has noticed (T1, T2).
func TestT2_HoldsAreThoseThatLive(t *testing.T) {
	c := newClient()
	for i, name := range []string{"l1", "L3", "L10", "L2"} {
		c.tell(lease.ChangeGranted, name, lease.Instant(10+i))
	}
	if got := names(c.at(0)); !slices.Equal(got, []string{"L10", "L2", "L3", "l1"}) {
		t.Errorf("at 0: %v", got)
	}
	if got := names(c.at(11)); !slices.Equal(got, []string{"L10", "L2"}) {
		t.Errorf("at 11: %v", got)
	}
	c.tell(lease.ChangeRenewed, "l1", 90)
	c.tell(lease.ChangeLapsed, "L3", 11)
	c.tell(lease.ChangeReleased, "L2", 0)
	if got := names(c.at(12)); !slices.Equal(got, []string{"l1"}) {
		t.Errorf("at 12: %v", got)
	}
}

// What an abort takes is listed by name, lapses nobody has noticed included: the
// locks settle them first (D5).
func TestD5_LocksByName(t *testing.T) {
	c := newClient()
	for _, name := range []string{"b", "a", "c"} {
		c.tell(lease.ChangeGranted, name, 1)
	}
	post := &lease.Post{Client: c.id, Questions: []lease.Question{{Kind: lease.AskHolds, Now: 5}}}
	c.Run(post)
	var got []string
	for _, l := range post.Holds {
		got = append(got, l.Name)
	}
	if !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("%v", got)
	}
}

// Questions are answered between the notes they stand between.
func TestQuestionsHaveTheirPlace(t *testing.T) {
	c := newClient()
	var before, after lease.Result
	c.Run(&lease.Post{
		Client: c.id,
		Notes:  []lease.Note{{Change: lease.ChangeRegistered, Age: 3}, {Change: lease.ChangeQueued, Lock: c.lock("L")}},
		Questions: []lease.Question{
			{Kind: lease.AskStatus, After: 1, Result: &before},
			{Kind: lease.AskStatus, After: 2, Result: &after},
		},
	})
	if v := before.Detail.Client; v.Age != 3 || v.Waiting != "" {
		t.Errorf("before: %+v", v)
	}
	if v := after.Detail.Client; v.Waiting != "L" {
		t.Errorf("after: %+v", v)
	}
}

// A client with many locks finds each of them, and is idle when all are gone.
func TestManyHolds(t *testing.T) {
	c := newClient()
	for i := range 1000 {
		c.tell(lease.ChangeGranted, fmt.Sprint(i), 1)
	}
	for i := range 1000 {
		c.tell(lease.ChangeRenewed, fmt.Sprint(i), 9)
	}
	if got := len(c.at(5).Holds); got != 1000 {
		t.Fatalf("%d holds", got)
	}
	for i := range 1000 {
		if c.Idle() {
			t.Fatalf("idle with %d leases", 1000-i)
		}
		c.tell(lease.ChangeReleased, fmt.Sprint(i), 0)
	}
	if !c.Idle() {
		t.Error("not idle without leases")
	}
}

package cell

import (
	"testing"
	"unsafe"

	"github.com/leasekeeper/lkactor/actors/lease"
)

func TestF1_TokenOrdersOwners(t *testing.T) {
	var c Cell
	for i, step := range []struct {
		key, value string
		token      lease.Token
		want       lease.Code
	}{
		{"a", "first", 7, lease.OK},
		{"b", "same owner, another key", 7, lease.OK},
		{"a", "same owner, same key", 7, lease.OK},
		{"a", "earlier owner", 6, lease.StaleToken},
		{"c", "earlier owner, new key", 6, lease.StaleToken},
		{"a", "next owner", 9, lease.OK},
		{"b", "overtaken", 7, lease.StaleToken},
	} {
		if got := c.Write(step.key, step.value, step.token); got != step.want {
			t.Errorf("step %d: %v, want %v", i, got, step.want)
		}
	}
	accepted, values := c.Contents()
	if accepted != 9 || len(values) != 2 || values["a"] != "next owner" || values["b"] != "same owner, another key" {
		t.Errorf("%d %q", accepted, values)
	}
}

func TestF2_ReadsTheLastAccepted(t *testing.T) {
	var c Cell
	if value, ok := c.Read("a"); ok {
		t.Errorf("an empty store has %q", value)
	}
	c.Write("a", "", 1)
	if value, ok := c.Read("a"); !ok || value != "" {
		t.Errorf("%q %v: an empty value is a value", value, ok)
	}
}

// A cell that goes on from what another had accepted refuses what that one would
// have refused.
func TestP1_GoesOnFromContents(t *testing.T) {
	var before Cell
	before.Write("a", "x", 5)
	after := NewCell(before.Contents())
	if got := after.Write("a", "y", 4); got != lease.StaleToken {
		t.Errorf("%v", got)
	}
	if value, ok := after.Read("a"); !ok || value != "x" {
		t.Errorf("%q %v", value, ok)
	}
}

// A caller may use its buffers again once it has been answered, whether or not the
// key was known before.
func TestWriteCopies(t *testing.T) {
	var c Cell
	for round, want := range []string{"u", "v"} {
		key, value := []byte("k"), []byte(want)
		if code := c.Write(unsafe.String(&key[0], 1), unsafe.String(&value[0], 1), 1); code != lease.OK {
			t.Fatal(code)
		}
		key[0], value[0] = 'Z', 'Z'
		if got, ok := c.Read("k"); !ok || got != want {
			t.Errorf("write %d: %q, %v", round+1, got, ok)
		}
	}
}

package cycle

import "testing"

// TestPlace counts hand-offs, and finds out who comes in too early.
func TestPlace(t *testing.T) {
	p := &place{last: -1}
	for i, client := range []int{3, 3, 4, 3} {
		if err := p.enter(client); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		p.leave()
	}
	if p.handOffs != 3 {
		t.Errorf("%d hand-offs, want 3", p.handOffs)
	}
	if err := p.enter(1); err != nil {
		t.Fatal(err)
	}
	if err := p.enter(2); err == nil {
		t.Error("two clients hold one lock, and nobody noticed")
	}
}

package fence

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

func TestStaleError(t *testing.T) {
	err := fmt.Errorf("job: %w", &StaleError{Scope: "exports/daily", Refused: 71, Accepted: 72})
	if !errors.Is(err, ErrStale) || !errors.Is(err, lease.StaleToken) {
		t.Error("does not match")
	}
	for _, other := range []error{ErrInvalid, ErrConflict, ErrAmbiguous} {
		if errors.Is(err, other) {
			t.Errorf("matches %v", other)
		}
	}
	var stale *StaleError
	if !errors.As(err, &stale) || stale.Refused != 71 || stale.Accepted != 72 || stale.Scope != "exports/daily" {
		t.Errorf("%+v", stale)
	}
	if want := `job: fence: stale token: scope "exports/daily" has accepted 72, refused 71`; err.Error() != want {
		t.Errorf("%v", err)
	}
}

func TestO10_CheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, " ": true, "\x00": true, "\U0010ffff": true, strings.Repeat("a", MaxNameBytes): true,
		"": false, "\xff": false, "\xed\xa0\x80": false, strings.Repeat("a", MaxNameBytes+1): false,
	} {
		if err := CheckName(name); (err == nil) != ok || !ok && !errors.Is(err, ErrInvalid) {
			t.Errorf("%.10q: %v", name, err)
		}
	}
}

func TestO6_CheckOwner(t *testing.T) {
	for token, ok := range map[lease.Token]bool{1: true, 1 << 62: true, 0: false, -1: false, 1<<62 + 1: false} {
		if err := CheckOwner("s", token); (err == nil) != ok || !ok && !errors.Is(err, ErrInvalid) {
			t.Errorf("%d: %v", token, err)
		}
	}
	if err := CheckOwner("", 1); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}

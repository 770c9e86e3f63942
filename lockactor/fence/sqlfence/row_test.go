package sqlfence

import (
	"database/sql"
	"errors"
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/lockactor/fence"
)

var row = RowWrite{
	Scope: "s", Token: 5,
	Update: "update export", Args: []any{"body", 5, "id"},
	Fence: "select token", FenceArgs: []any{"id"},
}

// The statement alone decides; why it changed nothing is asked afterwards.
func TestF1_WriteRow(t *testing.T) {
	gone := errors.New("gone")
	for _, c := range []struct {
		name  string
		rows  int64
		fence int64
		errs  map[string]error
		want  error
		asked []string
	}{
		{"accepted", 1, 5, nil, nil, []string{"update export"}},
		{"an upsert that counts twice", 2, 5, nil, nil, []string{"update export"}},
		{"stale", 0, 6, nil, fence.ErrStale, []string{"update export", "select token"}},
		{"no such row", 0, -1, nil, sql.ErrNoRows, []string{"update export", "select token"}},
		{"changed meanwhile", 0, 5, nil, fence.ErrConflict, []string{"update export", "select token"}},
		{"serialisation failure", 1, 5, map[string]error{"exec 1": stateError("40001")}, fence.ErrConflict, []string{"update export"}},
		{"refused by the server", 1, 5, map[string]error{"exec 1": stateError("42601")}, stateError("42601"), []string{"update export"}},
		{"connection lost", 1, 5, map[string]error{"exec 1": gone}, fence.ErrAmbiguous, []string{"update export"}},
		{"a column without a value", 0, nullToken, nil, errNullFence, []string{"update export", "select token"}},
		{"why is not known", 0, 5, map[string]error{"query 1": gone}, gone, []string{"update export", "select token"}},
	} {
		s := newScript()
		s.rows, s.token = c.rows, c.fence
		if c.errs != nil {
			s.errs = c.errs
		}
		if err := s.open(t, PostgreSQL).WriteRow(t.Context(), row); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if !slices.Equal(s.steps(), c.asked) {
			t.Errorf("%s: %q", c.name, s.steps())
		}
	}
}

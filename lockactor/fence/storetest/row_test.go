package storetest

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/leasekeeper/lkactor/lockactor/fence"
	"github.com/leasekeeper/lkactor/lockactor/fence/sqlfence"
)

func (s *stage) write(t *testing.T, id, body string, token int64) error {
	return s.fence.WriteRow(within(t), sqlfence.RowWrite{
		Scope: s.table, Token: leaseToken(token),
		Update: fmt.Sprintf(s.update, s.table), Args: []any{body, token, id, token},
		Fence: fmt.Sprintf(s.fenceOf, s.table), FenceArgs: []any{id},
	})
}

// A row that carries its own fence column, in one statement.
func TestF1_WriteRow(t *testing.T) {
	each(t, func(t *testing.T, d *database, dsn string) {
		s := d.stage(t, dsn, sql.LevelDefault)
		want(t, "no row yet", s.write(t, "1", "a", 71), sql.ErrNoRows)
		if _, err := s.db.Exec(fmt.Sprintf(s.upsert, s.table), "1", "made", 0); err != nil {
			t.Fatal(err)
		}
		want(t, "A", s.write(t, "1", "a", 71), nil)
		want(t, "the same again", s.write(t, "1", "a", 71), nil)
		want(t, "B", s.write(t, "1", "b", 72), nil)
		err := s.write(t, "1", "late", 71)
		var stale *fence.StaleError
		if expect := (fence.StaleError{Scope: s.table, Refused: 71, Accepted: 72}); !errors.As(err, &stale) || *stale != expect {
			t.Errorf("%v", err)
		}
		if got := s.row(t, "1"); got != "b" {
			t.Errorf("%q", got)
		}
	})
}

// Where there is no row yet, one statement can make it, compare and write, if the
// database has a condition for the second part of an upsert.
func TestF1_WriteRowMakesTheRow(t *testing.T) {
	each(t, func(t *testing.T, d *database, dsn string) {
		if d.dialect == sqlfence.MySQL {
			return // has no such condition
		}
		s := d.stage(t, dsn, sql.LevelDefault)
		upsert := func(body string, token int64) error {
			return s.fence.WriteRow(within(t), sqlfence.RowWrite{
				Scope: s.table, Token: leaseToken(token),
				Update: fmt.Sprintf(s.upsert, s.table) + fmt.Sprintf(" WHERE %s.fence <= excluded.fence", s.table),
				Args:   []any{"1", body, token},
				Fence:  fmt.Sprintf(s.fenceOf, s.table), FenceArgs: []any{"1"},
			})
		}
		want(t, "A", upsert("a", 71), nil)
		want(t, "A again", upsert("a", 71), nil)
		want(t, "B", upsert("b", 1<<62), nil)
		want(t, "late", upsert("late", 1<<62-1), fence.ErrStale)
		if got := s.row(t, "1"); got != "b" {
			t.Errorf("%q", got)
		}
	})
}

// A row whose column has no value is never written, and says so.
func TestWriteRowWithoutAFence(t *testing.T) {
	each(t, func(t *testing.T, d *database, dsn string) {
		s := d.stage(t, dsn, sql.LevelDefault)
		null := strings.Replace(fmt.Sprintf(d.schema, s.table+"_null"), "fence bigint NOT NULL", "fence bigint", 1)
		null = strings.Replace(null, "fence INTEGER NOT NULL", "fence INTEGER", 1)
		s.table += "_null"
		for _, statement := range []string{null, "INSERT INTO " + s.table + " (id, body) VALUES ('1', 'made')"} {
			if _, err := s.db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		err := s.write(t, "1", "a", 71)
		if err == nil || errors.Is(err, fence.ErrConflict) || !strings.Contains(err.Error(), "NULL") || s.row(t, "1") != "made" {
			t.Errorf("%v %q", err, s.row(t, "1"))
		}
	})
}

// Many owners at once: the highest token stays, whoever comes last.
func TestP2_WriteRowRace(t *testing.T) {
	const owners = 32
	each(t, func(t *testing.T, d *database, dsn string) {
		s := d.stage(t, dsn, sql.LevelDefault)
		if _, err := s.db.Exec(fmt.Sprintf(s.upsert, s.table), "1", "made", 0); err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		for owner := range owners {
			wait.Go(func() {
				token := int64(1 + (owner*7)%owners)
				for {
					err := s.write(t, "1", fmt.Sprint("by ", token), token)
					if errors.Is(err, fence.ErrConflict) {
						continue
					}
					if err != nil && (!errors.Is(err, fence.ErrStale) || token == owners) {
						t.Errorf("token %d: %v", token, err)
					}
					return
				}
			})
		}
		wait.Wait()
		if got := s.row(t, "1"); got != fmt.Sprint("by ", owners) {
			t.Errorf("%q", got)
		}
	})
}

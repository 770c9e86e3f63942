package storetest

import (
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/leasekeeper/lkactor/lockactor/fence"
	"github.com/leasekeeper/lkactor/lockactor/fence/sqlfence"
)

// said is work that says these statements between two rows and keeps quiet about
// what comes of them.
func (s *stage) said(statements ...string) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		err := s.put("1", "before")(tx)
		for _, statement := range statements {
			_, _ = tx.Exec(statement)
		}
		_ = s.put("2", "after")(tx)
		return err
	}
}

// Work that ends the transaction, in whatever way, is found out before the commit,
// and the connection is as good as new for the next one.
func TestWorkThatEndsTheTransaction(t *testing.T) {
	ways := map[string][]string{
		"commit":          {"COMMIT"},
		"rollback":        {"ROLLBACK"},
		"commit, begin":   {"COMMIT", "BEGIN"},
		"rollback, begin": {"ROLLBACK", "BEGIN"},
		"over and over":   {"ROLLBACK", "BEGIN", "COMMIT", "BEGIN", "SAVEPOINT other"},
	}
	each(t, func(t *testing.T, d *database, dsn string) {
		s := d.stage(t, dsn, sql.LevelDefault)
		s.fence = sqlfence.New(s.db, d.dialect, sqlfence.WithTransactionCheck())
		own := map[string][]string{}
		switch d.dialect {
		case sqlfence.MySQL:
			own["a table is made"] = []string{"CREATE TABLE " + s.table + "_x (id INT)"}
			own["a table is locked"] = []string{"LOCK TABLES " + s.table + " WRITE", "UNLOCK TABLES"}
		case sqlfence.SQLite:
			own["a conflict rolls back"] = []string{fmt.Sprintf("INSERT OR ROLLBACK INTO %s VALUES ('1', 'again', 0)", s.table)}
			own["a new transaction of the other kind"] = []string{"ROLLBACK", "BEGIN IMMEDIATE"}
		}
		for _, all := range []map[string][]string{ways, own} {
			for name, statements := range all {
				err := s.fence.Guard(within(t), s.table, 71, s.said(statements...))
				if !errors.Is(err, sqlfence.ErrEnded) || !errors.Is(err, fence.ErrAmbiguous) {
					t.Errorf("%s: %v", name, err)
				}
				want(t, "after "+name, s.fence.Guard(within(t), s.table, 71, s.put("1", "fenced")), nil)
				if got := s.row(t, "1"); got != "fenced" {
					t.Errorf("after %s: %q", name, got)
				}
			}
		}
		for name, end := range map[string]func(*sql.Tx) error{"Commit": (*sql.Tx).Commit, "Rollback": (*sql.Tx).Rollback} {
			want(t, name, s.fence.Guard(within(t), s.table, 71, end), sqlfence.ErrEnded)
		}
	})
}

// What work may do with its transaction is not mistaken for ending it.
func TestWorkThatDoesNotEndTheTransaction(t *testing.T) {
	each(t, func(t *testing.T, d *database, dsn string) {
		s := d.stage(t, dsn, sql.LevelDefault)
		s.fence = sqlfence.New(s.db, d.dialect, sqlfence.WithTransactionCheck())
		want(t, "savepoints", s.fence.Guard(within(t), s.table, 71,
			s.said("SAVEPOINT own", "UPDATE "+s.table+" SET body = 'undone'", "ROLLBACK TO SAVEPOINT own", "RELEASE SAVEPOINT own")), nil)
		if one, two := s.row(t, "1"), s.row(t, "2"); one != "before" || two != "after" {
			t.Errorf("%q %q", one, two)
		}
		want(t, "nothing", s.fence.Guard(within(t), s.table, 72, func(*sql.Tx) error { return nil }), nil)
		want(t, "stale", s.fence.Guard(within(t), s.table, 71, s.put("1", "late")), fence.ErrStale)
		mine := errors.New("mine")
		want(t, "its own error", s.fence.Guard(within(t), s.table, 72, func(tx *sql.Tx) error {
			return errors.Join(s.put("1", "undone")(tx), mine)
		}), mine)
		if got := s.row(t, "1"); got != "before" {
			t.Errorf("%q", got)
		}
	})
}

// A deadlock ends the whole transaction in MySQL, and work that keeps the error to
// itself goes on outside of any. (PostgreSQL refuses every statement after it, and
// SQLite knows no deadlock.)
func TestDeadlockKeptQuiet(t *testing.T) {
	d := databases[1]
	s := d.stage(t, d.where(t), sql.LevelDefault)
	f := sqlfence.New(s.db, d.dialect, sqlfence.WithTransactionCheck())
	want(t, "schema", f.CreateSchema(within(t)), nil)
	for _, scope := range []string{s.table + "1", s.table + "2"} {
		want(t, "before", f.Guard(within(t), scope, 71, s.said()), nil)
	}
	var meet, done sync.WaitGroup
	meet.Add(2)
	ends := make(chan error, 2)
	for _, rows := range [][2]string{{"1", "2"}, {"2", "1"}} {
		done.Go(func() {
			ends <- f.Guard(within(t), s.table+rows[0], 71, func(tx *sql.Tx) error {
				err := s.put(rows[0], "x")(tx)
				meet.Done()
				meet.Wait()
				_ = s.put(rows[1], "y")(tx)
				_ = s.put("3", "unfenced")(tx)
				return err
			})
		})
	}
	done.Wait()
	found := 0
	for range 2 {
		if err := <-ends; errors.Is(err, sqlfence.ErrEnded) {
			found++
		} else if err != nil {
			t.Error(err)
		}
	}
	if found != 1 {
		t.Errorf("%d of 2 were found out, want the one that gave way", found)
	}
}

package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/leasekeeper/lkactor/lockactor/fence"
	"github.com/leasekeeper/lkactor/lockactor/fence/sqlfence"
	"github.com/leasekeeper/lkactor/lockactor/fence/storetest/servers"
)

// stage is a fence and a table of the caller's own that it guards.
type stage struct {
	*database
	fence *sqlfence.Fence
	db    *sql.DB
	table string // and the scope
}

func (d *database) stage(t *testing.T, dsn string, level sql.IsolationLevel) *stage {
	t.Helper()
	db := open(t, d.driver, dsn)
	f := sqlfence.New(db, d.dialect, sqlfence.WithTxOptions(sql.TxOptions{Isolation: level}))
	return &stage{database: d, fence: f, db: db, table: d.table(t, db)}
}

// put is guarded work: it writes one row.
func (s *stage) put(id, body string) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		_, err := tx.Exec(fmt.Sprintf(s.upsert, s.table), id, body, 0)
		return err
	}
}

func (s *stage) row(t *testing.T, id string) string {
	t.Helper()
	return text(t, s.db, fmt.Sprintf(s.body, s.table), id)
}

// eachLevel runs the test on every database at every isolation level.
func eachLevel(t *testing.T, test func(t *testing.T, s *stage)) {
	each(t, func(t *testing.T, d *database, dsn string) {
		for _, level := range d.levels {
			t.Run(level.String(), func(t *testing.T) { test(t, d.stage(t, dsn, level)) })
		}
	})
}

// A stale owner's work is not even begun, and nothing of it is committed.
func TestF1_StaleCommitsNothing(t *testing.T) {
	eachLevel(t, func(t *testing.T, s *stage) {
		ctx := within(t)
		want(t, "A", s.fence.Guard(ctx, s.table, 71, s.put("1", "a")), nil)
		want(t, "B", s.fence.Guard(ctx, s.table, 72, s.put("1", "b")), nil)
		err := s.fence.Guard(ctx, s.table, 71, func(*sql.Tx) error { t.Error("begun"); return nil })
		var stale *fence.StaleError
		if expect := (fence.StaleError{Scope: s.table, Refused: 71, Accepted: 72}); !errors.As(err, &stale) || *stale != expect {
			t.Errorf("%v", err)
		}
		if got := s.row(t, "1"); got != "b" {
			t.Errorf("%q", got)
		}
	})
}

// What fails after the check takes everything back, the token too.
func TestWorkIsUndone(t *testing.T) {
	eachLevel(t, func(t *testing.T, s *stage) {
		ctx, mine := within(t), errors.New("mine")
		want(t, "A", s.fence.Guard(ctx, s.table, 71, s.put("1", "a")), nil)
		err := s.fence.Guard(ctx, s.table, 72, func(tx *sql.Tx) error {
			return errors.Join(s.put("1", "b")(tx), s.put("2", "b")(tx), mine)
		})
		want(t, "B", err, mine)
		if accepted, err := s.fence.Accepted(ctx, s.table); accepted != 71 || err != nil {
			t.Errorf("accepted %d %v", accepted, err)
		}
		if one, two := s.row(t, "1"), s.row(t, "2"); one != "a" || two != "" {
			t.Errorf("%q %q", one, two)
		}
		want(t, "A again", s.fence.Guard(ctx, s.table, 71, s.put("1", "a again")), nil)
	})
}

// A has been checked and is at work when B comes with a higher token. B's work
// begins when A's is committed, never before; then A is refused.
func TestP2_NobodySlipsBetweenCheckAndCommit(t *testing.T) {
	eachLevel(t, func(t *testing.T, s *stage) {
		ctx := within(t)
		want(t, "earlier", s.fence.Guard(ctx, s.table, 70, s.put("1", "earlier")), nil)
		var mu sync.Mutex
		var order []string
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, what)
		}
		atWork, b := make(chan struct{}), make(chan error)
		go func() {
			<-atWork
			for {
				err := s.fence.Guard(ctx, s.table, 72, func(tx *sql.Tx) error {
					note("B begins")
					return s.put("1", "b")(tx)
				})
				if errors.Is(err, fence.ErrConflict) {
					continue // at the stricter levels B may have to begin again
				}
				b <- err
				return
			}
		}()
		err := s.fence.Guard(ctx, s.table, 71, func(tx *sql.Tx) error {
			close(atWork)
			// Long enough for B to come as far as it can.
			for range 20 {
				if err := s.put("1", "a")(tx); err != nil {
					return err
				}
			}
			note("A ends")
			return nil
		})
		want(t, "A", err, nil)
		want(t, "B", <-b, nil)
		if len(order) < 2 || order[0] != "A ends" {
			t.Errorf("%q", order)
		}
		if got := s.row(t, "1"); got != "b" {
			t.Errorf("%q", got)
		}
		want(t, "A, stale", s.fence.Guard(ctx, s.table, 71, s.put("1", "a again")), fence.ErrStale)
	})
}

// What work reads is what everybody before it in the scope has committed, at
// every isolation level: B, which has waited for A, builds on what A wrote, with
// the same token and with the next. Or else it gives way and begins again.
func TestP2_WorkReadsWhatWasCommittedBefore(t *testing.T) {
	eachLevel(t, func(t *testing.T, s *stage) {
		for _, token := range []int64{71, 72} {
			ctx, wrote := within(t), fmt.Sprint("before ", token)
			want(t, "first", s.fence.Guard(ctx, s.table, 71, s.put("1", "old")), nil)
			var read string
			b := make(chan error, 1)
			want(t, "A", s.fence.Guard(ctx, s.table, 71, func(tx *sql.Tx) error {
				err := s.put("1", wrote)(tx)
				go func() {
					for {
						err := s.fence.Guard(ctx, s.table, leaseToken(token), func(tx *sql.Tx) error {
							return tx.QueryRow(fmt.Sprintf(s.body, s.table), "1").Scan(&read)
						})
						if !errors.Is(err, fence.ErrConflict) {
							b <- err
							return
						}
					}
				}()
				s.letOthersCome(t, tx)
				return err
			}), nil)
			want(t, "B", <-b, nil)
			if read != wrote {
				t.Errorf("token %d: read %q, want %q", token, read, wrote)
			}
		}
	})
}

// letOthersCome waits, in the work of a guard, until another waits for its row: for
// certain where the server tells, else for as long as some statements take.
func (s *stage) letOthersCome(t *testing.T, tx *sql.Tx) {
	t.Helper()
	if s.dialect == sqlfence.PostgreSQL {
		for text(t, s.db, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == "0" {
			runtime.Gosched()
		}
		return
	}
	for range 20 {
		if _, err := tx.Exec("UPDATE " + s.table + " SET fence = fence + 1"); err != nil {
			t.Error(err)
		}
	}
}

// B waits for the row while A, in whose time it has come, raises the token and
// commits. Where B's transaction sees the new token, it is stale; where it is
// bound to what was there when it began, it gives way, and is stale the next time.
// Either way it writes nothing.
func TestSerialisationFailureIsAConflict(t *testing.T) {
	d := databases[0] // PostgreSQL
	dsn := d.where(t)
	for level, expect := range map[sql.IsolationLevel]error{
		sql.LevelReadCommitted:  fence.ErrStale,
		sql.LevelRepeatableRead: fence.ErrConflict,
		sql.LevelSerializable:   fence.ErrConflict,
	} {
		s := d.stage(t, dsn, level)
		want(t, "schema", s.fence.CreateSchema(within(t)), nil)
		want(t, "before", s.fence.Guard(within(t), s.table, 70, s.put("1", "before")), nil)
		b := make(chan error)
		want(t, "A", s.fence.Guard(within(t), s.table, 72, func(tx *sql.Tx) error {
			go func() { b <- s.fence.Guard(within(t), s.table, 71, s.put("1", "b")) }()
			for text(t, s.db, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == "0" {
				runtime.Gosched()
			}
			return s.put("1", "a")(tx)
		}), nil)
		want(t, level.String()+": B", <-b, expect)
		want(t, "B again", s.fence.Guard(within(t), s.table, 71, s.put("1", "b")), fence.ErrStale)
		if got := s.row(t, "1"); got != "a" {
			t.Errorf("%v: %q", level, got)
		}
	}
}

// Two owners of two scopes meet in the caller's own rows, crosswise. One of them
// gives way, and is told so.
func TestDeadlockIsAConflict(t *testing.T) {
	each(t, func(t *testing.T, d *database, dsn string) {
		if d.dialect == sqlfence.SQLite {
			return // has one lock, so nobody can meet crosswise
		}
		s := d.stage(t, dsn, sql.LevelDefault)
		both := func(tx *sql.Tx) error { return errors.Join(s.put("1", "a")(tx), s.put("2", "a")(tx)) }
		want(t, "before", s.fence.Guard(within(t), s.table, 71, both), nil)
		first, second, done := make(chan struct{}), make(chan struct{}), make(chan error, 2)
		go func() {
			done <- s.fence.Guard(within(t), s.table+"/x", 71, func(tx *sql.Tx) error {
				err := s.put("1", "x")(tx)
				close(first)
				<-second
				return errors.Join(err, s.put("2", "x")(tx))
			})
		}()
		go func() {
			<-first
			done <- s.fence.Guard(within(t), s.table+"/y", 71, func(tx *sql.Tx) error {
				err := s.put("2", "y")(tx)
				close(second)
				return errors.Join(err, s.put("1", "y")(tx))
			})
		}()
		var conflicts int
		for range 2 {
			switch err := <-done; {
			case errors.Is(err, fence.ErrConflict):
				conflicts++
			case err != nil:
				t.Error(err)
			}
		}
		if one, two := s.row(t, "1"), s.row(t, "2"); conflicts != 1 || one != two || one == "a" {
			t.Errorf("%d conflicts, rows %q and %q", conflicts, one, two)
		}
	})
}

// The server ends the connection during the work.
func TestLostConnection(t *testing.T) {
	end := map[sqlfence.Dialect][2]string{
		sqlfence.PostgreSQL: {"SELECT pg_backend_pid()", "SELECT pg_terminate_backend(%s)"},
		sqlfence.MySQL:      {"SELECT connection_id()", "KILL %s"},
	}
	each(t, func(t *testing.T, d *database, dsn string) {
		if d.server == nil {
			return // has no connection
		}
		s := d.stage(t, dsn, sql.LevelDefault)
		err := s.fence.Guard(within(t), s.table, 72, func(tx *sql.Tx) error {
			if err := s.put("1", "lost")(tx); err != nil {
				return err
			}
			var id string
			if err := tx.QueryRow(end[d.dialect][0]).Scan(&id); err != nil {
				return err
			}
			if _, err := s.db.Exec(fmt.Sprintf(end[d.dialect][1], id)); err != nil {
				return err
			}
			return s.put("2", "lost")(tx)
		})
		want(t, "guard", err, sqlfence.ErrLost)
		if errors.Is(err, fence.ErrAmbiguous) {
			t.Error("nothing is ambiguous before the commit")
		}
		if accepted, err := s.fence.Accepted(within(t), s.table); accepted != 0 || err != nil || s.row(t, "1") != "" {
			t.Errorf("%d %v %q", accepted, err, s.row(t, "1"))
		}
	})
}

// The wire is cut around the COMMIT. Before it or after it, the caller is told
// that nobody knows; and both things can be the case.
func TestAmbiguousCommit(t *testing.T) {
	each(t, func(t *testing.T, d *database, dsn string) {
		if d.server == nil {
			return // has no wire
		}
		for _, c := range []struct {
			moment servers.Moment
			row    string
		}{{servers.Before, ""}, {servers.After, "written"}} {
			cut := cutWhere(t, d, isCommit, c.moment)
			s := d.stage(t, dsn, sql.LevelDefault)
			through := sqlfence.New(open(t, d.driver, d.dsn(cut.Addr, "")), d.dialect)
			want(t, "guard", through.Guard(within(t), s.table, 72, s.put("1", "written")), fence.ErrAmbiguous)
			// Whoever comes next waits until the server knows.
			want(t, "the next", s.fence.Guard(within(t), s.table, 72, func(*sql.Tx) error { return nil }), nil)
			if got := s.row(t, "1"); got != c.row {
				t.Errorf("cut at %d: %q, want %q", c.moment, got, c.row)
			}
		}
	})
}

// Work that keeps an error to itself: PostgreSQL then undoes everything at the
// commit. That is no success.
func TestSwallowedErrorIsNoSuccess(t *testing.T) {
	d := databases[0]
	dsn := d.where(t)
	s := d.stage(t, dsn, sql.LevelDefault)
	want(t, "schema", s.fence.CreateSchema(within(t)), nil)
	err := s.fence.Guard(within(t), s.table, 71, func(tx *sql.Tx) error {
		err := s.put("1", "a")(tx)
		_, _ = tx.Exec("no statement")
		return err
	})
	if err == nil || s.row(t, "1") != "" {
		t.Errorf("%v %q", err, s.row(t, "1"))
	}
}

// A context that ends while another owner has the row ends the wait.
func TestContextEndsTheWait(t *testing.T) {
	each(t, func(t *testing.T, d *database, dsn string) {
		s := d.stage(t, dsn, sql.LevelDefault)
		want(t, "before", s.fence.Guard(within(t), s.table, 71, s.put("1", "a")), nil)
		want(t, "holder", s.fence.Guard(within(t), s.table, 71, func(*sql.Tx) error {
			ctx, cancel := context.WithCancel(t.Context())
			b := make(chan error)
			go func() { b <- s.fence.Guard(ctx, s.table, 72, s.put("1", "b")) }()
			cancel()
			if err := <-b; !errors.Is(err, context.Canceled) && !errors.Is(err, fence.ErrConflict) {
				t.Errorf("%v", err)
			}
			return nil
		}), nil)
		if got := s.row(t, "1"); got != "a" {
			t.Errorf("%q", got)
		}
	})
}

// Many processes create the tables at once, as they do when a service is rolled
// out, and the tables are there already for most of them.
func TestCreateSchemaAtOnce(t *testing.T) {
	each(t, func(t *testing.T, d *database, dsn string) {
		for _, table := range []string{"lkactor_fence", "lkactor_value"} {
			if _, err := open(t, d.driver, dsn).Exec("DROP TABLE " + table); err != nil {
				t.Fatal(err)
			}
		}
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				store := sqlfence.NewStore(open(t, d.driver, dsn), d.dialect)
				want(t, "create", store.CreateSchema(within(t)), nil)
				want(t, "write", store.Write(within(t), "s", "k", "v", 1), nil)
			})
		}
		wait.Wait()
	})
}

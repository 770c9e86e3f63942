package storetest

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	_ "github.com/lib/pq"
	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/leasekeeper/lkactor/lockactor/fence"
	"github.com/leasekeeper/lkactor/lockactor/fence/fencetest"
	"github.com/leasekeeper/lkactor/lockactor/fence/sqlfence"
)

// others are the databases once more, by drivers that report errors in shapes of
// their own: lib/pq, and SQLite as WebAssembly.
var others = []*database{
	other(databases[0], "postgres", databases[0].dsn),
	other(databases[2], "sqlite3", func(_, dir string) string {
		return "file:" + filepath.Join(dir, "data.db") + "?_pragma=busy_timeout(30000)&_pragma=journal_mode(wal)"
	}),
}

func other(d *database, driver string, dsn func(addr, dir string) string) *database {
	o := *d
	o.driver, o.dsn = driver, dsn
	return &o
}

// eachOther is each for the other drivers.
func eachOther(t *testing.T, test func(t *testing.T, d *database, dsn string)) {
	for _, d := range others {
		t.Run(d.driver, func(t *testing.T) {
			dsn := d.where(t)
			if err := sqlfence.NewStore(open(t, d.driver, dsn), d.dialect).CreateSchema(t.Context()); err != nil {
				t.Fatal(err)
			}
			test(t, d, dsn)
		})
	}
}

func TestKitOtherDrivers(t *testing.T) {
	eachOther(t, func(t *testing.T, d *database, dsn string) {
		fencetest.Run(t, func() fence.Store {
			db := open(t, d.driver, dsn)
			return closing{sqlfence.NewStore(db, d.dialect), db}
		})
	})
}

// Whoever cannot have the scope's row in time gives way; a context that ends
// meanwhile is named. By every driver.
func TestWaitingInVain(t *testing.T) {
	impatient := map[sqlfence.Dialect]string{
		sqlfence.PostgreSQL: "SET lock_timeout = 100",
		sqlfence.MySQL:      "SET innodb_lock_wait_timeout = 1",
		sqlfence.SQLite:     "PRAGMA busy_timeout = 0",
	}
	test := func(t *testing.T, d *database, dsn string) {
		s := d.stage(t, dsn, sql.LevelDefault)
		want(t, "before", s.fence.Guard(within(t), s.table, 70, s.put("1", "before")), nil)
		db := open(t, d.driver, dsn)
		db.SetMaxOpenConns(1)
		if _, err := db.Exec(impatient[d.dialect]); err != nil {
			t.Fatal(err)
		}
		hurried := sqlfence.New(db, d.dialect)
		want(t, "holder", s.fence.Guard(within(t), s.table, 71, func(tx *sql.Tx) error {
			want(t, "hurried", hurried.Guard(within(t), s.table, 72, s.put("1", "hurried")), fence.ErrConflict)
			ctx, cancel := context.WithCancel(t.Context())
			waits := make(chan error)
			go func() { waits <- s.fence.Guard(ctx, s.table, 72, s.put("1", "waiting")) }()
			s.letOthersCome(t, tx)
			cancel()
			if err := <-waits; !errors.Is(err, context.Canceled) || errors.Is(err, fence.ErrAmbiguous) || errors.Is(err, sqlfence.ErrLost) {
				t.Errorf("waiting: %v", err)
			}
			return nil
		}), nil)
		if got := s.row(t, "1"); got != "before" {
			t.Errorf("%q", got)
		}
	}
	each(t, test)
	eachOther(t, test)
}

// Work that ends the transaction is found out whatever the driver.
func TestWorkThatEndsTheTransactionOtherDrivers(t *testing.T) {
	eachOther(t, func(t *testing.T, d *database, dsn string) {
		s := d.stage(t, dsn, sql.LevelDefault)
		s.fence = sqlfence.New(s.db, d.dialect, sqlfence.WithTransactionCheck())
		for _, statements := range [][]string{{"ROLLBACK"}, {"COMMIT", "BEGIN"}} {
			want(t, statements[0], s.fence.Guard(within(t), s.table, 71, s.said(statements...)), sqlfence.ErrEnded)
		}
		want(t, "after", s.fence.Guard(within(t), s.table, 71, s.said()), nil)
	})
}

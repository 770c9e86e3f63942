package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/leasekeeper/lkactor/lockactor/fence"
	"github.com/leasekeeper/lkactor/lockactor/fence/sqlfence"
)

// Work may use its transaction from several goroutines: all that they write is in
// it, or none of it.
func TestGoroutinesInOneGuard(t *testing.T) {
	const writers, rows = 8, 4
	mine := errors.New("mine")
	each(t, func(t *testing.T, d *database, dsn string) {
		s := d.stage(t, dsn, sql.LevelDefault)
		for _, end := range []error{mine, nil} {
			err := s.fence.Guard(within(t), s.table, 71, func(tx *sql.Tx) error {
				var wait sync.WaitGroup
				errs := make([]error, writers)
				for w := range writers {
					wait.Go(func() {
						for n := range rows {
							errs[w] = errors.Join(errs[w], s.put(fmt.Sprint(w, ".", n), "x")(tx))
						}
					})
				}
				wait.Wait()
				return errors.Join(errors.Join(errs...), end)
			})
			want(t, "guard", err, end)
			expect := "0"
			if end == nil {
				expect = fmt.Sprint(writers * rows)
			}
			if got := text(t, s.db, "SELECT count(*) FROM "+s.table); got != expect {
				t.Errorf("%s rows, want %s", got, expect)
			}
		}
	})
}

// A goroutine that outlives the work writes inside the transaction or not at all:
// what it was told was written is there, and after the end it is told
// sql.ErrTxDone.
func TestGoroutineOutlivesTheWork(t *testing.T) {
	each(t, func(t *testing.T, d *database, dsn string) {
		s := d.stage(t, dsn, sql.LevelDefault)
		var last error
		var written atomic.Int64
		var wait sync.WaitGroup
		enough := make(chan struct{})
		want(t, "guard", s.fence.Guard(within(t), s.table, 71, func(tx *sql.Tx) error {
			wait.Go(func() {
				for n := 0; last == nil; n++ {
					if last = s.put(fmt.Sprint(n), "x")(tx); last == nil && written.Add(1) == 5 {
						close(enough)
					}
				}
			})
			<-enough
			return nil
		}), nil)
		wait.Wait()
		want(t, "after the end", last, sql.ErrTxDone)
		if got := text(t, s.db, "SELECT count(*) FROM "+s.table); got != fmt.Sprint(written.Load()) {
			t.Errorf("%s rows, and %d were written", got, written.Load())
		}
	})
}

// The test binary, started with this set, is a worker beside others.
const workerSeed = "STORETEST_WORKER_SEED"

const (
	workers      = 3
	workerGuards = 60
)

// work guards many writes with random tokens around the highest accepted one. Each
// write is one row: how many there were before, and the token. It prints how often
// it was accepted.
func (d *database) work(dsn, table, seed string) error {
	db, err := sql.Open(d.driver, dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	var n uint64
	if _, err := fmt.Sscan(seed, &n); err != nil {
		return err
	}
	f, chance, ctx := sqlfence.New(db, d.dialect), rand.New(rand.NewPCG(n, 0)), context.Background()
	accepted := 0
	for i := 0; i < workerGuards; i++ {
		mark, err := f.Accepted(ctx, table)
		if err != nil {
			return err
		}
		token := max(1, mark-3) + leaseToken(chance.Int64N(8))
		err = f.Guard(ctx, table, token, func(tx *sql.Tx) error {
			var rows int
			if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&rows); err != nil {
				return err
			}
			// A plain INSERT: two at once would meet in the primary key.
			_, err := tx.ExecContext(ctx, fmt.Sprintf(strings.SplitN(d.upsert, "ON ", 2)[0], table), fmt.Sprint(rows), "x", int64(token))
			return err
		})
		switch {
		case err == nil:
			accepted++
		case errors.Is(err, fence.ErrConflict):
			i--
		case !errors.Is(err, fence.ErrStale):
			return err
		}
	}
	fmt.Println(accepted)
	return nil
}

// Several processes guard writes in one scope. What each was told is what is in
// the table, and in the order in which the rows came the token never went down.
func TestProcessesTogether(t *testing.T) {
	each(t, func(t *testing.T, d *database, dsn string) { d.together(t, dsn) })
	t.Run("SQLite without WAL", func(t *testing.T) {
		d := databases[2]
		dsn := filepath.Join(t.TempDir(), "data.db") + "?_pragma=busy_timeout(30000)"
		want(t, "schema", sqlfence.New(open(t, d.driver, dsn), d.dialect).CreateSchema(t.Context()), nil)
		d.together(t, dsn)
	})
}

func (d *database) together(t *testing.T, dsn string) {
	db := open(t, d.driver, dsn)
	table, seed := d.table(t, db), rand.Uint64()
	var wait sync.WaitGroup
	var accepted atomic.Int64
	for w := range workers {
		wait.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), victimDialect+"="+d.dialect.String(), victimDSN+"="+dsn, victimTable+"="+table,
				workerSeed+"="+fmt.Sprint(seed+uint64(w)))
			out, err := cmd.CombinedOutput()
			var n int64
			if _, bad := fmt.Sscan(string(out), &n); err != nil || bad != nil {
				t.Errorf("seed %d: %v\n%s", seed, err, out)
			}
			accepted.Add(n)
		})
	}
	wait.Wait()
	rows, err := db.Query("SELECT id, fence FROM " + table)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	tokens := map[int]int{}
	for rows.Next() {
		var id, token int
		if err := rows.Scan(&id, &token); err != nil {
			t.Fatal(err)
		}
		tokens[id] = token
	}
	if int64(len(tokens)) != accepted.Load() || len(tokens) < workers {
		t.Errorf("seed %d: %d rows, and %d were accepted", seed, len(tokens), accepted.Load())
	}
	for id := 1; id < len(tokens); id++ {
		if tokens[id] < tokens[id-1] {
			t.Errorf("seed %d: token %d after %d", seed, tokens[id], tokens[id-1])
		}
	}
	t.Logf("%d of %d accepted", len(tokens), workers*workerGuards)
}

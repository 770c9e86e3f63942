package storetest

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/lockactor/fence"
	"github.com/leasekeeper/lkactor/lockactor/fence/casfence"
	"github.com/leasekeeper/lkactor/lockactor/fence/filefence"
	"github.com/leasekeeper/lkactor/lockactor/fence/sqlfence"
	"github.com/leasekeeper/lkactor/lockactor/fence/storetest/etcdcas"
	"github.com/leasekeeper/lkactor/lockactor/fence/storetest/servers"
)

// writers is how many goroutines write at once where a server is asked.
const writers = 8

// beside measures a write without a fence and the same write with it, in short
// turns of one and the other, so that whatever else the machine does meets both.
// It reports the median rate of each and what the fence costs, in per cent of the
// time of the plain write: the median over all pairs of turns. The functions are
// told who writes and how often it did.
func beside(b *testing.B, writers int, plain, guarded func(writer, n int) error) {
	b.Helper()
	const turn = 10 // writes of one writer in a row
	sides := [2]func(writer, n int) error{plain, guarded}
	for _, side := range sides { // connections are made and statements prepared
		inTurn(b, writers, turn, 0, side)
	}
	var rates [2][]float64
	var costs []float64
	b.ResetTimer()
	for count := 0; count < b.N; count += turn * writers {
		var spent [2]time.Duration
		for _, side := range [2][2]int{{0, 1}, {1, 0}}[len(costs)%2] {
			begun := time.Now()
			inTurn(b, writers, turn, count, sides[side])
			spent[side] = time.Since(begun)
			rates[side] = append(rates[side], float64(turn*writers)/spent[side].Seconds())
		}
		costs = append(costs, 100*(spent[1].Seconds()/spent[0].Seconds()-1))
	}
	b.ReportMetric(0, "ns/op") // of two different things
	b.ReportMetric(median(rates[0]), "plain/s")
	b.ReportMetric(median(rates[1]), "guarded/s")
	b.ReportMetric(median(costs), "%cost")
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

func inTurn(b *testing.B, writers, writes, from int, write func(writer, n int) error) {
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for n := range writes {
				if err := write(w, from+n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
}

// Guarded statements beside the same statement in a transaction, a statement that
// compares beside a plain one that commits itself; in many scopes and in one.
func BenchmarkSQL(b *testing.B) {
	for _, d := range databases {
		b.Run(d.dialect.String(), func(b *testing.B) {
			db := open(b, d.driver, d.where(b))
			f, ctx := sqlfence.New(db, d.dialect), context.Background()
			if err := f.CreateSchema(ctx); err != nil {
				b.Fatal(err)
			}
			table, at := d.table(b, db), writers
			if d.server == nil {
				at = 1 // it has one writer at a time anyway
			}
			id := func(writer, n int) string { return fmt.Sprintf("row %d of %d", n%8, writer) }
			for w := range at {
				for n := range 8 {
					if _, err := db.Exec(fmt.Sprintf(d.upsert, table), id(w, n), "body", 1); err != nil {
						b.Fatal(err)
					}
				}
			}
			update := fmt.Sprintf(d.update, table)
			set := func(writer, n int) []any { return []any{fmt.Sprint("body ", n), 1, id(writer, n), 1} }
			inTx := func(writer, n int) error {
				tx, err := db.BeginTx(ctx, nil)
				if err != nil {
					return err
				}
				defer tx.Rollback()
				if _, err := tx.ExecContext(ctx, update, set(writer, n)...); err != nil {
					return err
				}
				return tx.Commit()
			}
			guard := func(scope string, writer, n int) error {
				return f.Guard(ctx, scope, 1, func(tx *sql.Tx) error {
					_, err := tx.ExecContext(ctx, update, set(writer, n)...)
					return err
				})
			}
			alone := func(writer, n int) error {
				_, err := db.ExecContext(ctx, update, set(writer, n)...)
				return err
			}
			row := func(writer, n int) error {
				return f.WriteRow(ctx, sqlfence.RowWrite{Scope: id(writer, n), Token: 1, Update: update, Args: set(writer, n)})
			}
			b.Run("Guard/many_scopes", func(b *testing.B) {
				beside(b, at, inTx, func(writer, n int) error { return guard(id(writer, n), writer, n) })
			})
			b.Run("Guard/one_scope", func(b *testing.B) {
				beside(b, at, inTx, func(writer, n int) error { return guard("one", writer, n) })
			})
			b.Run("WriteRow", func(b *testing.B) { beside(b, at, alone, row) })
		})
	}
}

// A write through casfence beside a plain put, in etcd.
func BenchmarkEtcd(b *testing.B) {
	client, err := servers.EtcdClient(etcd.addr(b))
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	ctx, store := context.Background(), casfence.New(etcdcas.New(client), "bench/")
	beside(b, writers,
		func(writer, n int) error {
			_, err := client.Put(ctx, fmt.Sprintf("plain/%d/%d", writer, n%8), "body")
			return err
		},
		func(writer, n int) error {
			return store.Write(ctx, fmt.Sprint("scope ", writer), fmt.Sprint(n%8), "body", 1)
		})
}

// A published file beside one that is written, synced and renamed.
func BenchmarkFile(b *testing.B) {
	root := b.TempDir()
	p := filefence.New(root)
	body := make([]byte, 64<<10)
	write := func(f *os.File) error { _, err := f.Write(body); return err }
	beside(b, 1,
		func(int, int) error {
			f, err := os.Create(filepath.Join(root, "new"))
			if err != nil {
				return err
			}
			defer f.Close()
			if err := write(f); err != nil {
				return err
			}
			if err := f.Sync(); err != nil {
				return err
			}
			if err := os.Rename(f.Name(), filepath.Join(root, "plain")); err != nil {
				return err
			}
			dir, err := os.Open(root)
			if err != nil {
				return err
			}
			defer dir.Close()
			return dir.Sync()
		},
		func(int, int) error { return p.File(context.Background(), "s", 1, "guarded", write) })
}

// The store in memory beside a map.
func BenchmarkMemory(b *testing.B) {
	var (
		mu     sync.Mutex
		plain  = map[string]string{}
		memory fence.Memory
		ctx    = context.Background()
		keys   = []string{"a", "b", "c", "d"}
	)
	beside(b, 1,
		func(_, n int) error {
			mu.Lock()
			defer mu.Unlock()
			plain[keys[n%4]] = "body"
			return nil
		},
		func(_, n int) error { return memory.Write(ctx, "scope", keys[n%4], "body", 1) })
}

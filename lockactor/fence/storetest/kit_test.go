package storetest

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/leasekeeper/lkactor/lockactor/fence"
	"github.com/leasekeeper/lkactor/lockactor/fence/casfence"
	"github.com/leasekeeper/lkactor/lockactor/fence/fencetest"
	"github.com/leasekeeper/lkactor/lockactor/fence/sqlfence"
	"github.com/leasekeeper/lkactor/lockactor/fence/storetest/etcdcas"
	"github.com/leasekeeper/lkactor/lockactor/fence/storetest/servers"
)

// The kit on every SQL database, at every isolation level it has. Where there is
// a wire to the server it is cut before every request of a write, and after every
// request.
func TestKitSQL(t *testing.T) {
	each(t, func(t *testing.T, d *database, dsn string) {
		for _, level := range d.levels {
			t.Run(level.String(), func(t *testing.T) {
				options := sqlfence.WithTxOptions(sql.TxOptions{Isolation: level})
				var kit []fencetest.Option
				if d.server != nil {
					kit = append(kit, fencetest.WithDeath(func(step int) fence.Store {
						cut := cutAt(t, d.server.addr(t), step)
						return sqlfence.NewStore(open(t, d.driver, d.dsn(cut.Addr, "")), d.dialect, options)
					}))
				}
				fencetest.Run(t, func() fence.Store {
					db := open(t, d.driver, dsn)
					return closing{sqlfence.NewStore(db, d.dialect, options), db}
				}, kit...)
			})
		}
	})
}

// SQLite without WAL: readers and writers then shut each other out.
func TestKitSQLiteWithoutWAL(t *testing.T) {
	dsn := filepath.Join(t.TempDir(), "data.db") + "?_pragma=busy_timeout(30000)"
	if err := sqlfence.NewStore(open(t, "sqlite", dsn), sqlfence.SQLite).CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	fencetest.Run(t, func() fence.Store {
		db := open(t, "sqlite", dsn)
		return closing{sqlfence.NewStore(db, sqlfence.SQLite), db}
	})
}

// closing is a store with its own connections, as another process has them.
type closing struct {
	sqlfence.Store
	db *sql.DB
}

func (c closing) Close() error { return c.db.Close() }

// cutAt cuts the wire to addr: with an even step before request step/2, with an
// odd one after it.
func cutAt(t *testing.T, addr string, step int) *servers.Cut {
	t.Helper()
	cut, err := servers.NewCut(addr, func(n int, _ []byte) servers.Moment {
		switch {
		case n < step/2:
			return servers.Not
		case step%2 == 0:
			return servers.Before
		}
		return servers.After
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cut.Close() })
	return cut
}

// The kit on etcd, killed before and after every call that a write makes.
func TestKitEtcd(t *testing.T) {
	client, err := servers.EtcdClient(etcd.addr(t))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for name, after := range map[string]bool{"request lost": false, "answer lost": true} {
		t.Run(name, func(t *testing.T) {
			fencetest.Run(t, func() fence.Store { return casfence.New(etcdcas.New(client), "kit/") },
				fencetest.WithDeath(func(step int) fence.Store {
					return casfence.New(&mortal{Conditional: etcdcas.New(client), left: step, after: after}, "kit/")
				}))
		})
	}
}

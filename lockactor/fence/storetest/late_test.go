package storetest

import (
	"bytes"
	"database/sql"
	"fmt"
	"testing"

	"github.com/leasekeeper/lkactor/lockactor/fence"
	"github.com/leasekeeper/lkactor/lockactor/fence/sqlfence"
	"github.com/leasekeeper/lkactor/lockactor/fence/storetest/servers"
)

// cutWhere gives a wire to the database that is cut at the first request that is
// meant.
func cutWhere(t *testing.T, d *database, meant func(request []byte) bool, moment servers.Moment) *servers.Cut {
	t.Helper()
	cut, err := servers.NewCut(d.server.addr(t), func(_ int, request []byte) servers.Moment {
		if meant(request) {
			return moment
		}
		return servers.Not
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cut.Close() })
	return cut
}

func isCommit(request []byte) bool {
	return bytes.Contains(bytes.ToUpper(request), []byte("COMMIT\x00")) || bytes.HasSuffix(request, []byte("COMMIT"))
}

// carries tells the request that has the value of a parameter in it.
func carries(value string) func([]byte) bool {
	return func(request []byte) bool { return bytes.Contains(request, []byte(value)) }
}

// onServers runs the test on every database that has a wire.
func onServers(t *testing.T, test func(t *testing.T, d *database, s *stage)) {
	each(t, func(t *testing.T, d *database, dsn string) {
		if d.server != nil {
			test(t, d, d.stage(t, dsn, sql.LevelDefault))
		}
	})
}

// through gives the stage by way of a wire that will be cut.
func (s *stage) through(t *testing.T, cut *servers.Cut) *stage {
	t.Helper()
	far := *s
	far.db = open(t, s.driver, s.dsn(cut.Addr, ""))
	far.fence = sqlfence.New(far.db, s.dialect)
	return &far
}

// A COMMIT is on its way when its caller has long given up. Who looks from outside
// sees nothing yet. Who looks inside a Guard waits, and sees what became of it.
func TestCommitLandsLate(t *testing.T) {
	onServers(t, func(t *testing.T, d *database, s *stage) {
		want(t, "before", s.fence.Guard(within(t), s.table, 70, s.put("1", "before")), nil)
		cut := cutWhere(t, d, isCommit, servers.Later)
		want(t, "A", s.through(t, cut).fence.Guard(within(t), s.table, 71, s.put("1", "late")), fence.ErrAmbiguous)
		if got := s.row(t, "1"); got != "before" {
			t.Errorf("%q before the COMMIT has come", got)
		}
		var found string
		b := make(chan error, 1)
		go func() {
			b <- s.fence.Guard(within(t), s.table, 72, func(tx *sql.Tx) error {
				return tx.QueryRow(fmt.Sprintf(s.body, s.table), "1").Scan(&found)
			})
		}()
		want(t, "land", cut.Land(), nil)
		want(t, "B", <-b, nil)
		if found != "late" {
			t.Errorf("B found %q", found)
		}
		want(t, "A again", s.fence.Guard(within(t), s.table, 71, s.put("1", "stale")), fence.ErrStale)
	})
}

// A statement of guarded work arrives when its caller has given up: without a
// COMMIT behind it nothing comes of it, whoever has written meanwhile.
func TestStatementLandsLate(t *testing.T) {
	onServers(t, func(t *testing.T, d *database, s *stage) {
		want(t, "before", s.fence.Guard(within(t), s.table, 70, s.put("1", "before")), nil)
		cut := cutWhere(t, d, carries("late"), servers.Later)
		want(t, "A", s.through(t, cut).fence.Guard(within(t), s.table, 71, s.put("1", "late")), sqlfence.ErrLost)
		b := make(chan error, 1)
		go func() { b <- s.fence.Guard(within(t), s.table, 72, s.put("2", "b")) }()
		want(t, "land", cut.Land(), nil)
		want(t, "B", <-b, nil)
		if one, two := s.row(t, "1"), s.row(t, "2"); one != "before" || two != "b" {
			t.Errorf("%q %q", one, two)
		}
	})
}

// A statement that is its own commit holds nothing while it is on its way. A
// higher token shuts it out; another write under the same token does not (P4).
func TestWriteRowLandsLate(t *testing.T) {
	for token, row := range map[int64]string{71: "late", 72: "newer"} {
		onServers(t, func(t *testing.T, d *database, s *stage) {
			if _, err := s.db.Exec(fmt.Sprintf(s.upsert, s.table), "1", "made", 0); err != nil {
				t.Fatal(err)
			}
			cut := cutWhere(t, d, carries("late"), servers.Later)
			want(t, "A", s.through(t, cut).write(t, "1", "late", 71), fence.ErrAmbiguous)
			want(t, "newer", s.write(t, "1", "newer", token), nil)
			want(t, "land", cut.Land(), nil)
			if got := s.row(t, "1"); got != row {
				t.Errorf("after token %d: %q, want %q", token, got, row)
			}
		})
	}
}

package storetest

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/leasekeeper/lkactor/lockactor/fence/sqlfence"
)

// The test binary, started with these set, is a job that guards a write, says so
// once it stands between the check and the commit, and goes on when told to.
const (
	victimDialect = "STORETEST_VICTIM_DIALECT"
	victimDSN     = "STORETEST_VICTIM_DSN"
	victimTable   = "STORETEST_VICTIM_TABLE"
)

func victim() int {
	for _, d := range databases {
		if d.dialect.String() != os.Getenv(victimDialect) {
			continue
		}
		dsn, table := os.Getenv(victimDSN), os.Getenv(victimTable)
		err := error(nil)
		if seed := os.Getenv(workerSeed); seed != "" {
			err = d.work(dsn, table, seed)
		} else {
			err = d.job(dsn, table)
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
		return 0
	}
	return 2
}

func (d *database) job(dsn, table string) error {
	db, err := sql.Open(d.driver, dsn)
	if err != nil {
		return err
	}
	ctx := context.Background()
	return sqlfence.New(db, d.dialect).Guard(ctx, table, 72, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, fmt.Sprintf(d.upsert, table), "row", "by the victim", 72); err != nil {
			return err
		}
		fmt.Println("between")
		_, err := fmt.Scanln() // until it is killed
		return err
	})
}

// A process is killed between the check and the commit. Nothing of it stays: not
// its row, not its token, not its lock.
func TestKilledBetweenCheckAndWrite(t *testing.T) {
	each(t, func(t *testing.T, d *database, dsn string) {
		db := open(t, d.driver, dsn)
		table, f := d.table(t, db), sqlfence.New(db, d.dialect)
		write := func(token int64, body string) error {
			return f.Guard(within(t), table, leaseToken(token), func(tx *sql.Tx) error {
				_, err := tx.Exec(fmt.Sprintf(d.upsert, table), "row", body, token)
				return err
			})
		}
		want(t, "the owner before", write(71, "before"), nil)

		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), victimDialect+"="+d.dialect.String(), victimDSN+"="+dsn, victimTable+"="+table)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer stdin.Close()
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var said string
		if _, err := fmt.Fscanln(stdout, &said); said != "between" {
			t.Fatalf("%q %v", said, err)
		}
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatal(err)
		}

		if accepted, err := f.Accepted(within(t), table); accepted != 71 || err != nil {
			t.Errorf("accepted %d %v, want 71", accepted, err)
		}
		if got := text(t, db, fmt.Sprintf(d.body, table), "row"); got != "before" {
			t.Errorf("%q", got)
		}
		want(t, "the owner before, again", write(71, "still"), nil)
		want(t, "the next owner", write(73, "after"), nil)
		if got := text(t, db, fmt.Sprintf(d.body, table), "row"); got != "after" {
			t.Errorf("%q", got)
		}
	})
}

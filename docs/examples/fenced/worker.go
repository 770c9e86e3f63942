package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
	"github.com/leasekeeper/lkactor/lockactor/fence/sqlfence"
)

const (
	// lockName is the lock that protects the table, and the scope of its fence.
	lockName = "exports/daily"
	// leaseSeconds is how long a worker's lease lasts.
	leaseSeconds = 1
	// parts is how many rows a worker writes.
	parts = 3
	// look is the pause between two looks whether a lease has come.
	look = 50 * time.Millisecond
)

// work is a worker's life: get the lease, prepare, write. It says on stdout how
// far it is, and prepares until a line comes on stdin.
func work(ctx context.Context, s settings) error {
	db, err := sql.Open("pgx", s.dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	token, err := getLease(s.locks, s.name)
	if err != nil {
		return err
	}
	fmt.Println("holds", lockName, "with token", token)

	// What takes long is done before the write, outside of any transaction. A
	// worker that is stopped here does not notice.
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}

	err = writeRows(ctx, db, s, token)
	if stale := (*fence.StaleError)(nil); errors.As(err, &stale) {
		fmt.Printf("is refused: its token is %d, and %d has written since\n", stale.Refused, stale.Accepted)
		return nil
	}
	if err == nil {
		fmt.Println("has written", parts, "rows")
	}
	return err
}

// getLease asks for the lock and waits until it is granted.
func getLease(addr, name string) (lease.Token, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	answers := bufio.NewScanner(conn)
	request := fmt.Sprintln("acquire", name, lockName, leaseSeconds)
	for {
		if _, err := fmt.Fprint(conn, request); err != nil {
			return 0, err
		}
		if !answers.Scan() {
			return 0, fmt.Errorf("the lock service is gone: %w", answers.Err())
		}
		var token lease.Token
		switch answer := answers.Text(); {
		case strings.HasPrefix(answer, "granted "):
			_, err := fmt.Sscanf(answer, "granted %d", &token)
			return token, err
		case answer != "waiting":
			return 0, errors.New("the lock service says: " + answer)
		}
		time.Sleep(look)
		request = fmt.Sprintln("token", name, lockName)
	}
}

// writeRows writes the worker's rows, all or none, and only if nobody with a
// higher token has written before.
func writeRows(ctx context.Context, db *sql.DB, s settings, token lease.Token) error {
	rows := func(tx *sql.Tx) error {
		for part := 1; part <= parts; part++ {
			if _, err := tx.ExecContext(ctx, `INSERT INTO fenced_export (part, worker, token) VALUES ($1, $2, $3)
				ON CONFLICT (part) DO UPDATE SET worker = excluded.worker, token = excluded.token`,
				part, s.name, int64(token)); err != nil {
				return err
			}
		}
		return nil
	}
	if !s.unfenced {
		return sqlfence.New(db, sqlfence.PostgreSQL).Guard(ctx, lockName, token, rows)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := rows(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

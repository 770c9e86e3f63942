package ring

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-sql-driver/mysql"
)

// MariaDB is one of the two kinds of locks that a client of MariaDB can hold. Both
// look for a deadlock when a session begins to wait.
type MariaDB struct {
	db   *sql.DB
	kind mariaKind
}

var _ Server = (*MariaDB)(nil)

// mariaKind is what the kinds differ in.
type mariaKind struct {
	begin, take, giveUp string // statements; empty: none
	waiting             string // a query that counts
}

var rows = mariaKind{
	begin:   "START TRANSACTION",
	take:    "SELECT id FROM ring.locks WHERE id = ? FOR UPDATE",
	giveUp:  "ROLLBACK",
	waiting: "SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'",
}

var named = mariaKind{
	take:    "SELECT GET_LOCK(CONCAT('ring-', ?), 60)",
	giveUp:  "DO RELEASE_ALL_LOCKS()",
	waiting: "SELECT count(*) FROM information_schema.processlist WHERE state = 'User lock'",
}

// NewMariaDBRows gives the locks of rows in a table of InnoDB, of which it makes
// that many.
func NewMariaDBRows(ctx context.Context, address string, count int) (*MariaDB, error) {
	m, err := newMariaDB(address, rows)
	if err != nil {
		return nil, err
	}
	statements := []string{
		"CREATE DATABASE IF NOT EXISTS ring",
		"CREATE OR REPLACE TABLE ring.locks (id INT PRIMARY KEY) ENGINE=InnoDB",
	}
	for i := range count {
		statements = append(statements, fmt.Sprintf("INSERT INTO ring.locks VALUES (%d)", i))
	}
	for _, text := range statements {
		if _, err := m.db.ExecContext(ctx, text); err != nil {
			return nil, errors.Join(err, m.Close())
		}
	}
	return m, nil
}

// NewMariaDBNames gives the locks of GET_LOCK.
func NewMariaDBNames(address string) (*MariaDB, error) { return newMariaDB(address, named) }

func newMariaDB(address string, kind mariaKind) (*MariaDB, error) {
	config := mysql.NewConfig()
	config.User, config.Net, config.Addr = "root", "tcp", address
	config.InterpolateParams = true // one trip, not one to prepare and one to run
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return &MariaDB{sql.OpenDB(connector), kind}, nil
}

// Open connects a session.
func (m *MariaDB) Open(ctx context.Context) (Session, error) {
	conn, err := m.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if m.kind.begin != "" {
		_, err = conn.ExecContext(ctx, m.kind.begin)
	}
	return mariaSession{conn, m.kind}, err
}

// Waiting asks the server.
func (m *MariaDB) Waiting(ctx context.Context) (n int, err error) {
	err = m.db.QueryRowContext(ctx, m.kind.waiting).Scan(&n)
	return n, err
}

// Settle is nothing: who waits has looked already.
func (m *MariaDB) Settle() time.Duration { return 0 }

// Close disconnects.
func (m *MariaDB) Close() error { return m.db.Close() }

type mariaSession struct {
	conn *sql.Conn
	kind mariaKind
}

func (s mariaSession) Take(ctx context.Context, i int) error {
	var answer sql.NullInt64
	err := s.conn.QueryRowContext(ctx, s.kind.take, i).Scan(&answer)
	const deadlock = 1213
	if e := (*mysql.MySQLError)(nil); errors.As(err, &e) && e.Number == deadlock {
		return fmt.Errorf("%w: %w", ErrDeadlock, err)
	}
	if err == nil && !answer.Valid {
		return errors.New("no lock and no error")
	}
	return err
}

func (s mariaSession) GiveUp(ctx context.Context) error {
	_, err := s.conn.ExecContext(ctx, s.kind.giveUp)
	return err
}

func (s mariaSession) Close() error { return s.conn.Close() }

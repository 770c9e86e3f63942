package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence/sqlfence"
	"github.com/leasekeeper/lkactor/lockactor/fence/storetest/servers"
)

// The servers are started when the first test asks for them and stopped when all
// tests are done.
var (
	postgres = started{start: servers.Postgres}
	mariadb  = started{start: servers.MariaDB}
	etcd     = started{start: servers.Etcd}
)

func TestMain(m *testing.M) {
	if os.Getenv(victimDialect) != "" {
		os.Exit(victim())
	}
	code := m.Run()
	for _, s := range []*started{&postgres, &mariadb, &etcd} {
		if err := s.stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// started is a server that is started once.
type started struct {
	start  func() (*servers.Server, error)
	once   sync.Once
	server *servers.Server
	err    error
}

// addr gives the server's address; a server that cannot be had is a failure.
func (s *started) addr(t testing.TB) string {
	t.Helper()
	s.once.Do(func() { s.server, s.err = s.start() })
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.server.Addr
}

func (s *started) stop() error {
	if s.server == nil {
		return nil
	}
	return s.server.Stop()
}

// database is one of the SQL databases under test.
type database struct {
	dialect sqlfence.Dialect
	driver  string
	server  *started // nil if it is embedded
	// dsn gives how to reach the database at addr, or in the directory.
	dsn func(addr, dir string) string
	// levels are the isolation levels it has.
	levels []sql.IsolationLevel
	// schema of the caller's own table, and how it is used; with bound parameters
	// in the database's own notation.
	schema string
	// upsert writes a row of the caller's table: id, body, fence.
	upsert string
	// update writes a row that carries its own fence column: body, fence, id, fence.
	update string
	// fenceOf gives the fence column of the row id, body its body.
	fenceOf, body string
}

const sqlitePragmas = "?_pragma=journal_mode(WAL)&_pragma=busy_timeout(30000)&_pragma=synchronous(FULL)"

var databases = []*database{
	{
		dialect: sqlfence.PostgreSQL, driver: "pgx", server: &postgres,
		dsn:    func(addr, _ string) string { return servers.PostgresDSN(addr) },
		levels: []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable},
		schema: `CREATE TABLE %s (id varchar(100) PRIMARY KEY, body text NOT NULL, fence bigint NOT NULL)`,
		upsert: `INSERT INTO %s (id, body, fence) VALUES ($1, $2, $3)
			ON CONFLICT (id) DO UPDATE SET body = excluded.body, fence = excluded.fence`,
		update:  `UPDATE %s SET body = $1, fence = $2 WHERE id = $3 AND fence <= $4`,
		fenceOf: `SELECT fence FROM %s WHERE id = $1`,
		body:    `SELECT body FROM %s WHERE id = $1`,
	},
	{
		dialect: sqlfence.MySQL, driver: "mysql", server: &mariadb,
		dsn: func(addr, _ string) string { return servers.MariaDSN(addr, "test") },
		levels: []sql.IsolationLevel{sql.LevelReadUncommitted, sql.LevelReadCommitted,
			sql.LevelRepeatableRead, sql.LevelSerializable},
		schema: `CREATE TABLE %s (id varchar(100) PRIMARY KEY, body text NOT NULL, fence bigint NOT NULL)`,
		upsert: `INSERT INTO %s (id, body, fence) VALUES (?, ?, ?)
			ON DUPLICATE KEY UPDATE body = VALUES(body), fence = VALUES(fence)`,
		update:  `UPDATE %s SET body = ?, fence = ? WHERE id = ? AND fence <= ?`,
		fenceOf: `SELECT fence FROM %s WHERE id = ?`,
		body:    `SELECT body FROM %s WHERE id = ?`,
	},
	{
		dialect: sqlfence.SQLite, driver: "sqlite",
		dsn:    func(_, dir string) string { return filepath.Join(dir, "data.db") + sqlitePragmas },
		levels: []sql.IsolationLevel{sql.LevelDefault},
		schema: `CREATE TABLE %s (id TEXT PRIMARY KEY, body TEXT NOT NULL, fence INTEGER NOT NULL)`,
		upsert: `INSERT INTO %s (id, body, fence) VALUES (?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET body = excluded.body, fence = excluded.fence`,
		update:  `UPDATE %s SET body = ?, fence = ? WHERE id = ? AND fence <= ?`,
		fenceOf: `SELECT fence FROM %s WHERE id = ?`,
		body:    `SELECT body FROM %s WHERE id = ?`,
	},
}

// where gives how to reach the database; an embedded one is new for each test.
func (d *database) where(t testing.TB) string {
	t.Helper()
	if d.server == nil {
		return d.dsn("", t.TempDir())
	}
	addr := d.server.addr(t)
	if d.dialect == sqlfence.MySQL {
		db := open(t, d.driver, servers.MariaDSN(addr, ""))
		if _, err := db.Exec("CREATE DATABASE IF NOT EXISTS test"); err != nil {
			t.Fatal(err)
		}
	}
	return d.dsn(addr, "")
}

// open opens a database for the time of the test.
func open(t testing.TB, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(20)
	db.SetMaxIdleConns(20)
	t.Cleanup(func() { db.Close() })
	return db
}

// each runs the test on every database, with the tables of package sqlfence in
// it.
func each(t *testing.T, test func(t *testing.T, d *database, dsn string)) {
	for _, d := range databases {
		t.Run(d.dialect.String(), func(t *testing.T) {
			dsn := d.where(t)
			if err := sqlfence.NewStore(open(t, d.driver, dsn), d.dialect).CreateSchema(t.Context()); err != nil {
				t.Fatal(err)
			}
			test(t, d, dsn)
		})
	}
}

var tables = struct {
	sync.Mutex
	n int
}{}

// table makes a table of the caller's own and gives its name; scopes are named
// like it, so that tests do not meet.
func (d *database) table(t testing.TB, db *sql.DB) string {
	t.Helper()
	tables.Lock()
	tables.n++
	name := fmt.Sprintf("export_%d_%d", os.Getpid(), tables.n)
	tables.Unlock()
	if _, err := db.Exec(fmt.Sprintf(d.schema, name)); err != nil {
		t.Fatal(err)
	}
	return name
}

// want wants an error, nil for none.
func want(t testing.TB, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// text asks for one string.
func text(t testing.TB, db *sql.DB, query string, args ...any) string {
	t.Helper()
	var s string
	err := db.QueryRow(query, args...).Scan(&s)
	if errors.Is(err, sql.ErrNoRows) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// within gives a context that keeps a hanging test from hanging for good.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func leaseToken(n int64) lease.Token { return lease.Token(n) }

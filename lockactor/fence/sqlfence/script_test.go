package sqlfence

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
)

// script is a database that does nothing but answer: it says what it was told
// to, and remembers in which order it was asked. The tests of package storetest
// have real ones; this one can fail at any step in any way.
type script struct {
	token  int64            // of every scope; negative for none yet
	touch  bool             // the row of a scope must be written in any case
	value  []byte           // of every key; nil for none
	rows   int64            // affected by an Exec
	errs   map[string]error // by step: begin, exec N, query N, commit, rollback
	asked  []string         // the steps, with the first words of what was said
	args   [][]any          // the parameters of each exec and query
	levels []sql.IsolationLevel
	// hook is called in every exec and query, atCommit in a commit.
	hook, atCommit func()
	seen           map[string]int
	mu             sync.Mutex // database/sql rolls back on a goroutine of its own when a context ends
}

func newScript() *script {
	return &script{token: 5, rows: 1, errs: map[string]error{}, seen: map[string]int{}}
}

func (s *script) open(t *testing.T, d Dialect, options ...Option) Store {
	t.Helper()
	db := sql.OpenDB(s)
	db.SetMaxOpenConns(1) // a second connection while the first is in use would hang
	t.Cleanup(func() { db.Close() })
	return NewStore(db, d, options...)
}

// step records a step and gives the error it shall end with.
func (s *script) step(kind, text string, args []driver.NamedValue) error {
	if s.hook != nil && text != "" {
		s.hook()
	}
	if s.atCommit != nil && kind == "commit" {
		s.atCommit()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[kind]++
	name := kind
	if text != "" {
		words := strings.Fields(text)
		s.asked = append(s.asked, strings.Join(words[:min(2, len(words))], " "))
		var values []any
		for _, a := range args {
			values = append(values, a.Value)
		}
		s.args = append(s.args, values)
		name = fmt.Sprint(kind, " ", s.seen[kind])
	} else {
		s.asked = append(s.asked, kind)
	}
	return s.errs[name]
}

// steps gives what was asked so far, in order.
func (s *script) steps() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *script) Connect(context.Context) (driver.Conn, error) { return session{s}, nil }
func (s *script) Driver() driver.Driver                        { return nil }

type session struct{ *script }

func (session) Prepare(string) (driver.Stmt, error) { panic("nothing is prepared") }
func (session) Close() error                        { return nil }
func (session) Begin() (driver.Tx, error)           { panic("without a context") }

func (s session) BeginTx(_ context.Context, o driver.TxOptions) (driver.Tx, error) {
	s.levels = append(s.levels, sql.IsolationLevel(o.Isolation))
	return s, s.step("begin", "", nil)
}

func (s session) Commit() error   { return s.step("commit", "", nil) }
func (s session) Rollback() error { return s.step("rollback", "", nil) }

func (s session) ExecContext(_ context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	err := s.step("exec", text, args)
	if strings.HasPrefix(text, "INSERT INTO lkactor_fence") && s.token < 0 && err == nil {
		s.token = 0
	}
	return driver.RowsAffected(s.rows), err
}

func (s session) QueryContext(_ context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	err := s.step("query", text, args)
	switch {
	case strings.Contains(text, "value") && s.value != nil:
		return &answer{value: s.value}, err
	case strings.Contains(text, "token") && s.token == nullToken:
		return &answer{null: true}, err
	case strings.HasPrefix(text, "SELECT token,") && s.token >= 0:
		return &answer{value: s.token, second: s.touch}, err
	case strings.Contains(text, "token") && s.token >= 0:
		return &answer{value: s.token}, err
	}
	return &answer{}, err
}

// answer is a result of one row and a column or two, or of none.
type answer struct {
	value  driver.Value
	second driver.Value // nil for no second column
	null   bool         // the one row has no value in it
}

// nullToken is a token column without a value.
const nullToken = -2

func (a *answer) Columns() []string {
	if a.second != nil {
		return []string{"c", "d"}
	}
	return []string{"c"}
}
func (*answer) Close() error { return nil }
func (a *answer) Next(row []driver.Value) error {
	if a.value == nil && !a.null {
		return io.EOF
	}
	row[0], a.value, a.null = a.value, nil, false
	if a.second != nil {
		row[1] = a.second
	}
	return nil
}

// What the three families of drivers say when something goes wrong.
type (
	stateError  string
	codeError   int
	numberError struct {
		Number  uint16
		Message string
	}
)

func (e stateError) Error() string    { return "ERROR (SQLSTATE " + string(e) + ")" }
func (e stateError) SQLState() string { return string(e) }
func (e codeError) Error() string     { return fmt.Sprint("sqlite: code ", int(e)) }
func (e codeError) Code() int         { return int(e) }
func (e *numberError) Error() string  { return fmt.Sprintf("Error %d: %s", e.Number, e.Message) }

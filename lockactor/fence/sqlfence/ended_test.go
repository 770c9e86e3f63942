package sqlfence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// Work that ends the transaction by its methods has left the fence: never a
// success, and never "nothing is written", whatever the work says of itself.
func TestWorkEndsTheTransaction(t *testing.T) {
	mine := errors.New("mine")
	for name, end := range map[string]func(*sql.Tx) error{
		"commit":         (*sql.Tx).Commit,
		"rollback":       (*sql.Tx).Rollback,
		"commit, fail":   func(tx *sql.Tx) error { return errors.Join(tx.Commit(), mine) },
		"rollback, fail": func(tx *sql.Tx) error { return errors.Join(tx.Rollback(), mine) },
	} {
		for _, dialect := range []Dialect{PostgreSQL, SQLite, MySQL} {
			err := newScript().open(t, dialect).Guard(t.Context(), "s", 6, end)
			if !errors.Is(err, fence.ErrAmbiguous) || !errors.Is(err, ErrEnded) {
				t.Errorf("%v, %s: %v", dialect, name, err)
			}
		}
	}
}

// A context that ends undoes the transaction too, and that is not the work's
// doing.
func TestContextEndsTheTransaction(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := newScript().open(t, PostgreSQL).Guard(ctx, "s", 6, func(tx *sql.Tx) error {
		cancel()
		for {
			if _, err := tx.Exec("insert row"); err != nil {
				return err
			}
		}
	})
	if !errors.Is(err, sql.ErrTxDone) || errors.Is(err, ErrEnded) {
		t.Error(err)
	}
}

// With the check the savepoint is set after the token is compared and recorded
// and released right before the commit; without it neither is said.
func TestTransactionCheck(t *testing.T) {
	for _, dialect := range []Dialect{PostgreSQL, MySQL} {
		for _, check := range []bool{true, false} {
			s, options := newScript(), []Option(nil)
			want := []string{"begin", "SELECT token,", "UPDATE lkactor_fence", "insert row", "commit"}
			if check {
				options = append(options, WithTransactionCheck())
				want = []string{"begin", "SELECT token,", "UPDATE lkactor_fence", "SAVEPOINT lkactor_guard",
					"insert row", "RELEASE SAVEPOINT", "commit"}
			}
			if err := s.open(t, dialect, options...).Guard(t.Context(), "s", 6, insert); err != nil || !slices.Equal(s.steps(), want) {
				t.Errorf("%v: %v %q", dialect, err, s.steps())
			}
		}
	}
}

// What an error of the two statements means: only that there is no savepoint
// means that the transaction is another one.
func TestTransactionCheckFails(t *testing.T) {
	gone := errors.New("unexpected EOF")
	const set, release = "exec 2", "exec 4" // after the token, around the work
	for _, c := range []struct {
		name    string
		dialect Dialect
		errs    map[string]error
		want    error
	}{
		{"no savepoint", PostgreSQL, map[string]error{release: stateError("3B001")}, ErrEnded},
		{"no transaction", PostgreSQL, map[string]error{release: stateError("25P01")}, ErrEnded},
		{"an error kept to itself", PostgreSQL, map[string]error{release: stateError("25P02")}, nil},
		{"lost at the release", PostgreSQL, map[string]error{release: gone, "rollback": gone}, ErrLost},
		{"lost at the setting", PostgreSQL, map[string]error{set: gone, "rollback": gone}, ErrLost},
		{"no savepoint", MySQL, map[string]error{release: &numberError{1305, "SAVEPOINT does not exist"}}, ErrEnded},
		{"shutdown", MySQL, map[string]error{release: &numberError{1053, "shutdown"}, "rollback": gone}, ErrLost},
	} {
		s := newScript()
		s.errs = c.errs
		err := s.open(t, c.dialect, WithTransactionCheck()).Guard(t.Context(), "s", 6, insert)
		if err == nil || slices.Contains(s.steps(), "commit") {
			t.Errorf("%v, %s: %v %q", c.dialect, c.name, err, s.steps())
		}
		for _, kind := range []error{ErrEnded, ErrLost} {
			if errors.Is(err, kind) != (kind == c.want) {
				t.Errorf("%v, %s: %v", c.dialect, c.name, err)
			}
		}
		if errors.Is(err, fence.ErrAmbiguous) != (c.want == ErrEnded) {
			t.Errorf("%v, %s: %v", c.dialect, c.name, err)
		}
	}
	for code, ended := range map[codeError]bool{1: true, 5: false, 517: false, 1034: false} {
		s := newScript()
		s.errs["exec 5"] = code // SQLite claims first
		if err := s.open(t, SQLite).Guard(t.Context(), "s", 6, insert); err == nil || errors.Is(err, ErrEnded) != ended {
			t.Errorf("SQLite, code %d: %v", code, err)
		}
	}
}

// The errors of SQLite's drivers, each in its own shape.
type (
	fieldError struct { // the library in C
		Code         shortCode
		ExtendedCode longCode
	}
	methodError       struct{ code int } // the library in WebAssembly
	otherError        struct{ Code int } // of somebody else
	otherMethod       struct{}
	ErrorCode         uint8
	ExtendedErrorCode uint16
	otherNumber       uint16
	shortCode         int
	longCode          uint16
)

func (fieldError) Error() string              { return "field" }
func (*methodError) Error() string            { return "method" }
func (e *methodError) Code() uint8            { return uint8(e.code) }
func (e *methodError) ExtendedCode() longCode { return longCode(e.code) }
func (otherError) Error() string              { return "other" }
func (otherMethod) Error() string             { return "other" }
func (otherMethod) Code() uint32              { return 5 }

func (ErrorCode) Error() string         { return "code" }
func (ExtendedErrorCode) Error() string { return "code" }
func (otherNumber) Error() string       { return "number" }

func TestSQLiteDrivers(t *testing.T) {
	for _, c := range []struct {
		err  error
		want verdict
	}{
		{codeError(5), gaveWay},
		{codeError(517), gaveWay},
		{fieldError{Code: 5, ExtendedCode: 517}, gaveWay},
		{&fieldError{Code: 6}, gaveWay},
		{fmt.Errorf("work: %w", fieldError{Code: 19}), refused},
		{fieldError{Code: 10}, unclear},
		{&methodError{5}, gaveWay},
		{errors.Join(errors.New("x"), &methodError{6}), gaveWay},
		{&methodError{10}, unclear},
		{&methodError{1}, refused},
		{ErrorCode(5), gaveWay},
		{fmt.Errorf("begin: %w", ExtendedErrorCode(517)), gaveWay},
		{ErrorCode(19), refused},
		{otherNumber(5), unclear},
		{otherError{5}, unclear},
		{otherMethod{}, unclear},
		{errors.New("database is locked"), unclear},
		{nil, unclear},
	} {
		if got := SQLite.judge(c.err); got != c.want {
			t.Errorf("%T %v: %d, want %d", c.err, c.err, got, c.want)
		}
	}
}

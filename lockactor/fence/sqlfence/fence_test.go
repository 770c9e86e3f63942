package sqlfence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// insert is what the guarded work of these tests does.
func insert(tx *sql.Tx) error {
	_, err := tx.Exec("insert row", "by work")
	return err
}

// The order of what is said is what makes the fence hold: the lock before the
// work, both in one transaction.
func TestP2_LockComesFirst(t *testing.T) {
	for _, c := range []struct {
		name    string
		dialect Dialect
		has     int64 // token of the scope
		token   lease.Token
		want    []string
	}{
		{"the same owner", PostgreSQL, 5, 5, []string{"begin", "SELECT token,", "insert row", "commit"}},
		{"the next owner", PostgreSQL, 5, 6, []string{"begin", "SELECT token,", "UPDATE lkactor_fence", "insert row", "commit"}},
		{"an earlier owner", PostgreSQL, 5, 4, []string{"begin", "SELECT token,", "rollback"}},
		{"the first owner", PostgreSQL, -1, 1, []string{"begin", "SELECT token,", "rollback", "INSERT INTO",
			"begin", "SELECT token,", "UPDATE lkactor_fence", "insert row", "commit"}},
		{"MySQL", MySQL, 5, 6, []string{"begin", "SELECT token,", "UPDATE lkactor_fence", "insert row", "commit"}},
		{"SQLite locks all", SQLite, 5, 5, []string{"begin", "UPDATE lkactor_fence", "SELECT token,",
			"SAVEPOINT lkactor_guard", "insert row", "RELEASE SAVEPOINT", "commit"}},
	} {
		s := newScript()
		s.token = c.has
		err := s.open(t, c.dialect).Guard(t.Context(), "s", c.token, insert)
		if stale := int64(c.token) < c.has; errors.Is(err, fence.ErrStale) != stale || err != nil && !stale {
			t.Errorf("%s: %v", c.name, err)
		}
		if !slices.Equal(s.steps(), c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, s.steps(), c.want)
		}
	}
}

// Where a transaction keeps to a snapshot the row is written though its token
// stays.
func TestP2_RowIsWrittenForSnapshots(t *testing.T) {
	s := newScript()
	s.touch = true
	want := []string{"begin", "SELECT token,", "UPDATE lkactor_fence", "insert row", "commit"}
	if err := s.open(t, PostgreSQL).Guard(t.Context(), "s", 5, insert); err != nil || !slices.Equal(s.steps(), want) {
		t.Errorf("%v %q", err, s.steps())
	}
	if err := s.open(t, PostgreSQL).Guard(t.Context(), "s", 4, insert); !errors.Is(err, fence.ErrStale) {
		t.Errorf("%v", err)
	}
}

// A lock that only a word in the statement takes is easily lost in an edit.
func TestP2_LockingReadsLock(t *testing.T) {
	if s := dialects[PostgreSQL].lock; !strings.HasSuffix(s, "FOR NO KEY UPDATE") {
		t.Error(s)
	}
	if s := dialects[MySQL].lock; !strings.HasSuffix(s, "FOR UPDATE") {
		t.Error(s)
	}
	if s := dialects[SQLite].claim; !strings.HasPrefix(s, "UPDATE ") {
		t.Error(s)
	}
}

func TestF1_StaleErrorTells(t *testing.T) {
	s := newScript()
	err := s.open(t, PostgreSQL).Guard(t.Context(), "exports/daily", 4, insert)
	var stale *fence.StaleError
	if want := (fence.StaleError{Scope: "exports/daily", Refused: 4, Accepted: 5}); !errors.As(err, &stale) || *stale != want {
		t.Errorf("%v", err)
	}
}

// What an error at each step means, in the words of each driver.
func TestErrorsAreWhatTheyAre(t *testing.T) {
	gone := errors.New("unexpected EOF")
	for _, c := range []struct {
		name    string
		dialect Dialect
		errs    map[string]error
		want    error // besides the error of the step itself
	}{
		{"begin fails", PostgreSQL, map[string]error{"begin": gone}, nil},
		{"serialisation failure at the lock", PostgreSQL, map[string]error{"query 1": stateError("40001")}, fence.ErrConflict},
		{"deadlock in the work", PostgreSQL, map[string]error{"exec 2": stateError("40P01")}, fence.ErrConflict},
		{"lock timeout while raising", PostgreSQL, map[string]error{"exec 1": stateError("55P03")}, fence.ErrConflict},
		{"constraint in the work", PostgreSQL, map[string]error{"exec 2": stateError("23505")}, nil},
		{"the end of a file in the work", PostgreSQL, map[string]error{"exec 2": gone}, nil},
		{"connection lost in the work", PostgreSQL, map[string]error{"exec 2": gone, "rollback": gone}, ErrLost},
		{"connection lost at the lock", MySQL, map[string]error{"query 1": gone, "rollback": gone}, ErrLost},
		{"serialisation failure at the commit", PostgreSQL, map[string]error{"commit": stateError("40001")}, fence.ErrConflict},
		{"constraint at the commit", PostgreSQL, map[string]error{"commit": stateError("23503")}, nil},
		{"shutdown at the commit", PostgreSQL, map[string]error{"commit": stateError("57P01")}, fence.ErrAmbiguous},
		{"connection exception at the commit", PostgreSQL, map[string]error{"commit": stateError("08006")}, fence.ErrAmbiguous},
		{"completion unknown", PostgreSQL, map[string]error{"commit": stateError("40003")}, fence.ErrAmbiguous},
		{"connection lost at the commit", PostgreSQL, map[string]error{"commit": gone}, fence.ErrAmbiguous},
		{"context ended at the commit", PostgreSQL, map[string]error{"commit": context.DeadlineExceeded}, fence.ErrAmbiguous},
		{"deadlock", MySQL, map[string]error{"exec 2": &numberError{1213, "Deadlock"}}, fence.ErrConflict},
		{"wrapped deadlock", MySQL, map[string]error{"exec 2": fmt.Errorf("work: %w", errors.Join(gone, &numberError{1213, "Deadlock"}))}, fence.ErrConflict},
		{"lock wait timeout", MySQL, map[string]error{"query 1": &numberError{1205, "Lock wait timeout"}}, fence.ErrConflict},
		{"duplicate", MySQL, map[string]error{"exec 2": &numberError{1062, "Duplicate"}}, nil},
		{"read only at the commit", MySQL, map[string]error{"commit": &numberError{1290, "read only"}}, nil},
		{"killed at the commit", MySQL, map[string]error{"commit": &numberError{1927, "Connection was killed"}}, fence.ErrAmbiguous},
		{"lost at the commit", MySQL, map[string]error{"commit": gone}, fence.ErrAmbiguous},
		{"busy", SQLite, map[string]error{"exec 1": codeError(5)}, fence.ErrConflict},
		{"busy snapshot", SQLite, map[string]error{"exec 3": codeError(517)}, fence.ErrConflict},
		{"busy at the commit", SQLite, map[string]error{"commit": codeError(5)}, fence.ErrConflict},
		{"full at the commit", SQLite, map[string]error{"commit": codeError(13), "rollback": gone}, nil},
		{"I/O error at the commit", SQLite, map[string]error{"commit": codeError(1034)}, fence.ErrAmbiguous},
	} {
		s := newScript()
		s.errs = c.errs
		err := s.open(t, c.dialect).Guard(t.Context(), "s", 6, insert)
		if err == nil {
			t.Errorf("%s: success", c.name)
			continue
		}
		for _, kind := range []error{fence.ErrConflict, fence.ErrAmbiguous, ErrLost, fence.ErrStale} {
			if errors.Is(err, kind) != (kind == c.want) {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if first := slices.Sorted(maps.Keys(c.errs))[0]; !errors.Is(err, c.errs[first]) {
			t.Errorf("%s: the driver's error is not in %v", c.name, err)
		}
		if committed := slices.Contains(s.steps(), "commit"); committed != (c.errs["commit"] != nil) {
			t.Errorf("%s: %q", c.name, s.steps())
		}
	}
}

// The work's own error comes back as it is, and undoes everything.
func TestWorkFails(t *testing.T) {
	s, mine := newScript(), errors.New("mine")
	err := s.open(t, PostgreSQL).Guard(t.Context(), "s", 6, func(*sql.Tx) error { return mine })
	if !errors.Is(err, mine) || !slices.Contains(s.steps(), "rollback") || slices.Contains(s.steps(), "commit") {
		t.Errorf("%v %q", err, s.steps())
	}
}

func TestWorkPanics(t *testing.T) {
	s := newScript()
	store := s.open(t, PostgreSQL)
	func() {
		defer func() {
			if recover() != "mine" {
				t.Error("the panic did not get through")
			}
		}()
		_ = store.Guard(t.Context(), "s", 6, func(*sql.Tx) error { panic("mine") })
	}()
	if !slices.Contains(s.steps(), "rollback") || slices.Contains(s.steps(), "commit") {
		t.Errorf("%q", s.steps())
	}
}

// A context that ends during the work ends it for certain: no commit is sent.
func TestContextEndsDuringWork(t *testing.T) {
	s := newScript()
	ctx, cancel := context.WithCancel(t.Context())
	err := s.open(t, PostgreSQL).Guard(ctx, "s", 6, func(*sql.Tx) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) || errors.Is(err, fence.ErrAmbiguous) || slices.Contains(s.steps(), "commit") {
		t.Errorf("%v %q", err, s.steps())
	}
}

// A context that ends while a statement runs is named as the cause, also where the
// driver only says that the statement was cancelled, and nothing else is: not the
// connection, which the driver may close for that.
func TestContextEndsDuringAStatement(t *testing.T) {
	cancelled := stateError("57014")
	for name, call := range map[string]func(ctx context.Context, s Store) error{
		"lock":     func(ctx context.Context, s Store) error { return s.Guard(ctx, "s", 6, insert) },
		"accepted": func(ctx context.Context, s Store) error { _, err := s.Accepted(ctx, "s"); return err },
		"row":      func(ctx context.Context, s Store) error { return s.WriteRow(ctx, row) },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		s := newScript()
		s.errs = map[string]error{"query 1": cancelled, "exec 1": cancelled, "rollback": errors.New("closed")}
		s.hook = cancel
		err := call(ctx, s.open(t, PostgreSQL))
		if !errors.Is(err, context.Canceled) || !errors.Is(err, cancelled) {
			t.Errorf("%s: %v", name, err)
		}
		for _, kind := range []error{ErrLost, ErrEnded, fence.ErrAmbiguous, fence.ErrConflict} {
			if errors.Is(err, kind) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := newScript()
	s.errs["commit"] = errors.New("timeout")
	s.atCommit = cancel
	err := s.open(t, PostgreSQL).Guard(ctx, "s", 6, insert)
	if !errors.Is(err, fence.ErrAmbiguous) || !errors.Is(err, context.Canceled) {
		t.Errorf("commit: %v", err)
	}
}

func TestTxOptions(t *testing.T) {
	s := newScript()
	store := s.open(t, PostgreSQL, WithTxOptions(sql.TxOptions{Isolation: sql.LevelSerializable}))
	if err := store.Guard(t.Context(), "s", 6, insert); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.levels, []sql.IsolationLevel{sql.LevelSerializable}) {
		t.Errorf("%v", s.levels)
	}
}

// Scopes, keys, values and tokens travel as parameters, whatever is in them.
func TestNamesAreParameters(t *testing.T) {
	s, evil := newScript(), "'; DROP TABLE lkactor_fence; --"
	if err := s.open(t, PostgreSQL).Write(t.Context(), evil, evil, evil, 6); err != nil {
		t.Fatal(err)
	}
	scope := []byte(evil)
	want := [][]any{{scope}, {int64(6), scope}, {scope, scope, scope}}
	if !reflect.DeepEqual(s.args, want) {
		t.Errorf("%q", s.args)
	}
}

func TestArguments(t *testing.T) {
	store, ctx := newScript().open(t, PostgreSQL), t.Context()
	for i, err := range []error{
		store.Guard(ctx, "", 1, insert),
		store.Guard(ctx, "s", 0, insert),
		store.Write(ctx, "s", "", "v", 1),
		store.WriteRow(ctx, RowWrite{Scope: "s"}),
	} {
		if !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%d: %v", i, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown dialect is taken")
		}
	}()
	New(nil, 9)
}

// A schema that somebody else creates at the same time is created.
func TestCreateSchema(t *testing.T) {
	s := newScript()
	s.errs["exec 1"] = codeError(5)
	if err := s.open(t, SQLite).CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"begin", "CREATE TABLE", "rollback", "begin", "CREATE TABLE", "commit", "begin", "CREATE TABLE", "commit"}
	if !slices.Equal(s.steps(), want) {
		t.Errorf("%q", s.steps())
	}
	s = newScript()
	s.errs["commit"] = errors.New("no")
	if err := s.open(t, PostgreSQL).CreateSchema(t.Context()); !errors.Is(err, s.errs["commit"]) {
		t.Error(err)
	}
}

func TestReading(t *testing.T) {
	s := newScript()
	store, ctx := s.open(t, MySQL), t.Context()
	if token, err := store.Accepted(ctx, "s"); token != 5 || err != nil {
		t.Errorf("%d %v", token, err)
	}
	if _, ok, err := store.Read(ctx, "s", "k"); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
	s.value = []byte("v")
	if value, ok, err := store.Read(ctx, "s", "k"); value != "v" || !ok || err != nil {
		t.Errorf("%q %v %v", value, ok, err)
	}
	s.token = -1
	if token, err := store.Accepted(ctx, "s"); token != 0 || err != nil {
		t.Errorf("%d %v", token, err)
	}
	broken := errors.New("broken")
	s.errs["query 5"], s.errs["query 6"] = broken, broken
	if _, err := store.Accepted(ctx, "s"); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, _, err := store.Read(ctx, "s", "k"); !errors.Is(err, broken) {
		t.Error(err)
	}
}

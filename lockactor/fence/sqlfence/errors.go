package sqlfence

import (
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// ErrLost is matched when the connection to the database was lost before the
// commit was asked for. Nothing is committed.
var ErrLost = errors.New("connection lost before the commit")

// verdict is what a database meant by an error.
type verdict uint8

const (
	unclear verdict = iota // no answer, or none that says what became of it
	refused                // the server answered that it did not do it
	gaveWay                // as refused, in favour of another transaction
)

// failed says what err, met before any commit, means: nothing is committed.
func (f *Fence) failed(what string, err error) error {
	if f.dialect.judge(err) == gaveWay {
		return fmt.Errorf("sqlfence: %s: %w: %w", what, fence.ErrConflict, err)
	}
	return fmt.Errorf("sqlfence: %s: %w", what, err)
}

// abandon undoes tx because of err and says what err means. That the connection
// is gone shows in the undoing: err may be about something else, such as the end
// of a file that the guarded work read.
func (f *Fence) abandon(tx *sql.Tx, what string, err error) error {
	undone := tx.Rollback()
	switch {
	case undone == nil, errors.Is(undone, sql.ErrTxDone): // the latter if ctx has ended
	case f.dialect == SQLite: // has no connection to lose
	default:
		return fmt.Errorf("sqlfence: %s: %w: %w", what, ErrLost, err)
	}
	return f.failed(what, err)
}

// committed says what err, the answer to a commit or to a statement that is its
// own commit, means; nil if it is nil. Whatever came instead of the server's own
// no, the commit may have been done.
func (f *Fence) committed(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case f.dialect.judge(err) == unclear:
		return fmt.Errorf("sqlfence: %s: %w: %w", what, fence.ErrAmbiguous, err)
	}
	return f.failed(what, err)
}

// judge reads an error without knowing its driver's types: by the methods and
// fields that the drivers in use have. An error of any other driver is unclear,
// which errs on the safe side.
func (d Dialect) judge(err error) verdict {
	switch d {
	case PostgreSQL:
		// pgx and pq both have it.
		var e interface{ SQLState() string }
		if errors.As(err, &e) {
			return judgeState(e.SQLState())
		}
	case SQLite:
		var e interface{ Code() int }
		if errors.As(err, &e) {
			return judgeSQLite(e.Code())
		}
	case MySQL:
		if number, ok := mysqlNumber(err); ok {
			return judgeMySQL(number)
		}
	}
	return unclear
}

// judgeState reads an SQLSTATE of PostgreSQL.
func judgeState(state string) verdict {
	switch state {
	case "40001", "40P01", "55P03": // serialisation failure, deadlock, lock not available
		return gaveWay
	case "57P01", "57P02", "57P03", "57P05", // shut down, crashed, starting, idle too long
		"40003": // statement completion unknown
		return unclear
	}
	if strings.HasPrefix(state, "08") { // connection exception
		return unclear
	}
	return refused
}

// judgeSQLite reads a result code; the extended ones have the primary in their
// lowest byte.
func judgeSQLite(code int) verdict {
	switch code & 0xff {
	case 5, 6: // busy, locked
		return gaveWay
	case 10: // an I/O error may come after the commit has reached the disk
		return unclear
	}
	return refused
}

// judgeMySQL reads an error number of MySQL or MariaDB.
func judgeMySQL(number uint64) verdict {
	switch number {
	case 1205, 1213, 1020, 3572: // lock wait timeout, deadlock, changed since read, NOWAIT
		return gaveWay
	case 1053, 1152, 1927, 2006, 2013, 3169, 4031: // shutdown, aborted, killed, gone, idle too long
		return unclear
	}
	return refused
}

// mysqlNumber finds the error number of the usual MySQL driver, which has it in
// a field called Number and in no method.
func mysqlNumber(err error) (number uint64, ok bool) {
	for err != nil {
		v := reflect.Indirect(reflect.ValueOf(err))
		if v.Kind() == reflect.Struct {
			if n := v.FieldByName("Number"); n.IsValid() && n.CanUint() {
				return n.Uint(), true
			}
		}
		switch wrapper := err.(type) {
		case interface{ Unwrap() error }:
			err = wrapper.Unwrap()
		case interface{ Unwrap() []error }:
			for _, e := range wrapper.Unwrap() {
				if number, ok := mysqlNumber(e); ok {
					return number, true
				}
			}
			return 0, false
		default:
			return 0, false
		}
	}
	return 0, false
}

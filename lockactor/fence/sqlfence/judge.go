package sqlfence

import (
	"errors"
	"reflect"
	"strings"
)

// verdict is what a database meant by an error.
type verdict uint8

const (
	unclear verdict = iota // no answer, or none that says what became of it
	refused                // the server answered that it did not do it
	gaveWay                // as refused, in favour of another transaction
)

// judge reads an error without knowing its driver's types: by the methods and
// fields that the drivers in use have. An error of any other driver is unclear,
// which errs on the safe side.
func (d Dialect) judge(err error) verdict {
	switch d {
	case PostgreSQL:
		if state, ok := postgresState(err); ok {
			return judgeState(state)
		}
	case SQLite:
		if code, ok := search(err, sqliteCode); ok {
			return judgeSQLite(code)
		}
	case MySQL:
		if number, ok := search(err, mysqlNumber); ok {
			return judgeMySQL(number)
		}
	}
	return unclear
}

// noSavepoint tells whether err, the answer to the release of a savepoint, says
// that there is none: the transaction that made it is over.
func (d Dialect) noSavepoint(err error) bool {
	switch d {
	case PostgreSQL:
		state, ok := postgresState(err)
		return ok && (state == "3B001" || state == "25P01") // no such savepoint; no transaction
	case SQLite:
		code, ok := search(err, sqliteCode)
		return ok && code&0xff == 1 // a plain error: all others it can give have codes of their own
	case MySQL:
		number, ok := search(err, mysqlNumber)
		return ok && number == 1305 // does not exist
	}
	return false
}

// postgresState finds the SQLSTATE, which pgx and pq give by the same method.
func postgresState(err error) (state string, ok bool) {
	var e interface{ SQLState() string }
	if errors.As(err, &e) {
		return e.SQLState(), true
	}
	return "", false
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
func judgeSQLite(code int64) verdict {
	switch code & 0xff {
	case 5, 6: // busy, locked
		return gaveWay
	case 10: // an I/O error may come after the commit has reached the disk
		return unclear
	}
	return refused
}

// judgeMySQL reads an error number of MySQL or MariaDB.
func judgeMySQL(number int64) verdict {
	switch number {
	case 1205, 1213, 1020, 3572: // lock wait timeout, deadlock, changed since read, NOWAIT
		return gaveWay
	case 1053, 1152, 1927, 2006, 2013, 3169, 4031: // shutdown, aborted, killed, gone, idle too long
		return unclear
	}
	return refused
}

// search looks for a number in an error and in all that it wraps.
func search(err error, read func(error) (int64, bool)) (number int64, ok bool) {
	for err != nil {
		if number, ok := read(err); ok {
			return number, true
		}
		switch wrapper := err.(type) {
		case interface{ Unwrap() error }:
			err = wrapper.Unwrap()
		case interface{ Unwrap() []error }:
			for _, e := range wrapper.Unwrap() {
				if number, ok := search(e, read); ok {
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

// mysqlNumber reads the error number of the usual MySQL driver, which has it in a
// field called Number and in no method.
func mysqlNumber(err error) (number int64, ok bool) {
	if v := reflect.Indirect(reflect.ValueOf(err)); v.Kind() == reflect.Struct {
		return integer(v.FieldByName("Number"))
	}
	return 0, false
}

// sqliteCode reads the result code of a SQLite driver. The one in pure Go has it
// in a method; of the one that links the library in C it is a field, and of the
// one that runs it as WebAssembly a method that gives a type of its own. The
// latter two have an ExtendedCode beside it, by which they are told from errors
// of others that have a code. The last one also gives bare codes.
func sqliteCode(err error) (code int64, ok bool) {
	if e, ok := err.(interface{ Code() int }); ok {
		return int64(e.Code()), true
	}
	v := reflect.ValueOf(err)
	if v.CanUint() && strings.HasSuffix(v.Type().Name(), "ErrorCode") {
		return integer(v)
	}
	if method := v.MethodByName("Code"); method.IsValid() && v.MethodByName("ExtendedCode").IsValid() {
		if t := method.Type(); t.NumIn() == 0 && t.NumOut() == 1 {
			return integer(method.Call(nil)[0])
		}
		return 0, false
	}
	if v = reflect.Indirect(v); v.Kind() == reflect.Struct && v.FieldByName("ExtendedCode").IsValid() {
		return integer(v.FieldByName("Code"))
	}
	return 0, false
}

// integer reads a value of any integer type.
func integer(v reflect.Value) (n int64, ok bool) {
	switch {
	case !v.IsValid():
		return 0, false
	case v.CanInt():
		return v.Int(), true
	case v.CanUint():
		return int64(v.Uint()), true
	}
	return 0, false
}

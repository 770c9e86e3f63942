package sqlfence

// Dialect is a kind of database.
type Dialect uint8

// The dialects. Names and values are kept as bytes in all of them: no collation
// folds two names into one, and none is refused for the characters in it (O10).
const (
	// PostgreSQL 9.5 and later.
	PostgreSQL Dialect = iota + 1
	// SQLite 3.35 and later. Open the database in WAL mode and with a busy
	// timeout.
	SQLite
	// MySQL 5.7 and later, and MariaDB; the tables are InnoDB's. Connections must
	// commit by themselves (autocommit) and not read uncommitted data by default.
	MySQL
)

// String names the dialect.
func (d Dialect) String() string {
	if d < PostgreSQL || d > MySQL {
		return "unknown dialect"
	}
	return [...]string{PostgreSQL: "PostgreSQL", SQLite: "SQLite", MySQL: "MySQL"}[d]
}

// statements are all that the package ever says to a database.
type statements struct {
	// fence and value create the two tables, unless they are there.
	fence, value []string

	// claim is said first in a transaction where locks are not on rows: it takes
	// the one lock there is. Empty where rows have locks.
	claim string
	// lock gives the token of (scope), keeps the row for this transaction, and tells
	// whether the row must be written even if the token stays: where a transaction
	// sees what was there when it began, one that has waited for the row goes on with
	// what was there before its predecessor's work, unless the row itself has changed.
	// Then it gives way.
	lock string
	// raise sets the token of (scope, token), in the order (token, scope).
	raise string
	// introduce makes the row of (scope), with token 0, unless it is there.
	introduce string
	// accepted gives the token of (scope).
	accepted string

	// put stores (scope, name, value); get gives the value of (scope, name).
	put, get string
}

// A savepoint lasts as long as the transaction in which it was made, in each of the
// dialects, so releasing it tells whether that is still the one we are in.
const (
	setSavepoint     = `SAVEPOINT lkactor_guard`
	releaseSavepoint = `RELEASE SAVEPOINT lkactor_guard`
)

// creating is the lock under which PostgreSQL creates the tables: there "if not
// exists" is no protection from somebody who creates the same at once.
const creating = `SELECT pg_advisory_xact_lock(7811887370228231493)`

var dialects = [...]statements{
	PostgreSQL: {
		fence: []string{creating, `CREATE TABLE IF NOT EXISTS lkactor_fence (
			scope bytea PRIMARY KEY,
			token bigint NOT NULL CHECK (token >= 0))`},
		value: []string{creating, `CREATE TABLE IF NOT EXISTS lkactor_value (
			scope bytea NOT NULL,
			name bytea NOT NULL,
			value bytea NOT NULL,
			PRIMARY KEY (scope, name))`},
		// NO KEY: rows of the caller's that refer to a scope stay insertable. The
		// isolation level is asked of the server, which may have a default of its own.
		lock: `SELECT token, current_setting('transaction_isolation') IN ('repeatable read', 'serializable')
			FROM lkactor_fence WHERE scope = $1 FOR NO KEY UPDATE`,
		raise:     `UPDATE lkactor_fence SET token = $1 WHERE scope = $2`,
		introduce: `INSERT INTO lkactor_fence (scope, token) VALUES ($1, 0) ON CONFLICT (scope) DO NOTHING`,
		accepted:  `SELECT token FROM lkactor_fence WHERE scope = $1`,
		put: `INSERT INTO lkactor_value (scope, name, value) VALUES ($1, $2, $3)
			ON CONFLICT (scope, name) DO UPDATE SET value = excluded.value`,
		get: `SELECT value FROM lkactor_value WHERE scope = $1 AND name = $2`,
	},
	SQLite: {
		fence: []string{`CREATE TABLE IF NOT EXISTS lkactor_fence (
			scope BLOB NOT NULL PRIMARY KEY,
			token INTEGER NOT NULL CHECK (token >= 0)) WITHOUT ROWID`},
		value: []string{`CREATE TABLE IF NOT EXISTS lkactor_value (
			scope BLOB NOT NULL,
			name BLOB NOT NULL,
			value BLOB NOT NULL,
			PRIMARY KEY (scope, name))`},
		// A statement that may write takes the lock, whether it changes a row or
		// not, and waits for it. Were the first statement a mere SELECT, two
		// transactions could both read the token; then only one of them could write,
		// and the other would have to begin again.
		claim:     `UPDATE lkactor_fence SET token = token WHERE 0`,
		lock:      `SELECT token, 0 FROM lkactor_fence WHERE scope = ?`,
		raise:     `UPDATE lkactor_fence SET token = ? WHERE scope = ?`,
		introduce: `INSERT INTO lkactor_fence (scope, token) VALUES (?, 0) ON CONFLICT (scope) DO NOTHING`,
		accepted:  `SELECT token FROM lkactor_fence WHERE scope = ?`,
		put: `INSERT INTO lkactor_value (scope, name, value) VALUES (?, ?, ?)
			ON CONFLICT (scope, name) DO UPDATE SET value = excluded.value`,
		get: `SELECT value FROM lkactor_value WHERE scope = ? AND name = ?`,
	},
	MySQL: {
		fence: []string{`CREATE TABLE IF NOT EXISTS lkactor_fence (
			scope VARBINARY(1024) NOT NULL PRIMARY KEY,
			token BIGINT NOT NULL) ENGINE = InnoDB ROW_FORMAT = DYNAMIC`},
		value: []string{`CREATE TABLE IF NOT EXISTS lkactor_value (
			scope VARBINARY(1024) NOT NULL,
			name VARBINARY(1024) NOT NULL,
			value LONGBLOB NOT NULL,
			PRIMARY KEY (scope, name)) ENGINE = InnoDB ROW_FORMAT = DYNAMIC`},
		// FOR UPDATE reads the row as it is now, also where other reads of the
		// transaction would see an older snapshot; and no snapshot is taken before the
		// first of those.
		lock:      `SELECT token, 0 FROM lkactor_fence WHERE scope = ? FOR UPDATE`,
		raise:     `UPDATE lkactor_fence SET token = ? WHERE scope = ?`,
		introduce: `INSERT INTO lkactor_fence (scope, token) VALUES (?, 0) ON DUPLICATE KEY UPDATE token = token`,
		accepted:  `SELECT token FROM lkactor_fence WHERE scope = ?`,
		put: `INSERT INTO lkactor_value (scope, name, value) VALUES (?, ?, ?)
			ON DUPLICATE KEY UPDATE value = VALUES(value)`,
		get: `SELECT value FROM lkactor_value WHERE scope = ? AND name = ?`,
	},
}

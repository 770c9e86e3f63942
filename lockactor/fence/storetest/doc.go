// Package storetest tries the stores of package fence on real databases:
// PostgreSQL, MariaDB, SQLite and etcd.
//
// It is a module of its own, so that the drivers and clients it needs are in
// nobody's module graph but its own. It exports nothing; see etcdcas for a
// Conditional on etcd that can be used, and servers for how the databases are
// started. Debian's packages postgresql, mariadb-server-core and etcd-server must
// be installed. A missing server is a failure, never a test that is skipped.
//
//	cd lockactor/fence/storetest
//	go test ./...
//	go test -run '^$' -bench . .
package storetest

package servers

import (
	"context"
	"database/sql"
	"path/filepath"
	"strconv"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// Postgres starts a PostgreSQL that makes its commits durable. Connect with
// [PostgresDSN].
func Postgres() (*Server, error) {
	r := recipe{
		name: "postgres", packages: "postgresql", binary: "postgres",
		places: []string{"/usr/lib/postgresql/*/bin"},
	}
	r.prepare = func(s *setup) error {
		initdb, err := r.find("initdb")
		if err != nil {
			return err
		}
		return s.output(initdb, "-D", filepath.Join(s.dir, "data"), "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8")
	}
	r.command = func(s *setup) []string {
		return []string{"-D", filepath.Join(s.dir, "data"), "-p", strconv.Itoa(s.port),
			"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
			"-c", "shared_buffers=64MB", "-c", "max_connections=200", "-c", "autovacuum_max_workers=1",
			"-c", "max_wal_size=256MB"}
	}
	r.ready = func(addr string) (ping, error) { return pingSQL("pgx", PostgresDSN(addr)) }
	return r.start()
}

// PostgresDSN is how to connect to the PostgreSQL at addr, with the driver pgx.
func PostgresDSN(addr string) string {
	return "postgres://postgres@" + addr + "/postgres?sslmode=disable"
}

// MariaDB starts a MariaDB that makes its commits durable. Connect with
// [MariaDSN].
func MariaDB() (*Server, error) {
	r := recipe{
		name: "mariadb", packages: "mariadb-server-core", binary: "mariadbd",
		places: []string{"/usr/sbin"},
	}
	r.prepare = func(s *setup) error {
		install, err := r.find("mariadb-install-db")
		if err != nil {
			return err
		}
		return s.output(install, "--no-defaults", "--datadir="+filepath.Join(s.dir, "data"),
			"--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-log-file-size=16M")
	}
	r.command = func(s *setup) []string {
		return []string{"--no-defaults", "--datadir=" + filepath.Join(s.dir, "data"),
			"--bind-address=127.0.0.1", "--port=" + strconv.Itoa(s.port), "--socket=" + filepath.Join(s.dir, "socket"),
			"--pid-file=" + filepath.Join(s.dir, "pid"), "--innodb-buffer-pool-size=64M", "--innodb-log-file-size=16M",
			"--max-connections=200", "--performance-schema=OFF"}
	}
	r.ready = func(addr string) (ping, error) { return pingSQL("mysql", MariaDSN(addr, "")) }
	return r.start()
}

// MariaDSN is how to connect to a database of the MariaDB at addr, with the
// driver mysql.
func MariaDSN(addr, database string) string {
	return "root@tcp(" + addr + ")/" + database + "?clientFoundRows=true"
}

// Etcd starts an etcd of one member. Connect to its Addr.
func Etcd() (*Server, error) {
	r := recipe{name: "etcd", packages: "etcd-server", binary: "etcd"}
	r.command = func(s *setup) []string {
		client, peer := "http://127.0.0.1:"+strconv.Itoa(s.port), "http://127.0.0.1:"+strconv.Itoa(s.spare)
		return []string{"--data-dir", filepath.Join(s.dir, "data"), "--name", "one",
			"--listen-client-urls", client, "--advertise-client-urls", client,
			"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
			"--initial-cluster", "one=" + peer}
	}
	r.ready = func(addr string) (ping, error) {
		client, err := EtcdClient(addr)
		if err != nil {
			return ping{}, err
		}
		ask := func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			_, err := client.Get(ctx, "ping")
			return err
		}
		return ping{ask, client.Close}, nil
	}
	return r.start()
}

// EtcdClient connects to the etcd at addr.
func EtcdClient(addr string) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{
		Endpoints:   []string{"http://" + addr},
		DialTimeout: patience,
		Logger:      zap.NewNop(),
	})
}

func pingSQL(driver, dsn string) (ping, error) {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return ping{}, err
	}
	return ping{db.PingContext, db.Close}, nil
}

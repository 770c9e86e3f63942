package server

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// MaxClients is how many clients a server must be able to serve at once.
const MaxClients = 300

// Etcd starts a cluster of one member with the settings it comes with: each write
// is on disk before it is answered.
func Etcd(parent string) (*Server, error) {
	return setup{
		name: "etcd", stop: syscall.SIGTERM, version: []string{"--version"},
		args: func(dir string, port int) []string {
			client := fmt.Sprintf("http://%s:%d", loopback, port)
			nobody := "http://" + loopback + ":0" // for other members, of which there are none
			return []string{"--name=one", "--data-dir=" + filepath.Join(dir, "data"), "--log-level=error", "--logger=zap",
				"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
				"--listen-peer-urls=" + nobody, "--initial-advertise-peer-urls=" + nobody, "--initial-cluster=one=" + nobody}
		},
		ready: func(address string) error {
			answer, err := http.Get("http://" + address + "/health")
			if err != nil {
				return err
			}
			defer answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				return fmt.Errorf("health: %s", answer.Status)
			}
			return nil
		},
	}.start(parent)
}

// Redis starts a server that keeps its data in memory and, if durable, has each
// write on disk before it is answered: all that arrive while it is busy with one
// sync share the next.
func Redis(parent string, durable bool) (*Server, error) {
	return setup{
		name: "redis-server", stop: syscall.SIGTERM, version: []string{"--version"},
		args: func(dir string, port int) []string {
			args := []string{"--bind", loopback, "--port", strconv.Itoa(port), "--dir", dir, "--save", "",
				"--maxclients", "1000", "--loglevel", "warning"}
			if durable {
				args = append(args, "--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0")
			}
			return args
		},
		ready: pingRedis,
	}.start(parent)
}

func pingRedis(address string) error {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		return err
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err == nil && !strings.HasPrefix(answer, "+PONG") {
		err = fmt.Errorf("ping: %q", answer)
	}
	return err
}

// Postgres starts a server with the settings it comes with, but for the number of
// connections. Its user is "postgres", without a password.
func Postgres(parent string) (*Server, error) {
	return setup{
		name: "postgres", user: "postgres", stop: syscall.SIGINT, version: []string{"--version"},
		prepare: func(b binary, dir string) error {
			initdb, err := b.sibling("initdb")
			if err != nil {
				return err
			}
			return initdb.run(dir, "--pgdata="+filepath.Join(dir, "data"), "--username=postgres", "--auth=trust",
				"--encoding=UTF8", "--locale=C", "--no-sync")
		},
		args: func(dir string, port int) []string {
			return []string{"-D", filepath.Join(dir, "data"), "-h", loopback, "-p", strconv.Itoa(port), "-k", dir,
				"-c", "max_connections=" + strconv.Itoa(MaxClients)}
		},
		ready: func(address string) error {
			path, err := find("pg_isready")
			if err != nil {
				return err
			}
			host, port, err := net.SplitHostPort(address)
			if err != nil {
				return err
			}
			return binary{path: path}.run(os.TempDir(), "-h", host, "-p", port)
		},
	}.start(parent)
}

// MariaDB starts a server with the settings it comes with, but for the number of
// connections. Its user is "root", without a password.
func MariaDB(parent string) (*Server, error) {
	return setup{
		name: "mariadbd", user: "mysql", stop: syscall.SIGTERM, version: []string{"--version"},
		prepare: func(b binary, dir string) error {
			install, err := b.sibling("mariadb-install-db")
			if err != nil {
				return err
			}
			return install.run(dir, "--no-defaults", "--datadir="+filepath.Join(dir, "data"),
				"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve")
		},
		args: func(dir string, port int) []string {
			return []string{"--no-defaults", "--datadir=" + filepath.Join(dir, "data"), "--bind-address=" + loopback,
				"--port=" + strconv.Itoa(port), "--socket=" + filepath.Join(dir, "socket"),
				"--pid-file=" + filepath.Join(dir, "pid"), "--max-connections=" + strconv.Itoa(MaxClients), "--skip-name-resolve"}
		},
		ready: func(address string) error {
			conn, err := net.DialTimeout("tcp", address, time.Second)
			if err != nil {
				return err
			}
			return conn.Close()
		},
	}.start(parent)
}

// Sync measures how long it takes to have a page of four kilobytes on disk in the
// directory: the floor of whoever is durable there.
func Sync(dir string) (each []time.Duration, err error) {
	file, err := os.CreateTemp(dir, "sync-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	page := make([]byte, 4<<10)
	for range 101 {
		start := time.Now()
		if _, err := file.Write(page); err != nil {
			return nil, err
		}
		if err := file.Sync(); err != nil {
			return nil, err
		}
		each = append(each, time.Since(start))
	}
	return each, nil
}

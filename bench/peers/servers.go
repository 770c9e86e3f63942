package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/leasekeeper/lkactor/bench/peers/internal/result"
	"github.com/leasekeeper/lkactor/bench/peers/internal/server"
)

// servers is everything that was started.
type servers struct {
	dir string
	all []*server.Server

	etcd, redis, redisDurable, postgres, mariadb *server.Server
}

// startServers starts one after the other, with their data in a new directory
// below dir. If one cannot be started, the others are stopped.
func startServers(dir string) (*servers, error) {
	dir, err := os.MkdirTemp(dir, "lkactor-peers-")
	if err != nil {
		return nil, err
	}
	s := &servers{dir: dir}
	// Some servers run as users of their own, who must be able to get there.
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	for _, kind := range []struct {
		into  **server.Server
		start func(dir string) (*server.Server, error)
	}{
		{&s.etcd, server.Etcd},
		{&s.redis, func(dir string) (*server.Server, error) { return server.Redis(dir, false) }},
		{&s.redisDurable, func(dir string) (*server.Server, error) { return server.Redis(dir, true) }},
		{&s.postgres, server.Postgres},
		{&s.mariadb, server.MariaDB},
	} {
		started, err := kind.start(dir)
		if err != nil {
			return nil, errors.Join(err, s.stop())
		}
		*kind.into = started
		s.all = append(s.all, started)
	}
	return s, nil
}

// stop stops all that run and removes their data.
func (s *servers) stop() (err error) {
	for _, one := range slices.Backward(s.all) {
		err = errors.Join(err, one.Stop())
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

func (s *servers) versions() []string {
	return []string{
		"etcd " + s.etcd.Version, "Redis " + s.redis.Version,
		"PostgreSQL " + s.postgres.Version, "MariaDB " + s.mariadb.Version,
	}
}

// sync gives how many microseconds it takes to have something on disk where the
// servers have their data.
func (s *servers) sync() (float64, error) {
	each, err := server.Sync(s.dir)
	if err != nil {
		return 0, fmt.Errorf("sync: %w", err)
	}
	us := make([]float64, len(each))
	for i, d := range each {
		us[i] = float64(d) / float64(time.Microsecond)
	}
	return result.Median(us), nil
}

// cpu is how long the servers have been on a core so far.
func (s *servers) cpu() (sum time.Duration) {
	for _, one := range s.all {
		sum += one.CPU()
	}
	return sum
}

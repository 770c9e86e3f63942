package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/bench/internal/level"
	"github.com/leasekeeper/lkactor/bench/internal/rounds"
	"github.com/leasekeeper/lkactor/bench/peers/internal/cycle"
	"github.com/leasekeeper/lkactor/bench/peers/internal/peer"
	"github.com/leasekeeper/lkactor/bench/peers/internal/result"
	"github.com/leasekeeper/lkactor/bench/peers/internal/ring"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

// plan is how much is measured.
type plan struct {
	length time.Duration // of a round of cycles
	rounds int
	rings  int
}

// cases are how many clients use how many locks. The last is the contended one.
var cases = []cycle.Case{{Clients: 1, Locks: 1}, {Clients: 8, Locks: 8}, {Clients: 64, Locks: 64}, {Clients: 256, Locks: 256}, {Clients: 64, Locks: 8}}

// mostClients is the largest number of clients in cases.
const mostClients = 256

// contender is a system with what is to be said of it.
type contender struct {
	result.System
	open func() (peer.System, error)
}

// contenders gives all systems, those without a server first. The journal of the engine
// that keeps one is beside the servers' data.
func contenders(s *servers) []contender {
	engine := func(d actors.Dispatch) func() (peer.System, error) {
		return func() (peer.System, error) { return peer.NewEngine(actors.WithDispatch(d)) }
	}
	return []contender{
		{
			result.System{Name: "engine, own goroutine", Guarantees: result.Engine, About: "in process, one Do after the other; " +
				"a goroutine for each lock in use; no journal. Do answers at once, so who hands a lock on inspects who has it " +
				"now and wakes that one"},
			engine(actors.OwnGoroutine),
		},
		{
			result.System{Name: "engine, inline", Guarantees: result.Engine, About: "the same with everything on the sequencer's turn"},
			engine(actors.Inline),
		},
		{
			result.System{Name: "engine with a journal", Guarantees: result.EngineDurable, About: "the same, inline, with every " +
				"operation on disk before its answer"},
			func() (peer.System, error) {
				return peer.NewDurable(filepath.Join(s.dir, "journal"), actors.WithDispatch(actors.Inline))
			},
		},
		{
			result.System{Name: "sharded mutexes", Guarantees: result.Shards, About: "in process, a map and a mutex for each of " +
				"64 parts of the names, a queue of channels for each lock that is taken"},
			func() (peer.System, error) { return peer.NewShards(), nil },
		},
		{
			result.System{Name: "etcd", Guarantees: result.Etcd, About: "client/v3 concurrency.Mutex, a session for each client, " +
				"one connection for all; a cluster of one member with its own settings"},
			func() (peer.System, error) { return peer.NewEtcd(s.etcd.Address) },
		},
		{
			result.System{Name: "Redis, redislock", Guarantees: result.Redis, About: "bsm/redislock on go-redis, a connection for " +
				"each client, retry after 1 ms; nothing on disk"},
			func() (peer.System, error) { return peer.NewRedislock(s.redis.Address, mostClients), nil },
		},
		{
			result.System{Name: "Redis, appendfsync always", Guarantees: result.RedisDurable, About: "rueidis, SET NX PX and a script " +
				"that deletes, all clients pipelined on one connection, retry after 1 ms; each write on disk before its answer"},
			func() (peer.System, error) { return peer.NewRueidis(s.redisDurable.Address) },
		},
		{
			result.System{Name: "PostgreSQL advisory", Guarantees: result.Postgres, About: "pgx, pg_advisory_lock and " +
				"pg_advisory_unlock outside of transactions, a connection for each client"},
			func() (peer.System, error) { return peer.NewPostgres(s.postgres.Address), nil },
		},
	}
}

// cycles measures all cases on all systems, which take turns.
func (p plan) cycles(ctx context.Context, s *servers, r *result.Result) (err error) {
	r.Cases = cases
	all := contenders(s)
	systems := make([]peer.System, len(all))
	for i, c := range all {
		if systems[i], err = c.open(); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		defer func() { err = errors.Join(err, systems[i].Close()) }()
	}
	for _, c := range cases {
		if err := p.oneCase(ctx, c, all, systems); err != nil {
			return err
		}
	}
	for _, c := range all {
		r.Systems = append(r.Systems, c.System)
	}
	return nil
}

// oneCase measures one case on all systems and adds its rounds to each.
func (p plan) oneCase(ctx context.Context, c cycle.Case, all []contender, systems []peer.System) (err error) {
	progress("cycles: %d clients, %d locks", c.Clients, c.Locks)
	stands := make([]*cycle.Stand, len(systems))
	for i, system := range systems {
		if stands[i], err = c.Open(ctx, system); err != nil {
			return fmt.Errorf("%s: %w", all[i].Name, err)
		}
		defer func() { err = errors.Join(err, stands[i].Close()) }()
		if _, err := stands[i].Run(ctx, p.length/5); err != nil { // to warm up
			return fmt.Errorf("%s: %w", all[i].Name, err)
		}
		all[i].Rounds = append(all[i].Rounds, nil)
	}
	for n := range p.rounds {
		for k := range stands {
			i := (n + k) % len(stands)
			round, err := stands[i].Run(ctx, p.length)
			if err != nil {
				return fmt.Errorf("%s: %w", all[i].Name, err)
			}
			last := len(all[i].Rounds) - 1
			all[i].Rounds[last] = append(all[i].Rounds[last], round)
		}
	}
	return nil
}

// ringSizes are how many clients there are in a deadlock.
var ringSizes = []int{2, 8, 64}

// deadlocks measures how long they last: in the engine, and on the servers that
// look for them.
func (p plan) deadlocks(ctx context.Context, s *servers, r *result.Result) error {
	for _, l := range level.Named("own", "inline") {
		name := map[string]string{"own": "engine, own goroutine", "inline": "engine, inline"}[l.Name]
		progress("deadlocks: %s", name)
		d := result.Deadlock{Name: name, About: "looks when a request is queued"}
		for _, size := range ringSizes {
			us, err := p.engineRings(l, size)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			d.Rings = append(d.Rings, result.Ring{Clients: size, Us: us})
		}
		r.Deadlocks = append(r.Deadlocks, d)
	}
	for _, kind := range serverRings(s) {
		progress("deadlocks: %s", kind.name)
		d, err := kind.measure(ctx, p.rings)
		if err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
		r.Deadlocks = append(r.Deadlocks, d)
	}
	return nil
}

// engineRingsEach is how many times as many rings the engine gets as a server.
const engineRingsEach = 40

func (p plan) engineRings(l level.Level, size int) ([]float64, error) {
	service := l.Open()
	defer service.Close()
	took, err := rounds.Break(service, workloads.NewRing(size), engineRingsEach*p.rings)
	us := make([]float64, len(took))
	for i, ns := range took {
		us[i] = float64(ns) / 1e3
	}
	return us, err
}

// ringKind is a kind of lock on a server that looks for deadlocks.
type ringKind struct {
	name, about string
	open        func(ctx context.Context) (ring.Server, error)
}

func serverRings(s *servers) []ringKind {
	largest := ringSizes[len(ringSizes)-1]
	return []ringKind{
		{"PostgreSQL advisory", "looks after deadlock_timeout, 1 s as it comes", func(ctx context.Context) (ring.Server, error) {
			return ring.NewPostgres(ctx, s.postgres.Address, ring.PostgresTimeout)
		}},
		{"PostgreSQL advisory, 10 ms", "the same with deadlock_timeout at 10 ms", func(ctx context.Context) (ring.Server, error) {
			return ring.NewPostgres(ctx, s.postgres.Address, 10*time.Millisecond)
		}},
		{"MariaDB GET_LOCK", "looks when a session begins to wait", func(context.Context) (ring.Server, error) {
			return ring.NewMariaDBNames(s.mariadb.Address)
		}},
		{"MariaDB InnoDB rows", "SELECT … FOR UPDATE; looks when a transaction begins to wait", func(ctx context.Context) (ring.Server, error) {
			return ring.NewMariaDBRows(ctx, s.mariadb.Address, largest)
		}},
	}
}

// measure breaks that many rings of each size, after one to warm up.
func (k ringKind) measure(ctx context.Context, times int) (d result.Deadlock, err error) {
	server, err := k.open(ctx)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	d.Name, d.About = k.name, k.about
	if _, err := ring.Break(ctx, server, 2); err != nil {
		return d, err
	}
	for _, size := range ringSizes {
		r := result.Ring{Clients: size}
		for range times {
			took, err := ring.Break(ctx, server, size)
			if err != nil {
				return d, fmt.Errorf("ring of %d: %w", size, err)
			}
			r.Us = append(r.Us, float64(took.Nanoseconds())/1e3)
		}
		d.Rings = append(d.Rings, r)
	}
	return d, nil
}

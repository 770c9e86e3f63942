package ring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/leasekeeper/lkactor/bench/peers/internal/peer"
)

// Postgres is the advisory locks of PostgreSQL. A session that waits looks for a
// deadlock once, when it has waited for the timeout of its server.
type Postgres struct {
	url     string
	timeout time.Duration
	watcher *pgx.Conn
}

var _ Server = (*Postgres)(nil)

// PostgresTimeout is the timeout that PostgreSQL comes with.
const PostgresTimeout = time.Second

// NewPostgres connects to the server; sessions will have that timeout.
func NewPostgres(ctx context.Context, address string, timeout time.Duration) (*Postgres, error) {
	url := peer.PostgresURL(address)
	watcher, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	return &Postgres{url, timeout, watcher}, nil
}

// Open connects a session.
func (p *Postgres) Open(ctx context.Context) (Session, error) {
	conn, err := pgx.Connect(ctx, p.url)
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, fmt.Sprintf("SET deadlock_timeout = '%dms'", p.timeout.Milliseconds()))
	return postgresSession{conn}, err
}

// Waiting counts the requests that are not granted.
func (p *Postgres) Waiting(ctx context.Context) (n int, err error) {
	err = p.watcher.QueryRow(ctx, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").Scan(&n)
	return n, err
}

// Settle is the timeout and a little more.
func (p *Postgres) Settle() time.Duration { return p.timeout + 50*time.Millisecond }

// Close disconnects.
func (p *Postgres) Close() error { return p.watcher.Close(context.Background()) }

type postgresSession struct{ conn *pgx.Conn }

func (s postgresSession) Take(ctx context.Context, i int) error {
	_, err := s.conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(i))
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) && e.Code == "40P01" {
		return fmt.Errorf("%w: %w", ErrDeadlock, err)
	}
	return err
}

func (s postgresSession) GiveUp(ctx context.Context) error {
	_, err := s.conn.Exec(ctx, "SELECT pg_advisory_unlock_all()")
	return err
}

func (s postgresSession) Close() error { return s.conn.Close(context.Background()) }

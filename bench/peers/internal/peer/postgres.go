package peer

import (
	"context"
	"errors"
	"hash/fnv"

	"github.com/jackc/pgx/v5"
)

// Postgres is the advisory locks of PostgreSQL, those that belong to the session.
// Each client has a connection of its own, for it is the connection that holds
// and waits.
type Postgres struct{ url string }

var _ System = (*Postgres)(nil)

// PostgresURL is how to connect to a server that was started for this.
func PostgresURL(address string) string {
	return "postgres://postgres@" + address + "/postgres?sslmode=disable"
}

// NewPostgres remembers the address of the server.
func NewPostgres(address string) *Postgres { return &Postgres{PostgresURL(address)} }

// Open connects. An advisory lock has a number for a name.
func (p *Postgres) Open(ctx context.Context, lock string) (Client, error) {
	conn, err := pgx.Connect(ctx, p.url)
	if err != nil {
		return nil, err
	}
	hash := fnv.New64a()
	hash.Write([]byte(lock))
	return &postgresClient{conn, int64(hash.Sum64())}, nil
}

// Close does nothing.
func (p *Postgres) Close() error { return nil }

type postgresClient struct {
	conn *pgx.Conn
	key  int64
}

func (c *postgresClient) Acquire(ctx context.Context) error {
	_, err := c.conn.Exec(ctx, "SELECT pg_advisory_lock($1)", c.key)
	return err
}

func (c *postgresClient) Release(ctx context.Context) error {
	var released bool
	err := c.conn.QueryRow(ctx, "SELECT pg_advisory_unlock($1)", c.key).Scan(&released)
	if err == nil && !released {
		err = errors.New("release: the lock was not held")
	}
	return err
}

func (c *postgresClient) Close() error { return c.conn.Close(context.Background()) }

package client_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// What a lease costs its holder: an acquire and a release of a free lock, beside the
// same two operations without a client, and a renew. One caller, and as many as
// there are processors.
func BenchmarkLease(b *testing.B) {
	engine := start(b, actors.WithDispatch(actors.Inline))
	terms := client.Terms{TTL: time.Minute}
	ctx := context.Background()
	b.Run("operations", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, kind := range []lease.Kind{lease.Acquire, lease.Release} {
				op := lease.Operation{Kind: kind, Client: "plain", Lock: "plain", TTL: lease.Duration(time.Minute)}
				if _, err := engine.Ask(ctx, op); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	c := open(b, engine, "one")
	b.Run("acquire and release", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			release(b, acquire(b, c, "one", terms))
		}
	})
	b.Run("renew", func(b *testing.B) {
		b.ReportAllocs()
		l := acquire(b, c, "one", terms)
		for b.Loop() {
			if err := l.Renew(ctx, time.Minute); err != nil {
				b.Fatal(err)
			}
		}
		release(b, l)
	})
	var callers atomic.Int64
	b.Run("acquire and release, many callers", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			name := fmt.Sprint("caller-", callers.Add(1))
			c := open(b, engine, name)
			for pb.Next() {
				release(b, acquire(b, c, name, terms))
			}
			shut(b, c)
		})
	})
	shut(b, c)
	if err := engine.Stop(ctx); err != nil {
		b.Fatal(err)
	}
}

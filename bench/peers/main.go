// Command peers measures other lock services beside the engine: the same cycle of
// acquire and release, and the time until a deadlock is broken. It starts the
// servers itself, from Debian's packages, on free ports of the loopback interface
// with their data in a temporary directory, and stops them again:
//
//	bench/peers/run
//
// takes some three minutes and writes a table under bench/results.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/leasekeeper/lkactor/bench/internal/report"
	"github.com/leasekeeper/lkactor/bench/internal/rounds"
	"github.com/leasekeeper/lkactor/bench/peers/internal/result"
)

func main() {
	var p plan
	flag.DurationVar(&p.length, "length", 600*time.Millisecond, "how long a round of cycles lasts")
	flag.IntVar(&p.rounds, "rounds", 5, "rounds of each system and case")
	flag.IntVar(&p.rings, "rings", 5, "deadlocks of each size on each server")
	out := flag.String("out", "../results", "the `directory` for the files; empty: write none")
	dir := flag.String("dir", os.TempDir(), "the `directory` on whose disk the servers keep their data meanwhile")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, p, *dir, *out); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// run starts the servers, measures, stops them, and writes.
func run(ctx context.Context, p plan, dir, out string) (err error) {
	start := time.Now()
	r := result.Result{Environment: report.Surroundings(start), RoundMs: float64(p.length.Microseconds()) / 1e3}
	progress("starting the servers")
	s, err := startServers(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	r.Versions = s.versions()
	if r.SyncUs, err = s.sync(); err != nil {
		return err
	}
	// The servers' own time is not that of others: what counts is the rest.
	meter := report.NewMeter(func() time.Duration { return rounds.CPUTime() + s.cpu() })
	if err := p.cycles(ctx, s, &r); err != nil {
		return err
	}
	if err := p.deadlocks(ctx, s, &r); err != nil {
		return err
	}
	r.Load = meter.Load()
	r.Took = time.Since(start).Seconds()
	r.Table(os.Stdout)
	if out == "" {
		return nil
	}
	return r.Write(out, "peers-"+start.UTC().Format(time.DateOnly))
}

func progress(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
}

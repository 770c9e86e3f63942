// Command fenced tells the story that fencing tokens are for, with real
// processes: two workers, a lock engine and a PostgreSQL.
//
// Worker A gets the lease and is stopped before it writes, past the end of its
// lease. Worker B takes over and writes. A goes on where it was, not knowing that
// any time has passed, and is refused: the table holds B's rows only.
//
//	go run .                  with a PostgreSQL of its own, started for the story
//	go run . -dsn postgres:…  in a database of yours (it makes two tables there)
//	go run . -unfenced        what happens without the fence
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
)

func main() {
	var s settings
	flag.StringVar(&s.dsn, "dsn", "", "PostgreSQL to use; its own if empty")
	flag.BoolVar(&s.unfenced, "unfenced", false, "write without checking the token")
	flag.StringVar(&s.name, "worker", "", "be the worker of that name (the story starts these)")
	flag.StringVar(&s.locks, "locks", "", "where a worker finds the lock service")
	flag.Parse()

	run := story
	if s.name != "" {
		run = work
	}
	if err := run(context.Background(), s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// settings are the flags.
type settings struct {
	dsn      string
	unfenced bool
	name     string
	locks    string
}

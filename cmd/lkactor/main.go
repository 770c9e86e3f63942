// Command lkactor runs operation logs through the lease-lock engine. See
// lkactor --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/command"
)

func main() {
	// A closed pipe is an error of writing, to be reported as one.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second interrupt ends the program at once
	os.Exit(command.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

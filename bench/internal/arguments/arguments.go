// Package arguments has what the commands of the benchmarks check before they measure
// for minutes: a command line that would measure something else than it seems to say,
// or nothing, is refused. It owns no flag.
package arguments

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Refused is the exit code of a command whose arguments are wrong, as it is of
// package flag.
const Refused = 2

// NoMore refuses what follows the flags.
func NoMore(rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("there is no argument to be %q: this command takes flags only, and reads none behind an argument", rest[0])
	}
	return nil
}

// AtLeast refuses a flag's count, or length of time, that is smaller than it may be.
func AtLeast[N ~int | ~int64](name string, value, least N) error {
	if value < least {
		return fmt.Errorf("-%s is %v, and must be %v at least", name, value, least)
	}
	return nil
}

// OneOf refuses a flag's value that is none of these; an empty one stands for all.
func OneOf(name, value string, all ...string) error {
	if value != "" && !slices.Contains(all, value) {
		return fmt.Errorf("-%s is %q, and must be one of: %s", name, value, strings.Join(all, ", "))
	}
	return nil
}

// Given tells which flags the command line has.
func Given() map[string]bool {
	given := make(map[string]bool)
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	return given
}

// Idle refuses those of the names that are given and have no effect, for this reason.
func Idle(given map[string]bool, reason string, names ...string) error {
	var errs []error
	for _, name := range names {
		if given[name] {
			errs = append(errs, fmt.Errorf("-%s has no effect %s", name, reason))
		}
	}
	return errors.Join(errs...)
}

// Exit ends the command with [Refused] if there is an error, line by line.
func Exit(command string, err error) {
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(os.Stderr, "%s: %s\n", command, line)
	}
	os.Exit(Refused)
}

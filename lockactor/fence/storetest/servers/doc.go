// Package servers starts real database servers for tests, on loopback, each in a
// temporary directory of its own that is removed when it stops.
//
// It owns the processes it starts and nothing else: it uses no database that
// runs already and leaves none behind. It never installs anything.
package servers

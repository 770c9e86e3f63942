// Package sample makes logs for the tests of timelines: jobs that come, wait, write,
// renew, overstay their lease and now and then wait for each other in a ring, on as many
// locks as wanted.
package sample

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Shape is what a log is like.
type Shape struct {
	Locks, Clients, Operations int
	// Readers is how many of a hundred acquires are shared.
	Readers int
	// Lock and Client name the i-th; nil for plain names.
	Lock, Client func(i int) string
}

// Log gives a plain log, one operation on each line. Equal seeds and shapes give equal
// logs.
func Log(seed uint64, s Shape) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := &maker{Shape: s, rng: rng}
	if m.Lock == nil {
		m.Lock = func(i int) string { return fmt.Sprintf("lock/%04d", i) }
	}
	if m.Client == nil {
		m.Client = func(i int) string { return fmt.Sprintf("job-%d", i) }
	}
	for m.lines < s.Operations {
		m.now += int64(rng.IntN(3))
		m.visit()
	}
	return m.text.String()
}

type maker struct {
	Shape
	rng   *rand.Rand
	now   int64
	lines int
	text  strings.Builder
}

// visit is a job that does one thing.
func (m *maker) visit() {
	client, lock := m.rng.IntN(m.Clients), m.rng.IntN(m.Locks)
	switch n := m.rng.IntN(100); {
	case n < 45:
		m.acquire(client, lock)
	case n < 55:
		m.op("renew", client, lock, 5+m.rng.IntN(60))
	case n < 70:
		m.op("release", client, lock)
	case n < 94:
		m.line(`["write",%d,%s,"part-%d","rows of job %d",%d]`, m.now, quoted(m.Lock(lock)), m.rng.IntN(4), client, 1+m.rng.IntN(6))
	case n < 97:
		m.line(`["inspect",%d,%s]`, m.now, quoted(m.Lock(lock)))
	default:
		m.ring(client, lock)
	}
}

func (m *maker) acquire(client, lock int) {
	if m.rng.IntN(100) < m.Readers {
		m.line(`["acquire",%d,%s,%s,%d,"shared"]`, m.now, quoted(m.Client(client)), quoted(m.Lock(lock)), 5+m.rng.IntN(90))
		return
	}
	m.op("acquire", client, lock, 5+m.rng.IntN(90))
}

// ring is two or three jobs that take a lock each and then want their neighbour's.
func (m *maker) ring(client, lock int) {
	n := 2 + m.rng.IntN(2)
	for _, shift := range []int{0, 1} {
		for i := range n {
			m.op("acquire", (client+i)%m.Clients, (lock+(i+shift)%n)%m.Locks, 60)
			m.now++
		}
	}
}

// op adds an operation of a client on a lock, with a ttl perhaps.
func (m *maker) op(name string, client, lock int, ttl ...int) {
	tail := ""
	if len(ttl) > 0 {
		tail = fmt.Sprintf(",%d", ttl[0])
	}
	m.line(`[%q,%d,%s,%s%s]`, name, m.now, quoted(m.Client(client)), quoted(m.Lock(lock)), tail)
}

func (m *maker) line(format string, args ...any) {
	m.lines++
	fmt.Fprintf(&m.text, format+"\n", args...)
}

// quoted writes a name as JSON.
func quoted(name string) string {
	text, err := json.Marshal(name)
	if err != nil {
		panic(err) // a string has a JSON text
	}
	return string(text)
}

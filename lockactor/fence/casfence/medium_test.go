package casfence

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
)

// medium is a Conditional in memory that can go wrong in all the ways in which a
// remote one can.
type medium struct {
	mu      sync.Mutex
	objects map[string]object
	clock   int // of versions: none comes back
	late    []latePut
	lag     int      // by how many calls a delayed put is later than it need be
	stuck   []func() // puts that have stalled, until the test lets them land

	// hook is asked before each call, with the number of calls before it; it
	// says what shall become of the call.
	calls int
	hook  func(n int, call, name string) mishap
}

// latePut is a put that is done when so many calls have been made.
type latePut struct {
	due int
	do  func()
}

type object struct {
	data    []byte
	version string
}

// mishap is what becomes of a call.
type mishap uint8

const (
	fine         mishap = iota
	lostRequest         // not done, an error
	lostAnswer          // done, an error
	delayed             // an error now, done before the next call but one, or as much later as lag says
	spurious            // not done, a mismatch although there is none
	putTwice            // done, then tried again by the client library: a mismatch
	removedFirst        // the object is removed before a Get
	stalled             // an error now, done when the test says so
)

var errNetwork = errors.New("network")

func newMedium() *medium { return &medium{objects: map[string]object{}} }

func (m *medium) next(call, name string) mishap {
	m.calls++
	if m.hook == nil {
		return fine
	}
	return m.hook(m.calls-1, call, name)
}

// land does what was delayed until now, in order.
func (m *medium) land() {
	m.late = slices.DeleteFunc(m.late, func(put latePut) bool {
		if put.due <= m.calls {
			put.do()
		}
		return put.due <= m.calls
	})
}

// unstick does what has stalled, in order.
func (m *medium) unstick() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, put := range m.stuck {
		put()
	}
	m.stuck = nil
}

func (m *medium) Get(ctx context.Context, name string) ([]byte, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	what := m.next("get", name)
	defer m.land()
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	switch what {
	case fine, putTwice, spurious:
	case removedFirst:
		delete(m.objects, name)
	default:
		return nil, "", errNetwork
	}
	o, ok := m.objects[name]
	if !ok {
		return nil, "", fmt.Errorf("%w: %s", ErrNotFound, name)
	}
	return o.data, o.version, nil
}

func (m *medium) Put(ctx context.Context, name string, data []byte, version string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	what := m.next("put", name)
	if what != delayed {
		defer m.land()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	put := func() error {
		if m.objects[name].version != version {
			return ErrMismatch
		}
		m.clock++
		m.objects[name] = object{data: data, version: fmt.Sprint("v", m.clock)}
		return nil
	}
	switch what {
	case lostRequest:
		return errNetwork
	case lostAnswer:
		_ = put()
		return errNetwork
	case delayed:
		m.late = append(m.late, latePut{m.calls + 1 + m.lag, func() { _ = put() }})
		return errNetwork
	case stalled:
		m.stuck = append(m.stuck, func() { _ = put() })
		return errNetwork
	case spurious:
		return ErrMismatch
	case putTwice:
		_ = put()
		return put()
	}
	return put()
}

func (m *medium) Remove(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if what := m.next("remove", name); what == lostRequest {
		return errNetwork
	}
	delete(m.objects, name)
	return nil
}

// flaky lets a call in four go wrong; what is delayed lands up to 100 calls later.
func (m *medium) flaky(seed uint64) func(int, string, string) mishap {
	chance := rand.New(rand.NewPCG(seed, 0))
	return func(int, string, string) mishap {
		m.lag = chance.IntN(100)
		if chance.IntN(4) > 0 {
			return fine
		}
		return mishap(1 + chance.IntN(int(putTwice)))
	}
}

// dying lets everything from call number step on fail, and the first of them be
// done if answer says that only its answer is lost.
func dying(step int, answer bool) func(int, string, string) mishap {
	return func(n int, _, _ string) mishap {
		switch {
		case n < step:
			return fine
		case n == step && answer:
			return lostAnswer
		}
		return lostRequest
	}
}

// fork gives a medium on the same objects whose calls are counted anew.
type fork struct {
	*medium
	mu    sync.Mutex
	calls int
	hook  func(n int, call, name string) mishap
}

func (f *fork) fate(call, name string) mishap {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	return f.hook(f.calls-1, call, name)
}

func (f *fork) Get(ctx context.Context, name string) ([]byte, string, error) {
	if f.fate("get", name) != fine {
		return nil, "", errNetwork
	}
	return f.medium.Get(ctx, name)
}

func (f *fork) Put(ctx context.Context, name string, data []byte, version string) error {
	switch f.fate("put", name) {
	case fine:
		return f.medium.Put(ctx, name, data, version)
	case lostAnswer:
		_ = f.medium.Put(ctx, name, data, version)
	}
	return errNetwork
}

func (f *fork) Remove(ctx context.Context, name string) error {
	if f.fate("remove", name) != fine {
		return errNetwork
	}
	return f.medium.Remove(ctx, name)
}

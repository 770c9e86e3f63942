package durable

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/sequencer"
)

// A snapshot is a whole state (P1): a line with its version, a line with the header
// of the log, and then numbers and texts: what belongs to no client or lock, all
// clients, all locks. Whoever is named in a lock's claims is named by its place
// among the clients. Equal states give equal bytes.
const (
	stateKind    = "lkactor-state "
	stateVersion = "1"
)

// stateBufferBytes is how much of a snapshot is written or read at once.
const stateBufferBytes = 256 << 10

// writeState writes the state of an order, which must be frozen.
func writeState(out io.Writer, h oplog.Header, order *sequencer.Sequencer) error {
	w := &stateWriter{out: bufio.NewWriterSize(out, stateBufferBytes)}
	w.put([]byte(stateKind + stateVersion + "\n"))
	w.put(append(oplog.AppendHeader(nil, h), '\n'))
	state, clients, locks := order.Save()
	w.uint(state.Seq)
	w.int(int64(state.Now))
	w.uint(uint64(state.Registered))
	w.uint(uint64(state.Floor))
	w.uint(uint64(state.Clients))
	w.uint(uint64(state.Locks))
	places := make(map[string]uint64, state.Clients)
	for c := range clients {
		w.pace.step()
		places[c.Name] = uint64(len(places))
		w.clientState(&c)
	}
	for l := range locks {
		w.pace.step()
		w.lockState(&l, places)
		if w.err != nil {
			break
		}
	}
	w.fail(w.out.Flush())
	return w.err
}

func (w *stateWriter) clientState(c *sequencer.ClientState) {
	w.text(c.Name)
	w.uint(uint64(c.Age))
	w.uint(uint64(len(c.Requests)))
	for i := range c.Requests {
		r := &c.Requests[i]
		op := r.Op
		op.At = 0 // when it was asked for the first time is At
		w.int(int64(r.At))
		w.text(string(oplog.AppendOperationIn(nil, &op, lease.Live)))
		w.result(&r.Result)
	}
}

func (w *stateWriter) lockState(l *sequencer.LockState, places map[string]uint64) {
	w.text(l.Name)
	w.uint(uint64(l.Rest.Counter))
	w.uint(uint64(l.Rest.Accepted))
	w.uint(uint64(len(l.Rest.Values)))
	for _, key := range slices.Sorted(maps.Keys(l.Rest.Values)) {
		w.text(key)
		w.text(l.Rest.Values[key])
	}
	claims := l.Claims
	if claims == nil {
		claims = &lease.Claims{}
	}
	w.uint(uint64(len(claims.Holders)))
	for i := range claims.Holders {
		h := &claims.Holders[i]
		w.uint(places[h.Client.Name])
		w.uint(uint64(h.Mode))
		w.uint(uint64(h.Token))
		w.int(int64(h.Until))
	}
	w.uint(uint64(len(claims.Queue)))
	for i := range claims.Queue {
		q := &claims.Queue[i]
		w.uint(places[q.Client.Name])
		w.uint(uint64(q.Mode))
		w.uint(uint64(q.TTL))
	}
}

// readState reads what writeState wrote, up to and with its end. index is of the
// snapshot, for errors: *VersionError, *RecordError, or those of in.
func readState(in io.Reader, index uint64) (h oplog.Header, order *sequencer.Sequencer, err error) {
	r := &stateReader{in: bufio.NewReaderSize(in, stateBufferBytes)}
	kind, err := r.in.ReadString('\n')
	version, known := strings.CutPrefix(strings.TrimSuffix(kind, "\n"), stateKind)
	switch {
	case err != nil && err != io.EOF:
		return h, nil, err
	case !known:
		return h, nil, &RecordError{index, "the snapshot is not one of a lock service"}
	case version != stateVersion:
		return h, nil, &VersionError{"snapshot", index, version}
	}
	line, err := r.in.ReadBytes('\n')
	if err != nil {
		return h, nil, fmt.Errorf("durable: snapshot %d: %w", index, err)
	}
	if h, err = parseHeader(line, &RecordError{Index: index}); err != nil {
		return h, nil, err
	}
	if order, err = r.order(); err != nil {
		if errors.Is(err, errForm) || errors.Is(err, sequencer.ErrState) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = &RecordError{index, fmt.Sprintf("the snapshot cannot be used: %v", err)}
		}
		return h, nil, err
	}
	return h, order, nil
}

// order reads everything after the header.
func (r *stateReader) order() (*sequencer.Sequencer, error) {
	state := sequencer.State{
		Seq: r.uint(), Now: lease.Instant(r.int()), Registered: lease.Age(r.uint()), Floor: lease.Token(r.uint()),
		Clients: r.count(), Locks: r.count(),
	}
	if r.err != nil {
		return nil, r.err
	}
	loader := sequencer.NewLoader(lease.Live, state)
	clients := make([]*lease.Client, 0, min(state.Clients, allocatedAhead))
	for range state.Clients {
		r.pace.step()
		s := r.clientState()
		if r.err != nil {
			return nil, r.err
		}
		c, err := loader.Client(s)
		if err != nil {
			return nil, err
		}
		clients = append(clients, c)
	}
	var pool claimPool
	for range state.Locks {
		r.pace.step()
		s := r.lockState(clients, &pool)
		if r.err != nil {
			return nil, r.err
		}
		if err := loader.Lock(s); err != nil {
			return nil, err
		}
	}
	if _, err := r.in.ReadByte(); err != io.EOF {
		if err == nil {
			err = errForm // more than was announced
		}
		return nil, err
	}
	return loader.Done(), nil
}

func (r *stateReader) clientState() sequencer.ClientState {
	c := sequencer.ClientState{Name: r.text(), Age: lease.Age(r.uint())}
	n := r.count()
	for range n {
		if r.err != nil {
			break
		}
		s := sequencer.RequestState{At: lease.Instant(r.int())}
		if !oplog.ParseOperation(r.text(), &s.Op, lease.Live) {
			r.fail(errForm)
		}
		s.Result = r.result()
		c.Requests = append(c.Requests, s)
	}
	return c
}

func (r *stateReader) lockState(clients []*lease.Client, pool *claimPool) sequencer.LockState {
	l := sequencer.LockState{Name: r.text()}
	l.Rest.Counter, l.Rest.Accepted = lease.Token(r.uint()), lease.Token(r.uint())
	if n := r.count(); n > 0 {
		l.Rest.Values = make(map[string]string, min(n, allocatedAhead))
		for range n {
			if r.err != nil {
				break
			}
			key := r.text()
			l.Rest.Values[key] = r.text()
		}
	}
	holders := r.claims(clients, pool, func(c *lease.Claim) {
		c.Token, c.Until = lease.Token(r.uint()), lease.Instant(r.int())
	})
	queue := r.claims(clients, pool, func(c *lease.Claim) { c.TTL = lease.Duration(r.uint()) })
	if len(holders)+len(queue) > 0 {
		l.Claims = &lease.Claims{Holders: holders, Queue: queue}
	}
	return l
}

// claims reads a list of claims; rest reads what comes after client and mode.
func (r *stateReader) claims(clients []*lease.Client, pool *claimPool, rest func(*lease.Claim)) []lease.Claim {
	n := r.count()
	if n == 0 {
		return nil
	}
	list := pool.list(n)
	for range n {
		if r.err != nil {
			return nil
		}
		at := r.below(uint64(len(clients)))
		if r.err != nil {
			return nil
		}
		c := lease.Claim{Client: clients[at], Mode: lease.Mode(r.below(2))}
		rest(&c)
		list = append(list, c)
	}
	return list
}

// claimPool lends the memory for short lists of claims, many at a time: most locks
// have one holder.
type claimPool struct{ free []lease.Claim }

// list gives an empty list with room for n claims or, where that is many, for some of
// them.
func (p *claimPool) list(n int) []lease.Claim {
	n = min(n, allocatedAhead)
	if n > len(p.free) {
		p.free = make([]lease.Claim, allocatedAhead)
	}
	list := p.free[:0:n]
	p.free = p.free[n:]
	return list
}

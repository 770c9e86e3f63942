package servers

import (
	"net"
	"sync"
)

// Cut is a wire to a server that is cut at a chosen moment: for its client,
// what the death of either side is.
type Cut struct {
	// Addr is where to connect instead of to the server.
	Addr string

	listener net.Listener
	to       string

	mu    sync.Mutex
	after func(n int, request []byte) Moment
	count int
	open  []net.Conn
	dead  bool
}

// Moment is when a wire is cut.
type Moment uint8

// The moments around one request.
const (
	Not    Moment = iota
	Before        // the request does not reach the server
	After         // the request has been answered, and the answer is lost
)

// NewCut gives a wire to the server at addr. Before a request goes through, when
// is asked whether it shall be cut there; it is told how many requests came
// before, over all connections, and what is in this one. Once cut, nobody gets
// through any more.
func NewCut(addr string, when func(n int, request []byte) Moment) (*Cut, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &Cut{Addr: l.Addr().String(), listener: l, to: addr, after: when}
	go c.serve()
	return c, nil
}

// Close cuts the wire now.
func (c *Cut) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dead = true
	for _, conn := range c.open {
		conn.Close()
	}
	return c.listener.Close()
}

func (c *Cut) serve() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", c.to)
		if err != nil {
			client.Close()
			continue
		}
		c.mu.Lock()
		c.open = append(c.open, client, server)
		dead := c.dead
		c.mu.Unlock()
		if dead {
			client.Close()
			server.Close()
			return
		}
		w := &wire{Cut: c, client: client, server: server}
		go w.answers()
		go w.requests()
	}
}

// wire is one connection. Its client says one thing and waits for the answer, as
// database drivers do, so what it sends in one piece is one request.
type wire struct {
	*Cut
	client, server net.Conn

	mu   sync.Mutex
	mute bool // the next answer is lost, and the wire cut
}

func (w *wire) requests() {
	defer w.client.Close()
	defer w.server.Close()
	buffer := make([]byte, 1<<20)
	for {
		n, err := w.client.Read(buffer)
		if err != nil {
			return
		}
		switch w.moment(buffer[:n]) {
		case Before:
			_ = w.Close()
			return
		case After:
			w.mu.Lock()
			w.mute = true
			w.mu.Unlock()
		}
		if _, err := w.server.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (w *wire) moment(request []byte) Moment {
	w.Cut.mu.Lock()
	defer w.Cut.mu.Unlock()
	m := w.after(w.count, request)
	w.count++
	return m
}

func (w *wire) answers() {
	defer w.client.Close()
	defer w.server.Close()
	buffer := make([]byte, 1<<20)
	for {
		n, err := w.server.Read(buffer)
		if err != nil {
			return
		}
		w.mu.Lock()
		mute := w.mute
		w.mu.Unlock()
		if mute {
			_ = w.Close()
			return
		}
		if _, err := w.client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

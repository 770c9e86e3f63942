package servers

import (
	"errors"
	"net"
	"slices"
	"sync"
)

// Cut is a wire to a server that is cut at a chosen moment: for its client,
// what the death of either side is.
type Cut struct {
	// Addr is where to connect instead of to the server.
	Addr string

	listener net.Listener
	to       string

	mu      sync.Mutex
	after   func(n int, request []byte) Moment
	count   int
	clients []net.Conn
	servers []net.Conn
	dead    bool
	held    *held
}

// held is a request that is on its way for as long as the test says.
type held struct {
	server  net.Conn
	request []byte
	landed  chan struct{} // closed when the server has answered, or hung up
}

// Moment is when a wire is cut.
type Moment uint8

// The moments around one request.
const (
	Not    Moment = iota
	Before        // the request does not reach the server
	After         // the request has been answered, and the answer is lost
	Later         // the request is still on its way; it arrives with Land
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
	c.sever()
	for _, conn := range c.servers {
		conn.Close()
	}
	return c.listener.Close()
}

// sever cuts off the clients. The caller has the lock.
func (c *Cut) sever() {
	c.dead = true
	for _, conn := range c.clients {
		conn.Close()
	}
}

// Land lets the request arrive that was cut off Later, and gives back when the
// server has answered it. Then the server is told that its client is gone.
func (c *Cut) Land() error {
	c.mu.Lock()
	h := c.held
	c.mu.Unlock()
	if h == nil {
		return errors.New("no request is on its way")
	}
	if _, err := h.server.Write(h.request); err != nil {
		return err
	}
	<-h.landed
	return nil
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
		c.clients, c.servers = append(c.clients, client), append(c.servers, server)
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
	mute bool  // the next answer is lost, and the wire cut
	held *held // what is still on its way
}

func (w *wire) requests() {
	defer func() {
		w.client.Close()
		if w.holds() == nil {
			w.server.Close()
		}
	}()
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
		case Later:
			w.hold(buffer[:n])
			return
		}
		if _, err := w.server.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// hold keeps the request and cuts off the clients.
func (w *wire) hold(request []byte) {
	h := &held{server: w.server, request: slices.Clone(request), landed: make(chan struct{})}
	w.mu.Lock()
	w.held = h
	w.mu.Unlock()
	w.Cut.mu.Lock()
	defer w.Cut.mu.Unlock()
	w.Cut.held = h
	w.sever()
}

func (w *wire) holds() *held {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held
}

func (w *wire) moment(request []byte) Moment {
	w.Cut.mu.Lock()
	defer w.Cut.mu.Unlock()
	m := w.after(w.count, request)
	w.count++
	return m
}

func (w *wire) answers() {
	defer func() {
		w.client.Close()
		w.server.Close()
		if h := w.holds(); h != nil {
			close(h.landed)
		}
	}()
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

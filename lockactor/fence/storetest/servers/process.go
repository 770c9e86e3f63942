package servers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const (
	// patience is how long a server may take to start or stop on a busy machine.
	patience = time.Minute
	// knock is the pause between two attempts to reach a server that starts.
	knock = 20 * time.Millisecond
	// maxStarts is how often a server is started anew because somebody else took
	// its port in the meantime.
	maxStarts = 3
)

// Server is a running server. Stop it when done.
type Server struct {
	// Addr is its host and port on loopback.
	Addr string

	name string
	dir  string
	cmd  *exec.Cmd
	log  *buffer
	gone chan struct{} // closed when the process has ended
}

// Stop ends the server and removes its files.
func (s *Server) Stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.gone:
	case <-time.After(patience):
		_ = s.cmd.Process.Kill()
		<-s.gone
	}
	return os.RemoveAll(s.dir)
}

// recipe is how to start a kind of server.
type recipe struct {
	name     string
	packages string   // Debian's, for whoever lacks it
	places   []string // where the binary may be, besides the path
	binary   string

	prepare func(s *setup) error            // makes the data directory, once
	command func(s *setup) []string         // the server's arguments
	ready   func(addr string) (ping, error) // how to ask whether it serves
}

// ping asks once; close lets go of what asking needed.
type ping struct {
	ask   func(ctx context.Context) error
	close func() error
}

// setup is what a recipe works with.
type setup struct {
	dir    string // for everything the server writes
	port   int
	spare  int // a second free port
	binary string
}

// start starts a server and waits until it serves.
func (r *recipe) start() (*Server, error) {
	binary, err := r.find(r.binary)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "lkactor-"+r.name+"-")
	if err != nil {
		return nil, err
	}
	if err := giveAway(dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s := &setup{dir: dir, binary: binary}
	if r.prepare != nil {
		if err := r.prepare(s); err != nil {
			return nil, errors.Join(fmt.Errorf("prepare %s: %w", r.name, err), os.RemoveAll(dir))
		}
	}
	for range maxStarts {
		var server *Server
		if server, err = r.try(s); err == nil {
			return server, nil
		}
	}
	return nil, errors.Join(err, os.RemoveAll(dir))
}

func (r *recipe) try(s *setup) (*Server, error) {
	var err error
	if s.port, s.spare, err = freePorts(); err != nil {
		return nil, err
	}
	server := &Server{
		Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)),
		name: r.name, dir: s.dir, log: new(buffer), gone: make(chan struct{}),
	}
	server.cmd = s.run(s.binary, r.command(s)...)
	server.cmd.Stdout, server.cmd.Stderr = server.log, server.log
	if err := server.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = server.cmd.Wait()
		close(server.gone)
	}()
	if err := server.await(r); err != nil {
		_ = server.cmd.Process.Kill()
		<-server.gone
		return nil, fmt.Errorf("%s does not serve: %w\n%s", r.name, err, server.log)
	}
	return server, nil
}

// await knocks until the server answers.
func (s *Server) await(r *recipe) error {
	p, err := r.ready(s.Addr)
	if err != nil {
		return err
	}
	defer p.close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		if err = p.ask(ctx); err == nil {
			return nil
		}
		select {
		case <-s.gone:
			return errors.New("it ended")
		case <-ctx.Done():
			return err
		case <-time.After(knock):
		}
	}
}

// find gives the path of a binary of the server.
func (r *recipe) find(binary string) (string, error) {
	for _, place := range r.places {
		if found, _ := filepath.Glob(filepath.Join(place, binary)); len(found) > 0 {
			return found[len(found)-1], nil
		}
	}
	path, err := exec.LookPath(binary)
	if err != nil {
		return "", fmt.Errorf("%s is not installed; on Debian: apt-get install %s", binary, r.packages)
	}
	return path, nil
}

// run gives a command that runs as somebody who is not root, since database
// servers refuse to, and that ends when this process does.
func (s *setup) run(binary string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "TMPDIR=" + s.dir, "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieTogether(cmd.SysProcAttr)
	if uid, gid, ok := somebody(); ok {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
	return cmd
}

// output runs a command to its end; what it said is in the error.
func (s *setup) output(binary string, args ...string) error {
	if out, err := s.run(binary, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(binary), err, out)
	}
	return nil
}

// somebody gives a user without rights if this process runs as root.
func somebody() (uid, gid uint32, ok bool) {
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		return 0, 0, false
	}
	id, err1 := strconv.ParseUint(u.Uid, 10, 32)
	group, err2 := strconv.ParseUint(u.Gid, 10, 32)
	return uint32(id), uint32(group), err1 == nil && err2 == nil
}

// giveAway makes dir the server's own.
func giveAway(dir string) error {
	if uid, gid, ok := somebody(); ok {
		return os.Chown(dir, int(uid), int(gid))
	}
	return nil
}

// freePorts gives two ports of loopback that nobody listens on just now.
func freePorts() (int, int, error) {
	var ports [2]int
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, 0, err
		}
		defer l.Close() // only after both are known, so that they differ
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports[0], ports[1], nil
}

// buffer keeps what a server says.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

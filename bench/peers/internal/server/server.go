// Package server starts the servers that the engine is measured beside, and
// stops them again. Each runs from the binary that Debian's package installs, on
// a free port of the loopback interface, with its data in a directory that is
// removed afterwards. It owns processes and settings, and asks no server for a
// lock.
package server

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"
)

// Limits of starting and stopping one server.
const (
	startLimit = 30 * time.Second
	stopLimit  = 20 * time.Second
)

// Server is a running server.
type Server struct {
	Address string // host:port
	Version string // the number that the program gives

	name   string
	dir    string
	cmd    *exec.Cmd
	output *bytes.Buffer // what it says; shown only if it fails
	ended  chan struct{} // closed when the process has ended
	stop   os.Signal
}

// Stop ends the server and removes its data. A server that does not end in time
// is killed.
func (s *Server) Stop() error {
	defer os.RemoveAll(s.dir)
	if err := s.cmd.Process.Signal(s.stop); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", s.name, err)
	}
	select {
	case <-s.ended:
		return nil
	case <-time.After(stopLimit):
		s.cmd.Process.Kill()
		<-s.ended
		return fmt.Errorf("stop %s: it did not end within %v", s.name, stopLimit)
	}
}

// setup is how to start one kind of server.
type setup struct {
	name    string // of the program
	user    string // to run as when started by root; empty: root does
	stop    os.Signal
	prepare func(b binary, dir string) error    // before it starts; may be nil
	args    func(dir string, port int) []string // of the server
	version []string                            // the arguments that make it tell its version
	ready   func(address string) error          // asked until it has no error
}

// binary is a program and the user to run it as.
type binary struct {
	path string
	cred *syscall.Credential // nil: the caller's own
}

// places are where Debian puts programs that are not on everybody's path.
var places = []string{"/usr/sbin", "/usr/bin", "/usr/lib/postgresql/*/bin"}

// find looks a program up.
func find(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	for _, place := range places {
		matches, _ := filepath.Glob(filepath.Join(place, name))
		if len(matches) > 0 {
			return matches[len(matches)-1], nil // the newest version
		}
	}
	return "", fmt.Errorf("%s is not installed; see the comment at the top of bench/peers/run", name)
}

// command prepares the program to be run in a directory.
func (b binary) command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(b.path, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "LC_ALL=C"}
	// A group of its own: an interrupt meant for us does not end it before us.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: b.cred}
	return cmd
}

// sibling is another program from the same package, run as the same user.
func (b binary) sibling(name string) (binary, error) {
	if path := filepath.Join(filepath.Dir(b.path), name); isFile(path) {
		return binary{path, b.cred}, nil
	}
	path, err := find(name)
	return binary{path, b.cred}, err
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// run runs the program to its end.
func (b binary) run(dir string, args ...string) error {
	if out, err := b.command(dir, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(b.path), err, out)
	}
	return nil
}

// start starts the server and waits until it answers.
func (s setup) start(parent string) (*Server, error) {
	b, dir, err := s.place(parent)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", s.name, err)
	}
	server, err := s.launch(b, dir)
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("start %s: %w", s.name, err)
	}
	return server, nil
}

// place finds the program and makes it a directory.
func (s setup) place(parent string) (binary, string, error) {
	path, err := find(s.name)
	if err != nil {
		return binary{}, "", err
	}
	b := binary{path: path}
	dir, err := os.MkdirTemp(parent, s.name+"-")
	if err != nil {
		return binary{}, "", err
	}
	if s.user != "" && os.Getuid() == 0 {
		if b.cred, err = credential(s.user); err != nil {
			return binary{}, "", err
		}
		if err = os.Chown(dir, int(b.cred.Uid), int(b.cred.Gid)); err != nil {
			return binary{}, "", err
		}
	}
	return b, dir, nil
}

func (s setup) launch(b binary, dir string) (*Server, error) {
	if s.prepare != nil {
		if err := s.prepare(b, dir); err != nil {
			return nil, err
		}
	}
	version, err := b.command(dir, s.version...).Output()
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	server := &Server{
		Address: net.JoinHostPort(loopback, strconv.Itoa(port)), Version: number.FindString(string(version)),
		name: s.name, dir: dir, output: new(bytes.Buffer), ended: make(chan struct{}), stop: s.stop,
	}
	server.cmd = b.command(dir, s.args(dir, port)...)
	server.cmd.Stdout, server.cmd.Stderr = server.output, server.output
	if err := server.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		server.cmd.Wait() // how it ended does not matter, when it does
		close(server.ended)
	}()
	if err := server.await(s.ready); err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	return server, nil
}

// await asks until the server is ready, has ended, or takes too long.
func (s *Server) await(ready func(address string) error) error {
	for end := time.Now().Add(startLimit); ; {
		err := ready(s.Address)
		if err == nil {
			return nil
		}
		select {
		case <-s.ended:
			return fmt.Errorf("it has ended:\n%s", s.output)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			return fmt.Errorf("not ready within %v: %w", startLimit, err)
		}
	}
}

// credential is that of a user by name.
func credential(name string) (*syscall.Credential, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(err1, err2)
}

// loopback is where all servers listen, and nowhere else.
const loopback = "127.0.0.1"

// freePort asks the system for a port that nobody has.
func freePort() (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// number is how versions are written everywhere.
var number = regexp.MustCompile(`\d+\.\d+(\.\d+)?`)

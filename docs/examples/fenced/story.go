package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"github.com/leasekeeper/lkactor/lockactor/fence/sqlfence"
	"github.com/leasekeeper/lkactor/lockactor/fence/storetest/servers"
)

// story tells it once, on stdout.
func story(ctx context.Context, s settings) (err error) {
	if s.dsn == "" {
		server, err := servers.Postgres()
		if err != nil {
			return err
		}
		defer server.Stop()
		s.dsn = servers.PostgresDSN(server.Addr)
	}
	db, err := sql.Open("pgx", s.dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := prepare(ctx, db); err != nil {
		return err
	}
	locks, err := startLocks()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, locks.stop(ctx)) }()
	s.locks = locks.listener.Addr().String()

	a, err := startWorker("A", s)
	if err != nil {
		return err
	}
	defer a.end()
	if err := a.says(1); err != nil { // it holds the lease
		return err
	}
	if err := a.pause(); err != nil {
		return err
	}
	fmt.Println("A is stopped")
	a.goOn() // it will find the line when it is woken up

	b, err := startWorker("B", s)
	if err != nil {
		return err
	}
	defer b.end()
	if err := b.says(1); err != nil { // it holds the lease, so A's has run out
		return err
	}
	b.goOn()
	if err := errors.Join(b.says(1), b.finish()); err != nil {
		return err
	}

	if err := a.resume(); err != nil {
		return err
	}
	fmt.Println("A continues")
	if err := errors.Join(a.says(1), a.finish()); err != nil {
		return err
	}
	return show(ctx, db)
}

// prepare makes the table of the fence, which stays, and an empty one of the
// story's own. It also takes back what an earlier story left in the fence: this
// engine is a new one and counts from 1 again. An engine with a journal never
// does, and then nobody may do this.
func prepare(ctx context.Context, db *sql.DB) error {
	if err := sqlfence.New(db, sqlfence.PostgreSQL).CreateSchema(ctx); err != nil {
		return err
	}
	for _, statement := range []string{
		`DROP TABLE IF EXISTS fenced_export`,
		`CREATE TABLE fenced_export (part int PRIMARY KEY, worker text NOT NULL, token bigint NOT NULL)`,
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	_, err := db.ExecContext(ctx, `DELETE FROM lkactor_fence WHERE scope = $1`, []byte(lockName))
	return err
}

func show(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, `SELECT part, worker, token FROM fenced_export ORDER BY part`)
	if err != nil {
		return err
	}
	defer rows.Close()
	fmt.Println("the table:")
	for rows.Next() {
		var part, token int
		var worker string
		if err := rows.Scan(&part, &worker, &token); err != nil {
			return err
		}
		fmt.Printf("  part %d by %s with token %d\n", part, worker, token)
	}
	return rows.Err()
}

// worker is a worker process.
type worker struct {
	name   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Scanner
}

func startWorker(name string, s settings) (*worker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-worker", name, "-locks", s.locks, "-dsn", s.dsn, fmt.Sprint("-unfenced=", s.unfenced))
	cmd.Stderr = os.Stderr
	w := &worker{name: name, cmd: cmd}
	if w.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.stdout = bufio.NewScanner(stdout)
	return w, cmd.Start()
}

// says repeats so many lines of the worker's.
func (w *worker) says(lines int) error {
	for range lines {
		if !w.stdout.Scan() {
			return fmt.Errorf("worker %s has nothing to say: %w", w.name, errors.Join(w.stdout.Err(), io.EOF))
		}
		fmt.Println(w.name, w.stdout.Text())
	}
	return nil
}

// goOn tells the worker that it is prepared to write.
func (w *worker) goOn() { fmt.Fprintln(w.stdin) }

// pause stops the process where it is, and returns when it has stopped.
func (w *worker) pause() error {
	if err := w.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(w.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return err
		case !status.Stopped():
			return fmt.Errorf("worker %s ended instead of stopping", w.name)
		default:
			return nil
		}
	}
}

// resume lets the process go on.
func (w *worker) resume() error { return w.cmd.Process.Signal(syscall.SIGCONT) }

// finish waits for the process to end.
func (w *worker) finish() error { return w.cmd.Wait() }

// end ends a process that the story no longer has a use for.
func (w *worker) end() {
	if w.cmd.ProcessState == nil {
		_ = w.cmd.Process.Kill()
		_ = w.cmd.Wait()
	}
}

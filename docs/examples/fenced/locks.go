package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// lockService gives workers in other processes a lock engine, over lines of text
// on loopback: one request, one answer.
//
//	acquire CLIENT LOCK TTL  →  granted TOKEN, or what else the engine says
//	token CLIENT LOCK        →  granted TOKEN, or waiting
type lockService struct {
	engine   *actors.Engine
	system   *actor.ActorSystem
	listener net.Listener
	begun    time.Time
}

func startLocks() (*lockService, error) {
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.NewTextHandler(io.Discard, nil))
	}))
	engine, err := actors.Start(system)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &lockService{engine: engine, system: system, listener: listener, begun: time.Now()}
	go l.serve()
	return l, nil
}

func (l *lockService) stop(ctx context.Context) error {
	defer l.system.Shutdown()
	_ = l.listener.Close()
	return l.engine.Stop(ctx)
}

// now is the instant of the engine's log: whole seconds since the service began.
func (l *lockService) now() lease.Instant { return lease.Instant(time.Since(l.begun) / time.Second) }

func (l *lockService) serve() {
	for {
		conn, err := l.listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			lines := bufio.NewScanner(conn)
			for lines.Scan() {
				fmt.Fprintln(conn, l.answer(lines.Text()))
			}
		}()
	}
}

func (l *lockService) answer(line string) string {
	var verb, client, lock string
	var ttl int64
	if n, _ := fmt.Sscan(line, &verb, &client, &lock, &ttl); n < 3 {
		return "not understood"
	}
	op := lease.Operation{At: l.now(), Client: client, Lock: lock}
	switch verb {
	case "acquire":
		op.Kind, op.TTL = lease.Acquire, lease.Duration(ttl)
	case "token":
		op.Kind, op.Lock = lease.Status, ""
	default:
		return "not understood"
	}
	result, err := l.engine.Do(context.Background(), op)
	if err != nil {
		return err.Error()
	}
	return describe(&result, lock)
}

// describe says what a worker must know of a result.
func describe(result *lease.Result, lock string) string {
	switch result.Outcome {
	case lease.Granted:
		return fmt.Sprint("granted ", result.Token)
	case lease.Queued:
		return "waiting"
	case lease.Reported:
		for _, held := range result.Detail.Client.Holds {
			if held.Lock == lock {
				return fmt.Sprint("granted ", held.Token)
			}
		}
		return "waiting"
	case lease.Failed:
		return result.Code.Error()
	}
	return "not understood"
}

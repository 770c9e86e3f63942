package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// The messages between the actors.
type (
	// submitted: the job is to be done. From the plan to the scheduler.
	submitted struct{ job *job }
	// idle: the worker has nothing to do. From it to the scheduler.
	idle struct {
		worker *actor.PID
		done   *job // what it has just finished, nil if nothing
	}
	// happened is a line to be printed. From anybody to the scheduler.
	happened struct{ line string }
)

// workers is how many there are.
const workers = 3

// scheduler hands out jobs, in the order in which they are submitted, to workers
// that are idle. It alone prints.
type scheduler struct {
	engine *actors.Engine
	store  fence.Store
	out    io.Writer
	plan   []*job
	done   chan<- struct{} // closed when everything is

	waiting []*job
	free    []*actor.PID
	open    int // jobs not done yet
	staff   int // workers not gone yet
}

// Receive handles one message.
func (s *scheduler) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		s.begin(ctx)
	case *submitted:
		s.print("%s is submitted", m.job.name)
		s.waiting = append(s.waiting, m.job)
	case *idle:
		s.free = append(s.free, m.worker)
		slices.SortFunc(s.free, func(a, b *actor.PID) int { return strings.Compare(a.Id, b.Id) })
		if m.done != nil {
			s.open--
		}
	case *happened:
		s.print("%s", m.line)
	case *actor.Terminated: // a worker, which closes its client first
		if s.staff--; s.staff == 0 {
			close(s.done)
		}
		return
	default:
		return
	}
	for len(s.waiting) > 0 && len(s.free) > 0 {
		ctx.Send(s.free[0], s.waiting[0])
		s.waiting, s.free = s.waiting[1:], s.free[1:]
	}
	if s.open == 0 {
		for _, w := range ctx.Children() {
			ctx.Stop(w)
		}
	}
}

// begin hires the workers and submits the plan.
func (s *scheduler) begin(ctx actor.Context) {
	s.open, s.staff = len(s.plan), workers
	for i := range workers {
		name := fmt.Sprint("worker-", i+1)
		props := actor.PropsFromProducer(func() actor.Actor {
			return &worker{name: name, engine: s.engine, store: s.store}
		})
		ctx.SpawnPrefix(props, name)
	}
	root, self := ctx.ActorSystem().Root, ctx.Self()
	for _, j := range s.plan {
		time.AfterFunc(j.after, func() { root.Send(self, &submitted{j}) })
	}
}

func (s *scheduler) print(format string, args ...any) {
	fmt.Fprintf(s.out, format+"\n", args...)
}

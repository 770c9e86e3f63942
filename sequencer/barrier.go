package sequencer

import "sync/atomic"

// barrier lets the sequencer wait until everybody it has sent something to has
// answered. One use follows the other: arm, send, wait.
type barrier struct {
	left  atomic.Int32
	all   chan struct{}
	count func() // bound once, so that arming allocates nothing
}

func newBarrier() *barrier {
	b := &barrier{all: make(chan struct{}, 1)}
	b.count = b.done
	return b
}

// arm prepares for n answers and gives what each of them calls; nil if they are
// prompt. The count is one higher until wait, so that it cannot reach zero while
// messages are still being sent.
func (b *barrier) arm(n int, prompt bool) (done func()) {
	if prompt {
		return nil
	}
	b.left.Store(int32(n) + 1)
	return b.count
}

func (b *barrier) done() {
	if b.left.Add(-1) == 0 {
		b.all <- struct{}{}
	}
}

// wait returns when all have answered.
func (b *barrier) wait(prompt bool) {
	if prompt {
		return
	}
	b.done()
	<-b.all
}

// apart runs listeners on a goroutine of their own and waits for it: they may end that
// one, and what there is to be done after them is done all the same. It is for the end
// of an engine, which happens once.
func apart(listeners func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		listeners()
	}()
	<-done
}

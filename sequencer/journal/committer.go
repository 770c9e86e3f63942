package journal

import "sync"

// Committer runs syncs on a goroutine of its own, so that whoever appends can go
// on with the work that the records stand for and give out its results when they
// are durable. Syncs follow one another for as long as there is something to
// sync; what is appended during one is the group of the next.
type Committer struct {
	journal *Journal
	told    func(durable uint64, err error)
	wake    chan struct{} // holds one: there may be something to sync
	done    chan struct{}
	close   sync.Once
}

// NewCommitter starts a committer. After each sync told is called, on the
// committer's goroutine and never twice at once, with the last durable record,
// which never goes down. When a sync has failed told gets the error together with
// the last record that is durable for certain, and is not called again.
func NewCommitter(j *Journal, told func(durable uint64, err error)) *Committer {
	c := &Committer{journal: j, told: told, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go c.run()
	return c
}

// Commit has everything appended so far made durable soon. It never waits. It
// must not be called after Close.
func (c *Committer) Commit() {
	select {
	case c.wake <- struct{}{}:
	default: // a sync is about to begin and will take this too
	}
}

// Close waits until what was asked for is durable and told, and ends the
// goroutine. It leaves the journal open and gives the error that stopped it.
func (c *Committer) Close() error {
	c.close.Do(func() { close(c.wake) })
	<-c.done
	return c.journal.Err()
}

func (c *Committer) run() {
	defer close(c.done)
	for range c.wake {
		err := c.journal.Sync()
		c.told(c.journal.Durable(), err)
		if err != nil {
			return
		}
	}
}

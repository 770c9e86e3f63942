package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// outbox is what the clients have yet to be told. A client's notes are kept
// together until somebody asks it something, or there are many: nobody can tell
// the difference, and a message costs more than what it says.
type outbox struct {
	open  []*Post // all that hold a note
	due   []*Post // those of them to be delivered with the batch in hand
	spare []*Post
}

// notesKept is with how many notes a client's post goes out, whether or not the
// client is asked anything.
const notesKept = 8

// sparePosts is how many empty posts are kept: as many as two batches can deliver.
// There are more of them when many clients that had notes left fall idle together.
const sparePosts = 2 * MaxBatch

// opened gives an empty post for a client that has none.
func (o *outbox) opened(c *ClientEntry) *Post {
	var post *Post
	if n := len(o.spare); n > 0 {
		post = o.spare[n-1]
		o.spare[n-1] = nil
		o.spare = o.spare[:n-1]
	} else {
		post = new(Post)
		post.Notes = post.few[:0]
	}
	post.Entry, post.Client, post.Rest = c, &c.Client, c.Rest()
	c.post = post
	post.place = len(o.open)
	o.open = append(o.open, post)
	return post
}

// close takes a post that has been delivered off the open ones.
func (o *outbox) close(post *Post) {
	last := len(o.open) - 1
	o.open[post.place] = o.open[last]
	o.open[post.place].place = post.place
	o.open[last] = nil
	o.open = o.open[:last]
	if room := cap(o.open); room > keptSize && last < room/4 {
		o.open = append(make([]*Post, 0, room/2), o.open...) // a copy for each quarter closed, not for each post
	}
}

// empty makes a post that has been delivered ready for another client. Of what it
// said nothing need be cleared: locks are never freed.
func (p *Post) empty() {
	clear(p.Questions)
	if p.Questions = p.Questions[:0]; cap(p.Notes) > keptSize {
		p.Notes = p.few[:0]
	}
	p.Notes = p.Notes[:0]
	p.Client, p.Entry, p.Kept, p.Leave, p.Done, p.due = nil, nil, nil, false, nil, false
}

// send has the post delivered with the batch in hand.
func (o *outbox) send(post *Post) {
	if !post.due {
		post.due = true
		o.due = append(o.due, post)
	}
}

// tell tells a client of an effect, and first of its registration if that is new.
func (q *Sequencer) tell(c *ClientEntry, e *lease.Effect) {
	if c.unborn && e.Age != 0 {
		q.inform(c, &lease.Note{Change: lease.ChangeRegistered, Age: e.Age})
		c.unborn = false
	}
	n := lease.NoteOf(e)
	q.inform(c, &n)
}

// postOf gives the post in which the client's next note or question goes. A client
// that is dormant is first told what it was before.
func (q *Sequencer) postOf(c *ClientEntry) *Post {
	if c.post != nil {
		return c.post
	}
	post := q.outbox.opened(c)
	if c.Seat == nil {
		post.Notes = append(post.Notes, q.dormant.wakeClient(c.ID)...)
	}
	return post
}

// inform puts a note into the client's post.
func (q *Sequencer) inform(c *ClientEntry, n *lease.Note) {
	q.seatClient(c)
	post := q.postOf(c)
	if len(post.Questions) > 0 {
		post.Notes = append(post.Notes, *n)
	} else {
		post.Notes = lease.Append(post.Notes, n)
	}
	if len(post.Notes) >= notesKept {
		q.outbox.send(post)
	}
}

// askClient asks a client something. It knows by then what it was told before.
func (q *Sequencer) askClient(c *ClientEntry, what lease.Question) *Post {
	q.seatClient(c)
	post := q.postOf(c)
	what.After = len(post.Notes)
	post.Questions = append(post.Questions, what)
	q.outbox.send(post)
	return post
}

// deliverAll has all clients take their posts.
func (q *Sequencer) deliverAll() error {
	for _, post := range q.outbox.open {
		q.outbox.send(post)
	}
	return q.deliver()
}

// deliver has the clients take the posts that are due.
func (q *Sequencer) deliver() error {
	o := &q.outbox
	if len(o.due) == 0 {
		return nil
	}
	q.counts.Posts += uint64(len(o.due))
	if err := q.ports.Clients(o.due); err != nil {
		return err
	}
	for _, post := range o.due {
		c := post.Entry
		if post.Leave {
			c.Seat, c.seated, c.marks = nil, false, c.marks&^markUsed
			q.dormant.putClient(c.ID, post.Kept)
		}
		c.post = nil
		o.close(post)
		if len(o.spare) < sparePosts {
			post.empty()
			o.spare = append(o.spare, post)
		}
	}
	clear(o.due)
	o.due = o.due[:0]
	return nil
}

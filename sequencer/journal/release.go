package journal

import (
	"errors"
	"fmt"
)

// ErrSnapshotted is the answer to a truncation or reset that would take away what
// a snapshot was made from.
var ErrSnapshotted = errors.New("journal: a snapshot covers records beyond that")

// begin takes admin and checks that the journal still works; the caller unlocks.
func (j *Journal) begin() error {
	j.admin.Lock()
	if err := j.Err(); err != nil {
		j.admin.Unlock()
		return err
	}
	return nil
}

// failed stops the journal for good because of err, nil if there is none.
func (j *Journal) failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.fail(doing, err)
}

// ReleaseBefore gives up the records before index, and the space of the segments
// that hold no other. The record index-1 must be durable, and whatever is to be
// known of those given up must be somewhere else, such as a snapshot. Appending
// and syncing go on meanwhile. Records given up already are not an error.
func (j *Journal) ReleaseBefore(index uint64) error {
	if err := j.begin(); err != nil {
		return err
	}
	defer j.admin.Unlock()
	j.mu.Lock()
	m, durable := j.manifest, j.durable
	j.mu.Unlock()
	if index > durable+1 {
		return fmt.Errorf("journal: releasing before %d with only %d durable: %w", index, durable, ErrNotFound)
	}
	if index <= m.first {
		return nil
	}
	m.first, m.known = index, durable
	// First what the journal is to be, durably; then the names may go in any order.
	if err := j.publishManifest(m); err != nil {
		return j.failed("a release", err)
	}
	j.mu.Lock()
	j.manifest = m
	var names []string
	for len(j.segments) > 1 && j.segments[1].first <= index {
		names = append(names, j.segments[0].name)
		j.segments = j.segments[1:]
	}
	j.mu.Unlock()
	return j.failed("a release", j.remove(names))
}

// TruncateAfter takes away every record after index, which must be durable or be
// the one before the first. It reads the journal anew and is meant to be rare.
func (j *Journal) TruncateAfter(index uint64) error {
	return j.rebuild("a truncation", index, func(m manifest, durable uint64) (manifest, error) {
		if index > durable || index+1 < m.first {
			return m, fmt.Errorf("journal: truncating after %d with %d to %d held: %w", index, m.first, durable, ErrNotFound)
		}
		m.state, m.last, m.known = stateTruncating, index, durable
		return m, nil
	})
}

// Reset takes away every record; the next one appended gets the index next.
func (j *Journal) Reset(next uint64) error {
	if next == 0 {
		return errors.New("journal: records are counted from 1")
	}
	return j.rebuild("a reset", next-1, func(m manifest, durable uint64) (manifest, error) {
		m.state, m.first, m.known = stateResetting, next, durable
		return m, nil
	})
}

// rebuild makes a change of more than one step: the intent is published, and then
// carried out just as it is after a crash, by reading the directory. stays is the
// last index that the journal knows of afterwards.
func (j *Journal) rebuild(doing string, stays uint64, change func(m manifest, durable uint64) (manifest, error)) error {
	if err := j.begin(); err != nil {
		return err
	}
	defer j.admin.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.settle(); err != nil {
		return err
	}
	m, err := change(j.manifest, j.durable)
	if err != nil {
		return err
	}
	if newest, err := j.newestSnapshot(); err != nil {
		return err
	} else if newest > stays {
		return ErrSnapshotted
	}
	if err := j.publishManifest(m); err != nil {
		return j.fail(doing, err)
	}
	j.reader.drop()
	if err := j.active.Close(); err != nil {
		return j.fail(doing, err)
	}
	if err := j.recover(); err != nil {
		return j.fail(doing, err)
	}
	return nil
}

package journal

import "fmt"

// publish makes a file that is there whole or not at all, whenever the power goes:
// written under another name, synced, renamed, and the name synced too. An error
// before the rename leaves at most a file with the other name, which the next
// Open removes.
func (d *disk) publish(name string, write func(File) error) error {
	if err := d.still(); err != nil {
		return err
	}
	temp := d.path(name + tempSuffix)
	f, err := d.fs.Create(temp)
	if err != nil {
		return fmt.Errorf("creating %s: %w", temp, err)
	}
	err = write(f)
	if err == nil {
		err = d.sync(f)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", temp, err)
	}
	if err := d.fs.Rename(temp, d.path(name)); err != nil {
		return fmt.Errorf("renaming %s: %w", temp, err)
	}
	return d.syncDir()
}

// publishManifest puts a manifest in the place of the present one.
func (d *disk) publishManifest(m manifest) error {
	return d.publish(manifestName, func(f File) error {
		_, err := f.WriteAt(m.encode(), 0)
		return err
	})
}

// publishSegment makes an empty segment of size bytes that begins where c stands.
func (d *disk) publishSegment(id uint64, c cursor, size int64) error {
	head := header{magic: magicSegment, id: id, index: c.index, chain: c.chain, extent: uint64(size)}
	return d.publish(segmentName(c.index), func(f File) error {
		if err := f.Preallocate(size); err != nil {
			return err
		}
		_, err := f.WriteAt(head.encode(), 0)
		return err
	})
}

// disk is a directory and the one place that decides whether a sync is made.
type disk struct {
	fs     FS
	dir    string
	unsafe bool // Options.UnsafeNoSyncForTests
	lock   Lock // nil for who only reads
}

// still is asked before any name is made or taken away: files are found by path, and
// those of another directory, a backup that was put back, say, are not ours to change.
func (d *disk) still() error { return d.lock.Still() }

func (d *disk) path(name string) string { return pathIn(d.dir, name) }

func (d *disk) sync(f File) error {
	if d.unsafe {
		return nil
	}
	return f.Sync()
}

func (d *disk) syncDir() error {
	if d.unsafe {
		return nil
	}
	if err := d.fs.SyncDir(d.dir); err != nil {
		return fmt.Errorf("syncing %s: %w", d.dir, err)
	}
	return nil
}

// remove takes names away, durably.
func (d *disk) remove(names []string) error {
	if len(names) == 0 {
		return nil
	}
	if err := d.still(); err != nil {
		return err
	}
	for _, name := range names {
		if err := d.fs.Remove(d.path(name)); err != nil {
			return fmt.Errorf("removing %s: %w", d.path(name), err)
		}
	}
	return d.syncDir()
}

package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// OS is the operating system's file system.
type OS struct{}

var _ FS = OS{}

const (
	dirMode  fs.FileMode = 0o700
	fileMode fs.FileMode = 0o600
)

// MkdirAll implements FS.
func (o OS) MkdirAll(dir string) error {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: errors.New("not a directory")}
		}
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := o.MkdirAll(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, dirMode); err != nil {
		return err
	}
	return o.SyncDir(parent)
}

// List implements FS.
func (OS) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}

// Create implements FS.
func (OS) Create(path string) (File, error) {
	return openFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

// Open implements FS.
func (OS) Open(path string) (File, error) { return openFile(path, os.O_RDWR) }

// OpenRead implements FS.
func (OS) OpenRead(path string) (File, error) { return openFile(path, os.O_RDONLY) }

// Rename implements FS.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements FS.
func (OS) Remove(path string) error { return os.Remove(path) }

// SyncDir implements FS.
func (OS) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil {
		_ = d.Close() // the sync's error is the one to tell
		return err
	}
	return d.Close()
}

// osFile is a File of the operating system; what differs between systems is in
// osfs_linux.go and osfs_other.go.
type osFile struct{ *os.File }

func openFile(path string, flag int) (File, error) {
	if err := regular(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flag, fileMode)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

// regular refuses what is there and is no regular file, before it is opened: to open a
// named pipe is to wait for whoever writes to it.
func regular(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "open", Path: path, Err: errors.New("it is no regular file")}
	}
	return nil
}

// Size implements File.
func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// extendWithZeros sets space aside where the file system cannot be asked to: by
// writing it.
func (f osFile) extendWithZeros(size int64) error {
	have, err := f.Size()
	if err != nil {
		return err
	}
	zeros := make([]byte, min(windowBytes, max(size-have, 0)))
	for at := have; at < size; {
		n, err := f.WriteAt(zeros[:min(int64(len(zeros)), size-at)], at)
		if err != nil {
			return err
		}
		at += int64(n)
	}
	return nil
}

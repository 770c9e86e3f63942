package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// save writes a file, by way of a new one beside it that takes its place when it is
// whole: where that fails half-way, what was there before is there still. What is no
// regular file, a device or a pipe, is written to as it is; a link is followed.
func save(name string, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	mode := fs.FileMode(0o666) // less what the umask takes
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return fill(file, write)
	}
	if err == nil {
		mode = info.Mode().Perm()
	}
	file, err := beside(name, mode)
	if err != nil {
		return &fs.PathError{Op: "create", Path: name, Err: cause(err)}
	}
	if err = fill(file, write); err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		os.Remove(file.Name()) // what is to be told is why
	}
	return err
}

// mostTries is how many names are tried for a file that must be new.
const mostTries = 100

// beside makes a new file in the folder of another.
func beside(name string, mode fs.FileMode) (*os.File, error) {
	for i := range mostTries {
		file, err := os.OpenFile(fmt.Sprintf("%s.%d.part", name, i), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
	return nil, fmt.Errorf("there are %d files named %s.N.part already", mostTries, name)
}

// fill writes a file and closes it. The error is the first there is: those that come
// later say the same.
func fill(file *os.File, write func(io.Writer) error) error {
	out := bufio.NewWriter(file)
	err := write(out)
	if err == nil {
		err = out.Flush()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// overwrites tells whether an output is the file that an input is read from, by whatever
// name or link.
func overwrites(output string, in *input) bool {
	file := in.file
	if file == nil {
		file, _ = in.from.(*os.File)
	}
	if file == nil {
		return false
	}
	from, err := file.Stat()
	if err != nil || !from.Mode().IsRegular() {
		return false
	}
	to, err := os.Stat(output)
	return err == nil && os.SameFile(from, to)
}

package command

import (
	"fmt"
	"io"
	"os"
)

// stdinName is the FILE that stands for standard input.
const stdinName = "-"

// input is a log that is being read.
type input struct {
	name string // for messages
	from io.Reader
	file *os.File // to be closed; nil for standard input
	size int64    // in bytes, -1 where that cannot be known
}

// inputError is an input that cannot be read, as opposed to one that can and is
// no log.
type inputError struct {
	name string
	err  error
}

func (e *inputError) Error() string { return fmt.Sprintf("cannot read %s: %v", e.name, e.err) }

// Unwrap gives what the system answered.
func (e *inputError) Unwrap() error { return e.err }

// openInput opens the log of a FILE argument.
func openInput(name string, stdin io.Reader) (*input, error) {
	if name == stdinName {
		file, _ := stdin.(*os.File)
		return &input{name: "stdin", from: stdin, size: sizeOf(file)}, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, &inputError{name, cause(err)}
	}
	return &input{name: name, from: file, file: file, size: sizeOf(file)}, nil
}

// sizeOf gives the length of a regular file and -1 for anything else.
func sizeOf(file *os.File) int64 {
	if file == nil {
		return -1
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}

// Read implements io.Reader and marks its errors as those of the input.
func (in *input) Read(p []byte) (int, error) {
	n, err := in.from.Read(p)
	if err != nil && err != io.EOF {
		err = &inputError{in.name, cause(err)}
	}
	return n, err
}

func (in *input) close() {
	if in.file != nil {
		in.file.Close() // it was only read: nothing can be lost
	}
}

// cause drops what the system's error repeats of the file's name.
func cause(err error) error {
	if path, ok := err.(*os.PathError); ok {
		return path.Err
	}
	return err
}

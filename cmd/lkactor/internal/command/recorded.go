package command

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/leasekeeper/lkactor/actors/oplog"
)

// recorded reads the recorded answers of a log: a file of results, or a log of
// records.
type recorded struct {
	*oplog.Decoder
	in *input
}

// sniffed is how much of a file is looked at to see how it is laid out.
const sniffed = 1 << 20

// openRecorded opens a file of recorded answers. It is laid out as its text shows, or
// else as its name says.
func openRecorded(cmd *cobra.Command, file string) (*recorded, error) {
	in, err := openInput(file, cmd.InOrStdin())
	if err != nil {
		return nil, err
	}
	text := bufio.NewReaderSize(in, sniffed)
	start, failed := text.Peek(sniffed) // an error comes again
	if failed == io.EOF && len(bytes.TrimSpace(start)) == 0 {
		in.close()
		return nil, &inputError{in.name, errors.New("it is empty, and should have the recorded answers")}
	}
	format, sure := layoutOf(start)
	if !sure {
		format = oplog.FormatOf(file)
	}
	return &recorded{Decoder: oplog.NewDecoder(text, in.name, format), in: in}, nil
}

// layoutOf tells from the start of a file whether it is one array or a value on each
// line; sure is false where it could be either.
func layoutOf(start []byte) (format oplog.Format, sure bool) {
	text := bytes.TrimLeft(start, " \t\r\n")
	if len(text) == 0 {
		return oplog.Array, false
	}
	if text[0] != '[' {
		return oplog.Lines, true
	}
	// An answer may be a list, too. If there is something behind the first value, it is
	// a line.
	d := jsontext.NewDecoder(bytes.NewReader(text))
	if err := d.SkipValue(); err != nil {
		return oplog.Array, false
	}
	if len(bytes.TrimSpace(text[d.InputOffset():])) > 0 {
		return oplog.Lines, true
	}
	return oplog.Array, false
}

// otherLogError tells that the records of a file are those of another log.
type otherLogError struct {
	log      string
	number   int64
	has, own string // the operation in the log, and in the file
}

func (e *otherLogError) Error() string {
	return fmt.Sprintf("its operation %d is %s, that of %s is %s", e.number, e.own, e.log, e.has)
}

// sameText tells whether two JSON texts say the same, however they are spaced.
func sameText(a, b string) bool {
	if a == b {
		return true
	}
	return bytes.Equal(compact(a), compact(b))
}

// compact gives JSON text on one line without spaces. Invalid text stays as it is.
func compact(text string) []byte {
	v := jsontext.Value(text)
	if err := v.Compact(); err != nil {
		return []byte(text)
	}
	return v
}

// drain counts the answers that are left.
func (r *recorded) drain() (n int64, err error) {
	for {
		if _, err := r.NextAnswer(); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
		n++
	}
}

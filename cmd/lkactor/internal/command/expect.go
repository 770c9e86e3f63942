package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/replay"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/review"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// comparison is replay --expect with its command line read.
type comparison struct {
	file   string // of the recorded answers
	format formatFlag
	json   bool

	out      *bufio.Writer
	answers  *recorded // nil where the log itself carries them
	name     string    // of the log
	ended    bool      // there are no more answers
	compared int64
	missing  int64    // the first operation without an answer
	counts   [3]int64 // by standing
	first    int64    // the operation of the first difference
}

// differs is the error of recorded answers that are not those of the rules. It has
// been told already.
type differs struct{ summary string }

func (d *differs) Error() string { return d.summary }

// run compares the log of args, or of the file itself, with the recorded answers.
func (c *comparison) run(cmd *cobra.Command, args []string) (err error) {
	c.out = bufio.NewWriter(cmd.OutOrStdout())
	file := c.file
	if len(args) > 0 {
		file = args[0]
		if c.answers, err = openRecorded(cmd, c.file); err != nil {
			return err
		}
		defer c.answers.in.close()
	}
	log, err := openLog(cmd, file, c.format)
	if err != nil {
		return err
	}
	defer log.close()
	c.name = log.in.name
	r := review.New(log.header)
	var operations int64
	err = log.each(cmd.Context(), func(number int64, op *lease.Operation, record oplog.Record) error {
		operations = number
		answer, err := c.answer(number, &record, log.in.name)
		if err != nil {
			return err
		}
		return c.tell(r.Do(number, op, record.Op, answer))
	})
	log.notice(cmd)
	if err == nil {
		err = c.finish(operations)
	}
	if failed := c.out.Flush(); failed != nil {
		return &replay.OutputError{Err: failed}
	}
	return hint(err, c.format)
}

// answer gives the recorded answer of an operation; empty if there is none.
func (c *comparison) answer(number int64, record *oplog.Record, log string) (answer string, err error) {
	if answer = record.Result; c.answers != nil {
		if answer, err = c.next(number, record, log); err != nil {
			return "", err
		}
	}
	if answer != "" {
		c.compared++
	} else if c.missing == 0 {
		c.missing = number
	}
	return answer, nil
}

// next gives that of the file of answers, which must be about the same operation.
func (c *comparison) next(number int64, record *oplog.Record, log string) (string, error) {
	if c.ended {
		return "", nil
	}
	own, err := c.answers.NextAnswer()
	switch {
	case err == io.EOF:
		c.ended = true
		return "", nil
	case err != nil:
		return "", err
	case own.Op != "" && !sameText(own.Op, record.Op):
		return "", &inputError{c.answers.in.name, &otherLogError{log, number, telling.Answer(record.Op), telling.Answer(own.Op)}}
	case own.Op == "" && own.Result[0] == '[' && sameText(own.Result, record.Op):
		if number == 1 {
			return "", &inputError{c.answers.in.name, errors.New("it has the operations of the log and not their answers")}
		}
		return "", nil // a bare operation among records
	}
	return own.Result, nil
}

// tell writes a finding; nil is none.
func (c *comparison) tell(f *review.Finding) error {
	if f == nil {
		return nil
	}
	c.counts[f.Standing]++
	if c.first == 0 {
		c.first = f.Number
	}
	text := findingText(f, c.first)
	if c.json {
		text = findingJSON(f)
	}
	if _, err := c.out.Write(text); err != nil {
		return &replay.OutputError{Err: err}
	}
	return nil
}

// finish writes what there is to say of all answers together.
func (c *comparison) finish(operations int64) error {
	var more int64
	if c.answers != nil {
		var err error
		if more, err = c.answers.drain(); err != nil {
			return err
		}
	}
	if operations > 0 && c.compared == 0 {
		return c.noAnswers()
	}
	if c.json && (more > 0 || c.missing > 0) {
		fmt.Fprintf(c.out, `{"operations":%d,"answers":%d`, operations, c.compared+more)
		if c.missing > 0 {
			fmt.Fprintf(c.out, `,"first_unanswered":%d`, c.missing)
		}
		fmt.Fprintln(c.out, "}")
	}
	count := c.counts[review.Cause] + c.counts[review.Follows] + c.counts[review.Unclear]
	summary := fmt.Sprintf("recorded answers that differ: %d of %d; causes: %d, following from an earlier one: %d, unclear: %d",
		count, c.compared, c.counts[review.Cause], c.counts[review.Follows], c.counts[review.Unclear])
	switch {
	case more > 0:
		return &differs{fmt.Sprintf("%s; there are more answers than operations: %d to %d", summary, operations+more, operations)}
	case c.missing > 0:
		which := fmt.Sprintf("operation #%d", c.missing)
		if n := operations - c.compared; n > 1 {
			which = fmt.Sprintf("%d of the %d operations, the first of them #%d", n, operations, c.missing)
		}
		return &differs{summary + "; there is no answer to " + which}
	case count > 0:
		return &differs{summary}
	}
	if !c.json {
		are := "recorded answers are those"
		if c.compared == 1 {
			are = "recorded answer is that"
		}
		fmt.Fprintf(c.out, "%d %s of the rules\n", c.compared, are)
	}
	return nil
}

// noAnswers is the error of a comparison with nothing to compare.
func (c *comparison) noAnswers() error {
	if c.answers != nil {
		return &inputError{c.answers.in.name, errors.New("it has no recorded answers")}
	}
	return &inputError{c.name, errors.New(`no operation in it has a recorded answer, as {"op": [...], "result": ...}; to compare a log with answers in another file, name both: lkactor replay LOG --expect ANSWERS`)}
}

// findingText shows a finding to people. first is the operation of the first one.
func findingText(f *review.Finding, first int64) []byte {
	var buf []byte
	standing := "a cause"
	switch f.Standing {
	case review.Follows:
		standing = fmt.Sprintf("follows from #%d", f.After)
	case review.Unclear:
		standing = fmt.Sprintf("unclear: this may follow from #%d", f.After)
	case review.Cause:
		if f.Number != first {
			standing = "a cause of its own: no earlier difference can have led to this one"
		}
	}
	buf = fmt.Appendf(buf, "#%d differs, rule %s (%s)\n", f.Number, f.Rule, standing)
	buf = fmt.Appendf(buf, "  operation  %s\n", telling.Answer(string(compact(f.Operation))))
	buf = fmt.Appendf(buf, "  recorded   %s\n", telling.Answer(string(compact(f.Recorded))))
	buf = fmt.Appendf(buf, "  expected   %s\n", telling.Answer(f.Expected))
	return fmt.Appendf(buf, "  because    %s\n", f.Why)
}

// findingJSON shows a finding to machines, on one line.
func findingJSON(f *review.Finding) []byte {
	text, err := json.Marshal(struct {
		Operation int64          `json:"operation"`
		Op        jsontext.Value `json:"op"`
		Recorded  jsontext.Value `json:"recorded"`
		Expected  jsontext.Value `json:"expected"`
		Rule      string         `json:"rule"`
		Why       string         `json:"why"`
		Standing  string         `json:"standing"`
		After     int64          `json:"after,omitzero"`
	}{f.Number, compact(f.Operation), compact(f.Recorded), jsontext.Value(f.Expected), f.Rule, f.Why, f.Standing.String(), f.After},
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		panic(err) // all texts have been read as JSON
	}
	return append(escape.JSON(nil, text), '\n')
}

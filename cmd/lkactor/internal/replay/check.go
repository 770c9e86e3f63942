package replay

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

// Difference is the first operation to which the engine and the model gave
// different results.
type Difference struct {
	Number    int64 // of the operation in the log, from 1
	Operation lease.Operation
	Engine    lease.Result
	Model     lease.Result

	index int // in its batch
}

// Error shows the operation and both results, each on a line of its own.
func (d *Difference) Error() string {
	return fmt.Sprintf("operation %d differs:\n%s\nengine: %s\nmodel:  %s", d.Number,
		oplog.AppendOperation(nil, &d.Operation), oplog.AppendResult(nil, &d.Engine), oplog.AppendResult(nil, &d.Model))
}

// Model is what the engine is checked against; it has no error and no context.
type Model interface {
	Run(ops []lease.Operation, results []lease.Result)
}

// Check makes a runner that has engine and model run side by side, gives the
// results of engine, and ends with a *[Difference] where the two differ.
func Check(engine Runner, model Model) Runner {
	return &checked{engine: engine, model: model}
}

type checked struct {
	engine   Runner
	model    Model
	expected []lease.Result
	before   int64 // operations run before
	texts    [2][]byte
}

// Run implements [Runner].
func (c *checked) Run(ctx context.Context, ops []lease.Operation, results []lease.Result) error {
	if err := c.engine.Run(ctx, ops, results); err != nil {
		return err
	}
	c.expected = slices.Grow(c.expected[:0], len(ops))
	expected := c.expected[:len(ops)]
	clear(expected)
	c.model.Run(ops, expected)
	for i := range ops {
		// Equal results give equal bytes and unequal ones do not: the text is
		// what the log promises, so the text is compared.
		c.texts[0] = oplog.AppendResult(c.texts[0][:0], &results[i])
		c.texts[1] = oplog.AppendResult(c.texts[1][:0], &expected[i])
		if !bytes.Equal(c.texts[0], c.texts[1]) {
			return &Difference{
				Number:    c.before + int64(i) + 1,
				Operation: ops[i],
				Engine:    results[i],
				Model:     expected[i],
				index:     i,
			}
		}
	}
	c.before += int64(len(ops))
	return nil
}

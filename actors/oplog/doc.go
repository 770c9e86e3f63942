// Package oplog is the operation log as text: it decodes logs to
// lease.Operation and encodes lease.Result, streaming both ways. Of its own
// accord it tells live logs from plain ones, by the [Header] that they begin with
// (E1).
//
// It owns the layout of logs ([Format]), the checks that are about their form
// (rules O1, O2, O3, O5, O6, O9, O10, what E1 to E4 add to them and, for
// templates, R3), the position of whatever makes a text no log ([SyntaxError]),
// and the limits of the text. It never looks at the state of a lock or a client,
// never opens a file, and keeps nothing from one operation to the next but which
// kind of log this is.
//
// Reading order: [Decoder], then operation.go, where the text of one operation
// goes through the checks in their order, then [AppendResult]. What live logs
// have more is in header.go and addition.go.
//
// # Choice of the parser
//
// JSON is read by jsontext, the token layer of encoding/json/v2, which becomes a
// part of the standard library with Go 1.27; until then its module is a mirror of
// it. It is strict, it streams, it says where it is, and it hands out the text
// of a value unchanged, which O9 (integers of any size) and O10 (strings that
// are not Unicode) need: what has been through a float64 or had its invalid
// bytes replaced cannot be judged any more. Nothing here parses JSON itself:
// list.go, which finds the elements of an operation, only ever sees text that
// has passed jsontext.
//
// Reading a log of 20,000 operations of 43 bytes, in ns per operation: the best
// of twenty runs on a machine of two cores that was busy with other things,
// go1.26:
//
//	encoding/json tokens                   4900
//	encoding/json into []any, UseNumber    1350
//	goccy/go-json into []any                670
//	bytedance/sonic into []any              650
//	encoding/json, a RawMessage each        450
//	bytedance/sonic, stream of messages     360
//	go-faster/jx, pulled                    280
//	jsontext tokens                         122
//	jsontext, a value each                   90
//	this decoder, all checks included       270
//	AppendResult                             24
//
// The benchmarks of this package give the lines that concern it.
package oplog

package oplog

import (
	"io"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

func TestRecordsAndBareOperations(t *testing.T) {
	log := `{"op":["acquire",1,"a","L",5], "result": ["granted", 1, 6]}
["renew",2,"a","L",5]
{"result":null,"op" : ["read",3,"L","k"]}
{"ops":["read",4,"L","k"]}
{"op":5,"result":{"a":[1]}}
`
	d := NewDecoder(strings.NewReader(log), "log", Lines)
	for i, want := range []struct {
		kind   lease.Kind
		record Record
	}{
		{lease.Acquire, Record{`["acquire",1,"a","L",5]`, `["granted", 1, 6]`}},
		{lease.Renew, Record{`["renew",2,"a","L",5]`, ""}},
		{lease.Read, Record{`["read",3,"L","k"]`, "null"}},
		{lease.Refused, Record{`{"ops":["read",4,"L","k"]}`, ""}}, // no record, and no operation (O1)
		{lease.Refused, Record{"5", `{"a":[1]}`}},
	} {
		var op lease.Operation
		r, err := d.NextRecord(&op)
		if err != nil || op.Kind != want.kind || r != want.record {
			t.Errorf("entry %d is %v %q, %v; want %v %q", i, op.Kind, r, err, want.kind, want.record)
		}
	}
	if _, err := d.NextText(); err != io.EOF {
		t.Errorf("then %v", err)
	}
}

// What is meant as a record and is none is refused where it goes wrong, in both layouts,
// as the first entry and later.
func TestBadRecordsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"result":1}`:                    `:12: expected the key "op" in an operation with its answer, found its end`,
		`{"OP":1,"result":2}`:             `:2: expected "op", "result" and no other key in an operation with its answer, found "OP"`,
		`{"op":[],"Result":2}`:            `:10: expected "op", "result" and no other key in an operation with its answer, found "Result"`,
		`{"host":5,"op":[],"result":2}`:   `:2: expected "op", "result" and no other key in an operation with its answer, found "host"`,
		`{"op":[],"result":2,"result":3}`: `:21: expected "op" and "result" once each in an operation with its answer, found "result" again`,
		`{"op":[], "\u006fp":[] }`:        `:11: expected "op" and "result" once each in an operation with its answer, found "\u006fp" again`,
	} {
		for before, line := range map[string]string{"": "log:1", "[1,2]\n\n": "log:3"} {
			checkBad(t, NewDecoder(strings.NewReader(before+text+"\n"), "log", Lines), line+want)
		}
		for _, first := range []string{"[\n", "[[1,2] ,\n"} {
			checkBad(t, NewDecoder(strings.NewReader(first+text+"]"), "log", Array), "log:2"+want)
		}
	}
	checkBad(t, NewDecoder(strings.NewReader("[ {\"op\":[1,\n2],\n \"x\":1}]"), "log", Array),
		`log:3:2: expected "op", "result" and no other key in an operation with its answer, found "x"`)
}

// checkBad reads to the end with each way to read records.
func checkBad(t *testing.T, d *Decoder, want string) {
	t.Helper()
	d.Header()
	var err error
	for i := 0; err == nil; i++ {
		var op lease.Operation
		if i%2 == 0 {
			_, err = d.NextRecord(&op)
		} else {
			_, err = d.NextAnswer()
		}
	}
	if err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if _, again := d.NextText(); again != err {
		t.Errorf("then %v", again)
	}
}

func TestNextAnswer(t *testing.T) {
	d := NewDecoder(strings.NewReader(`[{"op":[],"result":1},{"ops":1,"results":{}},"ok"]`), "answers", Array)
	for _, want := range []Record{{"[]", "1"}, {"", `{"ops":1,"results":{}}`}, {"", `"ok"`}} {
		if r, err := d.NextAnswer(); r != want || err != nil {
			t.Errorf("%q, %v; want %q", r, err, want)
		}
	}
}

// The results of a log are laid out like one.
func TestTextsOfResults(t *testing.T) {
	d := NewDecoder(strings.NewReader("[\n[\"granted\",1,5],\n\"ok\",\nnull\n]\n"), "results", Array)
	for _, want := range []string{`["granted",1,5]`, `"ok"`, `null`} {
		if text, err := d.NextText(); text != want || err != nil {
			t.Errorf("%s, %v; want %s", text, err, want)
		}
	}
	if _, err := d.NextText(); err != io.EOF {
		t.Errorf("then %v", err)
	}
}

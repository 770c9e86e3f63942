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
{"host":"x","result":null,"op" : ["read",3,"L","k"],"more":{"op":1}}
{"op":["read",4,"L","k"]}
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
		{lease.Refused, Record{`{"op":["read",4,"L","k"]}`, ""}}, // no record, and no operation (O1)
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

package oplog

import (
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

func TestFormOf(t *testing.T) {
	for _, test := range []struct {
		text    string
		dialect lease.Dialect
		want    lease.Form
	}{
		{`["acquire",0,"a","L",5]`, lease.Plain, lease.Form{}},
		{`{"op":1}`, lease.Plain, lease.Form{Rule: "O1", Part: "the operation", Given: `{"op":1}`, Fault: "is no array"}},
		{`["acquire"]`, lease.Plain, lease.Form{Rule: "O1", Part: "the operation", Given: `["acquire"]`, Fault: "does not begin with a name and a timestamp"}},
		{`[]`, lease.Plain, lease.Form{Rule: "O1", Part: "the operation", Given: `[]`, Fault: "does not begin with a name and a timestamp"}},
		{`["fetch",0]`, lease.Plain, lease.Form{Rule: "O2", Part: "the name", Given: `"fetch"`, Fault: "is that of no operation"}},
		{`[5,0]`, lease.Plain, lease.Form{Rule: "O2", Part: "the name", Given: "5", Fault: "is no string"}},
		{`["tick",0]`, lease.Plain, lease.Form{Rule: "O2", Part: "the name", Given: `"tick"`, Fault: "is that of an operation of live logs, and the log has no header of one"}},
		{`["repeat",0,1,1,["read","L","k"]]`, lease.Live, lease.Form{Rule: "O2", Part: "the name", Given: `"repeat"`, Fault: "is that of an operation of plain logs, and the log is live"}},
		{`["tick",0]`, lease.Live, lease.Form{}},
		{`["status",1.5,"a"]`, lease.Plain, lease.Form{Rule: "O3", Kind: lease.Status, Client: "a", Part: "the timestamp", Given: "1.5", Fault: "is no integer: it has a fraction or an exponent"}},
		{`["status",1e2,"a"]`, lease.Plain, lease.Form{Rule: "O3", Kind: lease.Status, Client: "a", Part: "the timestamp", Given: "1e2", Fault: "is no integer: it has a fraction or an exponent"}},
		{`["status","1","a"]`, lease.Plain, lease.Form{Rule: "O3", Kind: lease.Status, Client: "a", Part: "the timestamp", Given: `"1"`, Fault: "is no integer"}},
		{`["status",9223372036854775807,"a"]`, lease.Plain, lease.Form{Rule: "O3", Kind: lease.Status, Client: "a", Part: "the timestamp", Given: "9223372036854775807", Fault: "is not from -4611686018427387904 to 4611686018427387904"}},
		{`["status",1]`, lease.Plain, lease.Form{Rule: "O5", Kind: lease.Status, Part: "the list of arguments", Fault: "has 0, and status takes exactly 1"}},
		{`["status",1,"a","b"]`, lease.Plain, lease.Form{Rule: "O5", Kind: lease.Status, Client: "a", Part: "the list of arguments", Fault: "has 2, and status takes exactly 1"}},
		{`["acquire",0,"a","L",5,"shared",1]`, lease.Plain, lease.Form{Rule: "O5", Kind: lease.Acquire, Client: "a", Lock: "L", Part: "the list of arguments", Fault: "has 5, and acquire takes 3 to 4"}},
		{`["acquire",0,"a","L"]`, lease.Plain, lease.Form{Rule: "O5", Kind: lease.Acquire, Client: "a", Lock: "L", Part: "the list of arguments", Fault: "has 2, and acquire takes 3 to 4"}},
		{`["acquire",0,"a","L",5,null]`, lease.Plain, lease.Form{Rule: "O6", Kind: lease.Acquire, Client: "a", Lock: "L", Part: "the mode", Given: "null", Fault: "is no string"}},
		{`["acquire",0,"a","L",5,"odd"]`, lease.Plain, lease.Form{Rule: "O6", Kind: lease.Acquire, Client: "a", Lock: "L", Part: "the mode", Given: `"odd"`, Fault: `is neither "exclusive" nor "shared"`}},
		{`["acquire",0,"a","L",30.0]`, lease.Plain, lease.Form{Rule: "O6", Kind: lease.Acquire, Client: "a", Lock: "L", Part: "the ttl", Given: "30.0", Fault: "is no integer: it has a fraction or an exponent"}},
		{`["acquire",0,"","L",0]`, lease.Plain, lease.Form{Rule: "O6", Kind: lease.Acquire, Lock: "L", Part: "the client", Given: `""`, Fault: "is empty"}},
		{`["acquire",0,"\ud800","L",5]`, lease.Plain, lease.Form{Rule: "O6", Kind: lease.Acquire, Lock: "L", Part: "the client", Given: `"\ud800"`, Fault: "is no valid Unicode"}},
		{`["status",1,{}]`, lease.Live, lease.Form{Rule: "O6", Kind: lease.Status, Part: "the client", Given: "{}", Fault: "is no string"}},
		{`["write",1,"L","k","v",0]`, lease.Plain, lease.Form{Rule: "O6", Kind: lease.Write, Lock: "L", Part: "the token", Given: "0", Fault: "is not from 1 to 4611686018427387904"}},
		{`["acquire",0,"a","L",0]`, lease.Plain, lease.Form{Rule: "O7", Kind: lease.Acquire, Client: "a", Lock: "L", Part: "the ttl", Given: "0", Fault: "is not from 1 to 86400"}},
		{`["renew",0,"a","L",5]`, lease.Live, lease.Form{Rule: "O7", Kind: lease.Renew, Client: "a", Lock: "L", Part: "the ttl", Given: "5", Fault: "is not from 1000000 to 86400000000000"}},
		{`["renew",0,"a","L",5,{"id":"x"}]`, lease.Live, lease.Form{Rule: "O7", Kind: lease.Renew, Client: "a", Lock: "L", Part: "the ttl", Given: "5", Fault: "is not from 1000000 to 86400000000000"}},
		{`["repeat",0,0,1,["read","L","k"]]`, lease.Plain, lease.Form{Rule: "R3", Kind: lease.Repeat, Part: "the count", Given: "0", Fault: "is not from 1 to 100000"}},
		{`["repeat",0,1,-1,["read","L","k"]]`, lease.Plain, lease.Form{Rule: "R3", Kind: lease.Repeat, Part: "the step", Given: "-1", Fault: "is not from 0 to 4611686018427387904"}},
		{`["repeat",0,1,1,["read","{i%0}","k"]]`, lease.Plain, lease.Form{Rule: "R3", Kind: lease.Repeat, Part: "the template", Given: `["read","{i%0}","k"]`, Fault: "is none that can be repeated"}},
		{`["repeat",0,1,["read","L","k"]]`, lease.Plain, lease.Form{Rule: "O5", Kind: lease.Repeat, Part: "the list of arguments", Fault: "has 2, and repeat takes exactly 3"}},
		{`["repeat",0,2,1,["acquire","c{i}","L",0]]`, lease.Plain, lease.Form{Rule: "O7", Kind: lease.Acquire, Part: "the ttl", Given: "0", Fault: "is not from 1 to 86400"}},
		{`["repeat",0,2,1,["fetch"]]`, lease.Plain, lease.Form{Rule: "O2", Part: "the name", Given: `"fetch"`, Fault: "is that of no operation"}},
		{`["acquire",0,"a","L",5000000,{"id":""}]`, lease.Live, lease.Form{Rule: "E3", Kind: lease.Acquire, Client: "a", Lock: "L", Part: "the request id", Given: `""`, Fault: "is empty"}},
		{`["acquire",0,"a","L",5000000,{"token":1}]`, lease.Live, lease.Form{Rule: "E3", Kind: lease.Acquire, Client: "a", Lock: "L", Part: "the expected token", Given: `1`, Fault: "is of no use: only a renew or release is of a lease"}},
		{`["renew",0,"a","L",5000000,{"id":"x","token":1.0}]`, lease.Live, lease.Form{Rule: "E3", Kind: lease.Renew, Client: "a", Lock: "L", Part: "the expected token", Given: `1.0`, Fault: "is no integer: it has a fraction or an exponent"}},
		{`["renew",0,"a","L",5000000,{"token":0}]`, lease.Live, lease.Form{Rule: "E3", Kind: lease.Renew, Client: "a", Lock: "L", Part: "the expected token", Given: `0`, Fault: "is not from 1 to 4611686018427387904"}},
		{`["release",0,"a","L",{"id":7}]`, lease.Live, lease.Form{Rule: "E3", Kind: lease.Release, Client: "a", Lock: "L", Part: "the request id", Given: `7`, Fault: "is no string"}},
		{`["release",0,"a","L",{"id":"x","id":"y"}]`, lease.Live, lease.Form{Rule: "E3", Kind: lease.Release, Client: "a", Lock: "L", Part: "the key", Given: `"id"`, Fault: "stands there twice"}},
		{`["release",0,"a","L",{"ID":"x"}]`, lease.Live, lease.Form{Rule: "E3", Kind: lease.Release, Client: "a", Lock: "L", Part: "the key", Given: `"ID"`, Fault: `is neither "id" nor "token"`}},
		{`["release",0,"a","L",{}]`, lease.Live, lease.Form{Rule: "E3", Kind: lease.Release, Client: "a", Lock: "L", Part: "the object at the end", Given: `{}`, Fault: `has neither "id" nor "token"`}},
		{`["inspect",0,"L",{"id":"x"}]`, lease.Live, lease.Form{Rule: "E3", Kind: lease.Inspect, Lock: "L", Part: "the request id", Given: `"x"`, Fault: "is of no use: the operation has no client"}},
		{`["acquire",0,"a","L",5000000,{"id":"x"}]`, lease.Plain, lease.Form{Rule: "O6", Kind: lease.Acquire, Client: "a", Lock: "L", Part: "the mode", Given: `{"id":"x"}`, Fault: "is no string"}},
	} {
		var op lease.Operation
		if !ParseOperation(test.text, &op, test.dialect) {
			t.Fatalf("%s is no JSON", test.text)
		}
		var got lease.Form
		if f := FormOf(&op, test.text, test.dialect); f != nil {
			got = *f
		}
		if got != test.want {
			t.Errorf("%s: %+v,\nwant %+v", test.text, got, test.want)
		}
	}
}

// Whatever is refused for its form has a form that says so, and nothing else has one.
func FuzzFormOf(f *testing.F) {
	for _, text := range []string{`["acquire",0,"a","L",5]`, `["repeat",0,2,1,["acquire","c","L",0]]`, `["release",1,"a","L",{"id":"x","token":2}]`, `[[]]`, `"x"`} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, live bool) {
		d := lease.Plain
		if live {
			d = lease.Live
		}
		var op lease.Operation
		if !ParseOperation(text, &op, d) {
			return
		}
		form := FormOf(&op, text, d)
		refused := op.Kind == lease.Refused || op.Kind == lease.Repeat && op.Repeat.Template.Op.Kind == lease.Refused
		if refused != (form != nil) {
			t.Fatalf("%s: %+v of %+v", text, form, op)
		}
		if form != nil && (form.Rule == "" || form.Part == "" || form.Fault == "" || form.Part == "an argument") {
			t.Fatalf("%s: %+v", text, form)
		}
	})
}

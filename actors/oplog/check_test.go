package oplog

import (
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

func TestFailedCheck(t *testing.T) {
	for _, test := range []struct {
		text    string
		dialect lease.Dialect
		want    string
	}{
		{`["acquire",0,"a","L",5]`, lease.Plain, ""},
		{`{"op":1}`, lease.Plain, "O1"},
		{`["acquire"]`, lease.Plain, "O1"},
		{`[]`, lease.Plain, "O1"},
		{`5`, lease.Plain, "O1"},
		{`["fetch",0]`, lease.Plain, "O2"},
		{`[5,0]`, lease.Plain, "O2"},
		{`["tick",0]`, lease.Plain, "O2"},
		{`["tick",0]`, lease.Live, ""},
		{`["status",1.5,"a"]`, lease.Plain, "O3"},
		{`["status",9223372036854775807,"a"]`, lease.Plain, "O3"},
		{`["status",1]`, lease.Plain, "O5"},
		{`["status",1,"a","b"]`, lease.Plain, "O5"},
		{`["acquire",0,"a","L",5,"shared",1]`, lease.Plain, "O5"},
		{`["acquire",0,"a","L"]`, lease.Plain, "O5"},
		{`["acquire",0,"a","L",5,null]`, lease.Plain, "O6"},
		{`["acquire",0,"","L",0]`, lease.Plain, "O6"},
		{`["status",1,{}]`, lease.Live, "O6"},
		{`["write",1,"L","k","v",0]`, lease.Plain, "O6"},
		{`["acquire",0,"a","L",0]`, lease.Plain, "O7"},
		{`["repeat",0,0,1,["read","L","k"]]`, lease.Plain, "R3"},
		{`["repeat",0,1,["read","L","k"]]`, lease.Plain, "O5"},
		{`["acquire",0,"a","L",5000000,{"id":""}]`, lease.Live, "E3"},
		{`["acquire",0,"a","L",5000000,{"token":1}]`, lease.Live, "E3"},
		{`["acquire",0,"a","L",5000000,{"id":"x"}]`, lease.Plain, "O6"},
	} {
		if got := FailedCheck(test.text, test.dialect); got != test.want {
			t.Errorf("%s fails %q, want %q", test.text, got, test.want)
		}
	}
}

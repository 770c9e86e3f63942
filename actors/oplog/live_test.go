package oplog

import (
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

func TestE_OperationsOfLiveLogsDecode(t *testing.T) {
	checkLive(t, []entry{
		{`["acquire",-3,"c","l",60000000000,"shared"]`, lease.Operation{Kind: lease.Acquire, At: -3, Client: "c", Lock: "l", TTL: 60_000_000_000, Mode: lease.Shared}},
		{`["write",1,"l","k","v",7]`, lease.Operation{Kind: lease.Write, At: 1, Lock: "l", Key: "k", Value: "v", Token: 7}},
		{`["inspect",1,"l"]`, lease.Operation{Kind: lease.Inspect, At: 1, Lock: "l"}},
		{`["read",1,"l","k"]`, lease.Operation{Kind: lease.Read, At: 1, Lock: "l", Key: "k"}},
		{`["tick",5]`, lease.Operation{Kind: lease.Tick, At: 5}},
		{`["evict",5,"c","l"]`, lease.Operation{Kind: lease.Evict, At: 5, Client: "c", Lock: "l"}},
		{`["bump",5,"l",4611686018427387904]`, lease.Operation{Kind: lease.Bump, At: 5, Lock: "l", Token: lease.MaxMagnitude}},
		{`["forget",5,"l"]`, lease.Operation{Kind: lease.Forget, At: 5, Lock: "l"}},
		{`["close",5,"c"]`, lease.Operation{Kind: lease.Close, At: 5, Client: "c"}},
	})
}

func TestE1_RangeOfTheTTLInNanoseconds(t *testing.T) {
	op := lease.Operation{Kind: lease.Acquire, Client: "c", Lock: "l", TTL: lease.MinTTLNanoseconds}
	longest := op
	longest.TTL = lease.MaxTTLNanoseconds
	checkLive(t, []entry{{`["acquire",0,"c","l",1000000]`, op}, {`["acquire",0,"c","l",86400000000000]`, longest}},
		refusals(badTTLAt(0), `["acquire",0,"c","l",999999]`, `["renew",0,"c","l",86400000000001]`, `["acquire",0,"c","l",60,"shared"]`,
			`["renew",0,"c","l",60,{"id":"r"}]`, `["acquire",0,"c","l",-0,{"id":"r"}]`, `["renew",0,"c","l",1`+strings.Repeat("0", 30)+`,{"token":1}]`))
}

func TestE1_NoRepeat(t *testing.T) {
	checkLive(t, refusals(unknown, `["repeat",5,3,2,["status","c"]]`, `["repeat",1.5]`))
}

func TestE_OnlyLiveLogsHaveIt(t *testing.T) {
	checkEntries(t, refusals(unknown, `["tick",5]`, `["evict",5,"c","l"]`, `["bump",5,"l",1]`, `["forget",5,"l"]`, `["close",5,"c"]`),
		refusals(invalidAt(0), `["acquire",0,"c","l",60,{"id":"r"}]`, `["acquire",0,"c","l",60,"shared",{"id":"r"}]`, `["renew",0,"c","l",60,{"token":1}]`,
			`["release",0,"c","l",{"id":"r"}]`, `["status",0,"c",{"id":"r"}]`, `["status",0,{"id":"r"}]`))
}

func TestO5_NumberOfArgumentsInLiveLogs(t *testing.T) {
	checkLive(t, refusals(invalidAt(0),
		`["tick",0,5]`, `["tick",0,null]`, `["evict",0,"c"]`, `["evict",0,"c","l",1]`, `["bump",0,"l"]`, `["bump",0,"l",1,1]`,
		`["forget",0]`, `["forget",0,"l","l"]`, `["close",0]`, `["close",0,"c","c"]`, `["close",0,{"id":"r"}]`, `["evict",0,"c",{"id":"r"}]`,
	))
}

func TestO6_TypesInLiveLogs(t *testing.T) {
	var wrong []string
	for _, bad := range []string{`""`, `7`, `null`, `["c"]`, `{"id":"r"}`, `"\ud83d"`, "\"\xc3\""} {
		wrong = append(wrong, `["evict",0,`+bad+`,"l"]`, `["evict",0,"c",`+bad+`]`, `["bump",0,`+bad+`,1]`, `["forget",0,`+bad+`]`, `["close",0,`+bad+`]`)
	}
	for _, bad := range []string{`0`, `-1`, `1.0`, `"1"`, `null`, `4611686018427387905`, `1` + strings.Repeat("0", 30)} {
		wrong = append(wrong, `["bump",0,"l",`+bad+`]`)
	}
	checkLive(t, refusals(invalidAt(0), wrong...))
}

func TestE3_WhatAnOperationMayAdd(t *testing.T) {
	acquire := lease.Operation{Kind: lease.Acquire, At: 1, Client: "c", Lock: "l", TTL: 1_000_000, ID: "r"}
	shared := acquire
	shared.Mode = lease.Shared
	renew := lease.Operation{Kind: lease.Renew, At: 1, Client: "c", Lock: "l", TTL: 1_000_000, Expect: 7}
	release := lease.Operation{Kind: lease.Release, At: 1, Client: "c", Lock: "l", ID: "r", Expect: 7}
	strange := lease.Operation{Kind: lease.Status, At: 1, Client: "c", ID: " \x00😀"}
	checkLive(t, []entry{
		{`["acquire",1,"c","l",1000000,{"id":"r"}]`, acquire},
		{`["acquire",1,"c","l",1000000,"exclusive",{"id":"r"}]`, acquire},
		{`["acquire",1,"c","l",1000000,"shared" , { "\u0069d" : "\u0072" } ]`, shared},
		{`["renew",1,"c","l",1000000,{"token":7}]`, renew},
		{`["release",1,"c","l",{"id":"r","token":7}]`, release},
		{`["release",1,"c","l",{"token":7,"id":"r"}]`, release},
		{`["status",1,"c",{"id":" \u0000😀"}]`, strange},
		{`["evict",1,"c","l",{"id":"r"}]`, lease.Operation{Kind: lease.Evict, At: 1, Client: "c", Lock: "l", ID: "r"}},
		{`["close",1,"c",{"id":"r"}]`, lease.Operation{Kind: lease.Close, At: 1, Client: "c", ID: "r"}},
	})
}

// badAdditions are what may not stand at the end of a renew or release.
var badAdditions = []string{
	`{}`, `[]`, `null`, `"r"`, `7`, `["id","r"]`, `{"id":"r"},{"token":1}`, `{"id":"r"},null`, `null,{"id":"r"}`,
	`{"id":""}`, `{"id":5}`, `{"id":null}`, `{"id":["r"]}`, `{"id":{"id":"r"}}`, `{"id":"\ud800"}`, "{\"id\":\"\xff\"}",
	`{"token":0}`, `{"token":-1}`, `{"token":1.0}`, `{"token":1e0}`, `{"token":"1"}`, `{"token":null}`, `{"token":true}`,
	`{"token":4611686018427387905}`, `{"token":1000000000000000000000000000000}`,
	`{"id":"r","id":"r"}`, `{"token":1,"token":1}`, `{"id":"r","token":1,"\u0069d":"s"}`, `{"id":"r","token":1,"x":0}`,
	`{"ID":"r"}`, `{"id ":"r"}`, `{"":"r"}`, `{"\ud800":1}`, `{"Token":1}`, `{"id":"r","token":0}`, `{"id":"","token":1}`, `{"lkactor":1}`,
}

func TestE3_BadAdditions(t *testing.T) {
	var wrong []string
	for _, bad := range badAdditions {
		wrong = append(wrong, `["release",0,"c","l",`+bad+`]`, `["renew",0,"c","l",1000000,`+bad+`]`, `["renew",0,"c","l",0,`+bad+`]`)
	}
	// A request is some client's, and a token that of the lease of a renew or release.
	wrong = append(wrong,
		`["tick",0,{"id":"r"}]`, `["inspect",0,"l",{"id":"r"}]`, `["write",0,"l","k","v",1,{"id":"r"}]`, `["read",0,"l","k",{"id":"r"}]`,
		`["bump",0,"l",1,{"id":"r"}]`, `["forget",0,"l",{"id":"r"}]`, `["tick",0,{}]`, `["bump",0,"l",1,{"token":1}]`,
		`["acquire",0,"c","l",1000000,{"token":1}]`, `["acquire",0,"c","l",0,"shared",{"id":"r","token":1}]`, `["status",0,"c",{"token":1}]`,
		`["evict",0,"c","l",{"token":1}]`, `["close",0,"c",{"token":1,"id":"r"}]`,
		`["acquire",0,"c","l",{"id":"r"},1000000]`, `["acquire",0,"c","l",1000000,{"id":"r"},"shared"]`, `["acquire",0,"c","l",1000000,null,{"id":"r"}]`,
	)
	checkLive(t, refusals(invalidAt(0), wrong...))
}

func TestE_OperationsAreWrittenAsTheyAreRead(t *testing.T) {
	for _, text := range []string{
		`["tick",-5]`, `["evict",1,"c","l"]`, `["bump",1,"l",7]`, `["forget",1,"l"]`, `["close",1,"c"]`,
		`["acquire",0,"c","l",1000000,{"id":"r\n"}]`, `["acquire",0,"c","l",86400000000000,"shared",{"id":"é"}]`,
		`["renew",0,"c","l",1000000,{"token":4611686018427387904}]`, `["release",0,"c","l",{"id":"r","token":1}]`,
		`["status",0,"c",{"id":"r"}]`, `["evict",0,"c","l",{"id":"r"}]`, `["close",0,"c",{"id":"r"}]`,
	} {
		op := decodeLive(t, text)
		if op.Kind == lease.Refused {
			t.Errorf("%s is refused", text)
		}
		if got := string(AppendOperation(nil, &op)); got != text {
			t.Errorf("%s is written as %s", text, got)
		}
	}
	for text, want := range map[string]string{
		`["repeat",0,1,0,[]]`:                                       `["?",0]`,
		`["acquire",3,"c","l",60]`:                                  `["acquire",3,"?","?",0]`,
		`["release",3,"c","l",{}]`:                                  `["acquire",3]`,
		`["acquire",0,"c","l",1000000,"exclusive",{"\u0069d":"r"}]`: `["acquire",0,"c","l",1000000,{"id":"r"}]`,
	} {
		op := decodeLive(t, text)
		got := string(AppendOperation(nil, &op))
		if got != want {
			t.Errorf("%s is written as %s, want %s", text, got, want)
		}
		if again := decodeLive(t, got); again != op {
			t.Errorf("%s decodes to %+v, %s to %+v", text, op, got, again)
		}
	}
}

// decodeLive decodes one operation of a live log.
func decodeLive(t *testing.T, text string) lease.Operation {
	t.Helper()
	ops, err := decodeAll(strings.NewReader(laidOut(Array, headerText, text)), Array)
	if err != nil || len(ops) != 1 {
		t.Fatalf("%s decodes to %d operations, %v", text, len(ops), err)
	}
	return ops[0]
}

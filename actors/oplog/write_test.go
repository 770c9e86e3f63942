package oplog

import (
	"reflect"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// decodeOne decodes a log of one operation.
func decodeOne(t *testing.T, text string) lease.Operation {
	t.Helper()
	ops, err := decodeAll(strings.NewReader(text), Lines)
	if err != nil || len(ops) != 1 {
		t.Fatalf("%s decodes to %d operations, %v", text, len(ops), err)
	}
	return ops[0]
}

func TestOperationsAreWrittenAsTheyAreRead(t *testing.T) {
	for _, text := range []string{
		`["acquire",-3,"c","l",60]`,
		`["acquire",0,"c","l",86400,"shared"]`,
		`["renew",4611686018427387904,"c","l",2]`,
		`["release",-4611686018427387904,"c\"","é\n"]`,
		`["inspect",1,"l"]`,
		`["status",1,"c"]`,
		`["write",1,"l","k","v",4611686018427387904]`,
		`["read",1,"l","k"]`,
		`["repeat",5,3,2,["acquire","job{i}","L{i%100}",60]]`,
		`["repeat",5,3,2,["acquire","{{i}}","L{i+007%0100}",60,"shared"]]`,
		`["repeat",5,3,0,["write","{i}","{i+1}","{x}",9]]`,
	} {
		op := decodeOne(t, text)
		if op.Kind == lease.Refused {
			t.Errorf("%s is refused", text)
		}
		if got := string(AppendOperation(nil, &op)); got != text {
			t.Errorf("%s is written as %s", text, got)
		}
	}
}

func TestRefusalsAreWrittenByTheirMeaning(t *testing.T) {
	for text, want := range map[string]string{
		`"ping"`:                           `[]`,
		`["acquire",1.5]`:                  `[]`,
		`[null,1]`:                         `["?",0]`,
		`["evict",9]`:                      `["?",0]`,
		`["inspect",-7,""]`:                `["acquire",-7]`,
		`["repeat",3,0]`:                   `["acquire",3]`,
		`["renew",7,"c","l",1000000]`:      `["acquire",7,"?","?",0]`,
		`["repeat",5,3,2,["status"]]`:      `["repeat",5,3,2,["acquire"]]`,
		`["repeat",5,3,2,["nonsense",{}]]`: `["repeat",5,3,2,["?"]]`,
		`["repeat",5,3,2,["acquire","c{i}","l",-5]]`: `["repeat",5,3,2,["acquire","?","?",0]]`,
	} {
		op := decodeOne(t, text)
		got := string(AppendOperation(nil, &op))
		if got != want {
			t.Errorf("%s is written as %s, want %s", text, got, want)
		}
		if again := decodeOne(t, got); !reflect.DeepEqual(again, op) {
			t.Errorf("%s decodes to %+v, %s to %+v", text, op, got, again)
		}
	}
}

package oplog

import (
	"fmt"
	"math/rand/v2"
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

// An operation of an embedder's, with whatever in it, is written so that it is refused
// when it is read again just as it is refused now, and with what it asked for wherever a
// log can say that.
func TestOddOperationsAreWrittenAsTheyWereAsked(t *testing.T) {
	names := []string{"", "c", "L0", "é\n\"", "?", "\xff", "{i}", strings.Repeat("n", 300)}
	numbers := []int64{0, 1, -1, 2, 60, 86_400, 86_401, 999_999, 1_000_000, 1 << 62, 1<<62 + 1, -1 << 63, 1<<63 - 1}
	pick := func(rng *rand.Rand) int64 { return numbers[rng.IntN(len(numbers))] }
	whole := map[lease.Kind]int{}
	for seed := range uint64(20_000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		name := func() string { return names[rng.IntN(len(names))] }
		d := lease.Dialect(rng.IntN(2))
		op := lease.Operation{
			Kind: lease.Kind(rng.IntN(int(lease.Settle) + 1)), Mode: lease.Mode(rng.IntN(4)), At: lease.Instant(pick(rng)),
			TTL: lease.Duration(pick(rng)), Token: lease.Token(pick(rng)), Client: name(), Lock: name(), Key: name(), Value: name(),
		}
		if rng.IntN(3) == 0 {
			op.ID, op.Expect = name(), lease.Token(pick(rng))
		}
		if rng.IntN(2) == 0 {
			op.Repeat = &lease.Repetition{Count: pick(rng), Step: lease.Duration(pick(rng)), Template: lease.Template{Op: lease.Operation{Kind: lease.Read, Lock: "l", Key: "k"}}}
		}
		text := string(AppendOperationIn(nil, &op, d))
		var again lease.Operation
		if !ParseOperation(text, &again, d) {
			t.Fatalf("seed %d: %+v is written as %s, which is no JSON", seed, op, text)
		}
		if code := op.Check(d); again.Check(d) != code && again.Code != code || again.Timeless(d) != op.Timeless(d) || !op.Timeless(d) && again.At != op.At {
			t.Fatalf("seed %d: %+v, which is refused with %v, is written as %s, which gives %+v", seed, op, code, text, again)
		}
		if strings.HasPrefix(text, fmt.Sprintf("[%q,%d", op.Kind, op.At)) && again.Kind == lease.Refused && len(text) > 40 {
			whole[op.Kind]++
		}
	}
	for _, k := range []lease.Kind{lease.Acquire, lease.Renew, lease.Release, lease.Write, lease.Evict, lease.Bump} {
		if whole[k] == 0 {
			t.Errorf("no %v that is refused was written in full", k)
		}
	}
}

func TestARefusedRenewIsWrittenInFull(t *testing.T) {
	for want, op := range map[string]lease.Operation{
		`["renew",5,"c","l",7,{"id":"r","token":3}]`: {Kind: lease.Renew, At: 5, Client: "c", Lock: "l", TTL: 7, ID: "r", Expect: 3},
		`["acquire",5,"","l",60]`:                    {Kind: lease.Acquire, At: 5, Lock: "l", TTL: 60},
		`["write",5,"l","k","v",0]`:                  {Kind: lease.Write, At: 5, Lock: "l", Key: "k", Value: "v"},
		`["acquire",5,"?","?",0]`:                    {Kind: lease.Refused, At: 5, Code: lease.InvalidTTL},
		`["acquire",6]`:                              {Kind: lease.Release, At: 6, Client: "\xff", Lock: "l"},
	} {
		if got := string(AppendOperationIn(nil, &op, lease.Live)); got != want {
			t.Errorf("%+v is written as %s, want %s", op, got, want)
		}
	}
}

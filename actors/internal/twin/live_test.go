package twin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/internal/twin"
)

const header = `{"lkactor":1,"unit":"ns","zero":"2026-03-01T08:30:00Z","engine":"0f8b4c1e-9a55-4f0a-8d3c-6f1f4a2b7c90"}`

func TestE1_headers(t *testing.T) {
	for _, good := range []string{
		header,
		`{"engine":"0F8B4C1E-9A55-4F0A-8D3C-6F1F4A2B7C90","zero":"1999-12-31T23:59:59.999999999-12:30","unit":"\u006es","lkactor":1}`,
	} {
		for _, tail := range []string{``, `,["tick",5]`} {
			results, err := twin.Replay([]byte("[ " + good + tail + "]"))
			if err != nil || strings.Join(results, "") != strings.Repeat("null", strings.Count(tail, "tick")) {
				t.Errorf("%s: %v, %v", good, results, err)
			}
		}
	}
	edits := []struct{ from, to string }{
		{`:1,`, `:2,`}, {`:1,`, `:1.0,`}, {`:1,`, `:"1",`}, {`:1,`, `:null,`}, {`"ns"`, `"s"`}, {`"ns"`, `5`}, {`"ns"`, `"\ud800"`},
		{`"unit":"ns",`, ``}, {`"unit":"ns"`, `"unit":"ns","unit":"ns"`}, {`"unit":"ns"`, `"unit":"ns","x":0`}, {`"unit"`, `"Unit"`},
		{`T08`, ` 08`}, {`T08`, `T8`}, {`:00Z`, `:00`}, {`:00Z`, `:60Z`}, {`:00Z`, `:00,5Z`}, {`:00Z`, `:00.Z`}, {`:00Z`, `:00+24:00`}, {`-03-01`, `-02-30`},
		{`0f8b`, `0g8b`}, {`-9a55`, `9a55`}, {`"0f8b4c1e`, `"urn:uuid:0f8b4c1e`}, {`"zero":`, `"zeros":`}, {`"engine"`, `"zero":7,"engine"`},
	}
	for _, edit := range edits {
		bad := strings.Replace(header, edit.from, edit.to, 1)
		if bad == header {
			t.Fatalf("%s is not in the header", edit.from)
		}
		if results, err := twin.Replay([]byte("[" + bad + `,["tick",5]]`)); err == nil {
			t.Errorf("%s: %v", bad, results)
		}
	}
}

func TestE1_replayIsDoInARow(t *testing.T) {
	ops := []string{`["acquire",0,"a","L",1000000,{"id":"r"}]`, header, `["tick",5]`, `["repeat",5,1,0,["tick"]]`, `["evict",6,"a","L"]`}
	results, err := twin.Replay([]byte("[" + header + "," + strings.Join(ops, ",") + "]"))
	if err != nil {
		t.Fatal(err)
	}
	service := twin.NewLive()
	for i, op := range ops {
		if got := service.Do([]byte(op)); got != results[i] {
			t.Errorf("operation %d: Do %s, Replay %s", i, got, results[i])
		}
	}
}

// useIDs lets a client use so many new ids, from one on.
func useIDs(service *twin.Twin, client string, from, count int) {
	for i := range count {
		service.Do(fmt.Appendf(nil, `["release",0,"%s","nothing",{"id":"%d"}]`, client, from+i))
	}
}

// The first of 1024 ids is remembered still when the last has been used, and the
// next one pushes it out, whatever else is asked in between.
func TestE3_theLatest1024IDs(t *testing.T) {
	const first = `["status",0,"a",{"id":"first"}]`
	for later, remembered := range map[int]bool{0: true, 1: true, 1022: true, 1023: true, 1024: false, 1025: false} {
		service := twin.NewLive()
		before := service.Do([]byte(first))
		service.Do([]byte(`["acquire",0,"a","L",1000000]`))
		useIDs(service, "a", 0, later)
		// None of these is a new id of that client.
		useIDs(service, "b", 0, 7)
		useIDs(service, "a", max(0, later-3), min(later, 3))
		for _, other := range []string{`["release",0,"a","L",{"id":""}]`, `["close",0,"a"]`, `["tick",0]`} {
			service.Do([]byte(other))
		}
		if later > 0 {
			if got := service.Do(fmt.Appendf(nil, `["status",0,"a",{"id":"%d"}]`, later-1)); got != `"error: id reused"` {
				t.Fatalf("the last of %d ids is not remembered: %s", later, got)
			}
		}
		after := service.Do([]byte(first))
		if (after == before) != remembered {
			t.Errorf("after %d later ids the first result is %s, then %s", later, before, after)
		}
		// By now it is remembered in any case.
		service.Do([]byte(`["release",0,"a","L"]`))
		if again := service.Do([]byte(first)); again != after {
			t.Errorf("after %d later ids %s, then %s", later, after, again)
		}
	}
}

// Text in which no JSON file can be kept: bytes that are not UTF-8.
func TestE3_invalidUTF8InTheObject(t *testing.T) {
	for _, bad := range []string{"{\"id\":\"\xff\"}", "{\"\xff\":\"r\"}", "{\"id\xff\":\"r\"}"} {
		if got := twin.NewLive().Do([]byte(`["status",0,"a",` + bad + `]`)); got != invalid {
			t.Errorf("%q: %s", bad, got)
		}
	}
}

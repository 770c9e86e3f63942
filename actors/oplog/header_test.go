package oplog

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors/lease"
)

const headerText = `{"lkactor":1,"unit":"ns","zero":"2026-03-01T08:30:00.25Z","engine":"0f8b4c1e-9a55-4f0a-8d3c-6f1f4a2b7c90"}`

var header = Header{
	Zero:   time.Date(2026, 3, 1, 8, 30, 0, 250_000_000, time.UTC),
	Engine: uuid.MustParse("0f8b4c1e-9a55-4f0a-8d3c-6f1f4a2b7c90"),
}

// laidOut is a log of these entries in a format.
func laidOut(format Format, entries ...string) string {
	if format == Lines {
		return strings.Join(entries, "\n") + "\n"
	}
	return "[\n" + strings.Join(entries, ",\n") + "\n]\n"
}

func TestE1_HeadersAreRead(t *testing.T) {
	for _, text := range []string{
		headerText,
		`{"engine":"0F8B4C1E-9A55-4F0A-8D3C-6F1F4A2B7C90","zero":"2026-03-01T10:30:00.250+02:00","unit":"ns","lkactor":1}`,
		` { "\u006ckactor" : 1 , "unit" :"\u006es", "zero": "2026-03-01T08:30:00.25Z","engine":"0f8b4c1e-9a55-4f0a-8d3c-6f1f4a2b7c90" } `,
	} {
		for _, format := range []Format{Array, Lines} {
			for _, entries := range [][]string{{text}, {text, `["tick",7]`}} {
				got, ops, err := decodeLog(strings.NewReader(laidOut(format, entries...)), format)
				if err != nil || got == nil || *got != header || got.Dialect() != lease.Live || len(ops) != len(entries)-1 {
					t.Errorf("%s as %v is header %+v with %d operations, %v", text, format, got, len(ops), err)
				}
			}
		}
	}
}

func TestE1_HeadersAreWritten(t *testing.T) {
	if got := string(AppendHeader([]byte("x"), header)); got != "x"+headerText {
		t.Errorf("written as %s", got)
	}
	elsewhere := header
	elsewhere.Zero = header.Zero.In(time.FixedZone("", 2*3600))
	if got := string(AppendHeader(nil, elsewhere)); got != headerText {
		t.Errorf("of another zone, written as %s", got)
	}
	round := Header{Zero: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	want := `{"lkactor":1,"unit":"ns","zero":"2026-03-01T00:00:00Z","engine":"00000000-0000-0000-0000-000000000000"}`
	if got := string(AppendHeader(nil, round)); got != want {
		t.Errorf("written as %s", got)
	}
}

func TestE1_OtherLogsArePlain(t *testing.T) {
	for _, first := range []string{
		`{}`, `{"Lkactor":1}`, `{"lkactor ":1}`, `{"a":{"lkactor":1}}`, `["lkactor"]`, `"lkactor"`, `[{"lkactor":1}]`,
		"{\"lkactor\xff\":1}", `{"lkactor\ud800":1}`, `null`, `5`, `["tick",0]`,
	} {
		for _, format := range []Format{Array, Lines} {
			got, ops, err := decodeLog(strings.NewReader(laidOut(format, first, headerText, `["tick",7]`)), format)
			if err != nil || got != nil || got.Dialect() != lease.Plain {
				t.Errorf("%s is header %+v, %v", first, got, err)
				continue
			}
			// A header in another place is an operation that is no list.
			if want := []lease.Operation{ops[0], untimedInvalid, unknown}; !reflect.DeepEqual(ops, want) {
				t.Errorf("%s is followed by %+v", first, ops[1:])
			}
		}
	}
	for _, empty := range []string{"", "\n \n"} {
		if got, err := NewDecoder(strings.NewReader(empty), "log", Lines).Header(); got != nil || err != nil {
			t.Errorf("%q has header %+v, %v", empty, got, err)
		}
	}
}

func TestE1_BadHeadersAreUnreadable(t *testing.T) {
	const rest = `"unit":"ns","zero":"2026-03-01T08:30:00Z","engine":"0f8b4c1e-9a55-4f0a-8d3c-6f1f4a2b7c90"}`
	with := func(key, value string) string {
		parts := map[string]string{"lkactor": `1`, "unit": `"ns"`, "zero": `"2026-03-01T08:30:00Z"`, "engine": `"0f8b4c1e-9a55-4f0a-8d3c-6f1f4a2b7c90"`}
		parts[key] = value
		return `{"lkactor":` + parts["lkactor"] + `,"unit":` + parts["unit"] + `,"zero":` + parts["zero"] + `,"engine":` + parts["engine"] + `}`
	}
	type bad struct{ text, place, want string } // place is where the text stops being one
	tests := []bad{
		{`{"lkactor":1}`, `}`, `expected "unit" in the header of a live log, found its end`},
		{`{` + rest[:len(rest)-1] + ` , "lkactor" : 2 }`, `2 }`, `expected version 1 of live logs, found 2`},
		{`{"lkactor":1,"unit":"ns","engine":"0f8b4c1e-9a55-4f0a-8d3c-6f1f4a2b7c90"}`, `}`, `expected "zero" in the header of a live log, found its end`},
		{`{"lkactor":1,"lkactor":1,` + rest, `"lkactor":1,"unit`, `expected each key of a header once, found "lkactor" again`},
		{`{"lkactor":1,"uni\u0074":"ns",` + rest, `"unit":"ns","zero`, `expected each key of a header once, found "unit" again`},
		{`{"lkactor":1,"host":"h",` + rest, `"host"`, `expected "lkactor", "unit", "zero", "engine" and no other key in the header of a live log, found "host"`},
		{`{"` + strings.Repeat("x", 80) + `":0,"lkactor":1,` + rest, `"xxx`, `expected "lkactor", "unit", "zero", "engine" and no other key in the header of a live log, found another string`},
		{with("unit", "[\t]"), "[\t]", `expected "ns" as the unit of a live log, found a list`},
	}
	for _, value := range []string{`2`, `0`, `-1`, `1.0`, `1e0`, `"1"`, `null`, `true`, `[1]`} {
		tests = append(tests, bad{with("lkactor", value), value + `,"unit`, `expected version 1 of live logs, found ` + value})
	}
	for _, value := range []string{`"s"`, `""`, `"NS"`, `null`, `1`, `"\ud800"`} {
		tests = append(tests, bad{with("unit", value), value + `,"zero`, `expected "ns" as the unit of a live log, found ` + value})
	}
	for _, value := range []string{`"2026-03-01"`, `"2026-03-01T08:30:00"`, `"2026-03-01 08:30:00Z"`, `"2026-03-01T8:30:00Z"`, `"2026-02-30T08:30:00Z"`,
		`"2026-03-01T08:30:00,5Z"`, `"2026-03-01T08:30:00+24:00"`, `"2026-03-01T08:30:00+01:60"`, `"2026-03-01T08:30:00.Z"`, `"2026-03-01T08:30:60Z"`, `"10000-03-01T08:30:00Z"`, `""`, `0`, `null`} {
		tests = append(tests, bad{with("zero", value), value + `,"engine`, `expected an RFC 3339 time as the zero of a live log, found ` + value})
	}
	for _, value := range []string{`""`, `"0f8b4c1e9a554f0a8d3c6f1f4a2b7c90"`, `"{0f8b4c1e-9a55-4f0a-8d3c-6f1f4a2b7c90}"`,
		`"urn:uuid:0f8b4c1e-9a55-4f0a-8d3c-6f1f4a2b7c90"`, `"0f8b4c1e-9a55-4f0a-8d3c-6f1f4a2b7c9g"`, `7`, `{}`} {
		tests = append(tests, bad{with("engine", value), value + `}`, `expected a UUID as the engine of a live log, found ` + value})
	}
	for _, test := range tests {
		for _, format := range []Format{Array, Lines} {
			log := laidOut(format, test.text, `["tick",7]`)
			d := NewDecoder(iotest.OneByteReader(strings.NewReader(log)), "log", format)
			got, err := d.Header()
			var syntax *SyntaxError
			if got != nil || !errors.As(err, &syntax) {
				t.Errorf("%s is header %+v, %v", test.text, got, err)
				continue
			}
			if _, message, _ := strings.Cut(err.Error(), ": "); message != test.want {
				t.Errorf("%s is refused with\n%s, want\n%s", test.text, message, test.want)
			}
			checkOffset(t, log, syntax)
			if !strings.HasPrefix(log[syntax.Offset:], test.place) {
				t.Errorf("%s is refused at %.20q, want %q", test.text, log[syntax.Offset:], test.place)
			}
			if again := d.Next(new(lease.Operation)); again != err {
				t.Errorf("Next answers %v", again)
			}
		}
	}
}

func TestE1_PlacesInHeadersOfManyLines(t *testing.T) {
	log := "\n[ {\n \"lkactor\": 1,\n\n  \"unit\": \"ms\"}]"
	_, err := NewDecoder(strings.NewReader(log), "log", Array).Header()
	if want := `log:5:11: expected "ns" as the unit of a live log, found "ms"`; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

func TestE1_WhatIsNoJSONIsNoHeader(t *testing.T) {
	for _, format := range []Format{Array, Lines} {
		for _, broken := range []string{`{"lkactor":1`, `{"lkactor":1,}`, `{"lkactor"}`, headerText + `{}`} {
			log := strings.TrimSuffix(laidOut(format, broken), "\n]\n")
			d := NewDecoder(strings.NewReader(log), "log", format)
			_, err := d.Header()
			if err == nil {
				err = d.Next(new(lease.Operation)) // what comes behind the header
			}
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Errorf("%v: %s gives %v", format, broken, err)
			}
		}
	}
}

func TestHeaderReadsNoFurtherThanItMust(t *testing.T) {
	for _, lines := range [][]string{
		{headerText + "\n", "[\"tick\",1]\n", "[\"tick\",2]\n"},
		{"[\"status\",1,\"c\"]\n", "[\"status\",2,\"c\"]\n"},
	} {
		input := &typed{lines: lines}
		d := NewDecoder(input, "log", Lines)
		header, err := d.Header()
		if err != nil || input.reads != 1 {
			t.Errorf("%v after %d reads", err, input.reads)
		}
		ops := make([]lease.Operation, 10)
		want := 1
		if header != nil {
			want = 2
		}
		if n, err := d.Read(ops); n != 1 || err != nil || input.reads != want {
			t.Errorf("Read answers %d, %v after %d reads", n, err, input.reads)
		}
		if ops[0].At != 1 {
			t.Errorf("the first operation is %+v", ops[0])
		}
	}
}

func TestHeaderMayBeAskedAtAnyTime(t *testing.T) {
	for text, live := range map[string]bool{"[[\"tick\",1],[2]": false, "[" + headerText + `,["tick",1],[2]`: true} {
		d := NewDecoder(strings.NewReader(text), "log", Array)
		var ops []lease.Operation
		for {
			var op lease.Operation
			err := d.Next(&op)
			got, headerErr := d.Header()
			if headerErr != nil || (got != nil) != live {
				t.Errorf("%s: header %+v, %v", text, got, headerErr)
			}
			if err != nil {
				if err == io.EOF {
					t.Errorf("%s ends well", text)
				}
				break
			}
			ops = append(ops, op)
		}
		if len(ops) != 2 {
			t.Errorf("%s has %d operations", text, len(ops))
		}
	}
}

func TestHeaderErrorsOfTheInputAreItsOwn(t *testing.T) {
	cause := errors.New("disk on fire")
	for _, format := range []Format{Array, Lines} {
		if got, err := NewDecoder(iotest.ErrReader(cause), "log", format).Header(); got != nil || err != cause {
			t.Errorf("%v: %+v, %v", format, got, err)
		}
	}
}

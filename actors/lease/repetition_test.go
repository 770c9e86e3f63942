package lease

import (
	"math"
	"strings"
	"testing"
)

func TestR1_PlaceholdersBecomeNumbers(t *testing.T) {
	long := strings.Repeat("9", MaxPlaceholderDigits)
	tests := []struct {
		text string
		run  int64
		want string
	}{
		{"job{i}", 0, "job0"},
		{"job{i}", 99_999, "job99999"},
		{"{i+5}", 3, "8"},
		{"{i%100}", 250, "50"},
		{"{i+5%3}", 2, "1"}, // (2+5) % 3
		{"{i+0}", 4, "4"},
		{"{i+007%010}", 8, "5"},
		{"{i%1}", 7, "0"},
		{"{{i}}", 0, "{0}"},
		{"{i}{i}-{i+1}", 1, "11-2"},
		{"{i+" + long + "}", 99_999, "1000000000000099998"},
		{"{i%" + long + "}", 5, "5"},
		{"é{i}😀", 7, "é7😀"},
		{"\x00{i}", 7, "\x007"},
	}
	for _, test := range tests {
		p, ok := ParsePattern(test.text)
		if !ok || p.Constant() {
			t.Errorf("%q is no pattern with placeholders", test.text)
			continue
		}
		if got := string(p.Append(nil, test.run)); got != test.want {
			t.Errorf("%q gives %q in run %d, want %q", test.text, got, test.run, test.want)
		}
	}
}

func TestR1_AnythingElseInBracesStays(t *testing.T) {
	for _, text := range []string{
		"", "plain", "{}", "{", "}", "{i", "i}", "{ i}", "{i }", "{I}", "{j}", "{i+}", "{i%}", "{i+%3}", "{i+-1}", "{i-1}", "{i%3+1}",
		"{i+1+1}", "{i%3%3}", "{i++1}", "{i+1.5}", "{i*2}", "{i+x}", "{i+٣}", "{i%0", "{i%0 }", "{i+" + strings.Repeat("9", 40), "{ii}", "{{}}",
	} {
		p, ok := ParsePattern(text)
		if !ok || !p.Constant() {
			t.Errorf("%q is not taken as it is", text)
			continue
		}
		if got := string(p.Append(nil, 7)); got != text {
			t.Errorf("%q gives %q", text, got)
		}
	}
}

func TestR1_OnePassFromLeftToRight(t *testing.T) {
	for text, want := range map[string]string{
		"{i{i}}":       "{i5}", // what comes of it is not looked at again
		"{i+{i}}":      "{i+5}",
		"{{i%3}%{i}}":  "{2%5}",
		"{i}{i":        "5{i",
		"{i%{i%0x}{i}": "{i%{i%0x}5",
	} {
		p, ok := ParsePattern(text)
		if got := string(p.Append(nil, 5)); !ok || got != want {
			t.Errorf("%q gives %q, %v; want %q", text, got, ok, want)
		}
	}
}

func TestR3_PlaceholdersThatAreRefused(t *testing.T) {
	long := strings.Repeat("1", MaxPlaceholderDigits+1)
	for _, text := range []string{
		"{i%0}", "{i%00}", "{i+5%0}", "a{i%0}b", "{i}{i%0}", "{{i%0}}", "{i%0}{x}",
		"{i+" + long + "}", "{i%" + long + "}", "{i+1%" + long + "}", "{i+" + long + "%7}",
		"{i+" + strings.Repeat("0", MaxPlaceholderDigits+1) + "}", "{i%" + strings.Repeat("0", MaxPlaceholderDigits) + "1}",
	} {
		if _, ok := ParsePattern(text); ok {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestR3_CountAndStep(t *testing.T) {
	for _, test := range []struct {
		count int64
		step  Duration
		want  Code
	}{
		{1, 0, OK}, {MaxRepeatCount, MaxMagnitude, OK},
		{0, 0, InvalidArguments}, {-1, 0, InvalidArguments}, {MaxRepeatCount + 1, 0, InvalidArguments}, {math.MaxInt64, 0, InvalidArguments},
		{1, -1, InvalidArguments}, {1, MaxMagnitude + 1, InvalidArguments}, {1, math.MinInt64, InvalidArguments},
	} {
		op := Operation{Kind: Repeat, Repeat: &Repetition{Count: test.count, Step: test.step}}
		if got := op.Check(Plain); got != test.want {
			t.Errorf("count %d, step %d: %v, want %v", test.count, test.step, got, test.want)
		}
	}
	if got := (&Operation{Kind: Repeat}).Check(Plain); got != InvalidArguments {
		t.Errorf("a repeat of nothing: %v", got)
	}
}

func TestR3_TheLastRunStaysWithinTheLimit(t *testing.T) {
	const edge = MaxMagnitude
	for _, test := range []struct {
		count int64
		step  Duration
		now   Instant
		want  bool
	}{
		{1, edge, edge, true}, // one run has no step
		{2, 0, edge, true},
		{2, 1, edge, false},
		{2, 1, edge - 1, true},
		{2, edge, 0, true},
		{2, edge, 1, false},
		{3, edge, -edge, true}, // from one end of time to the other
		{3, edge, -edge + 1, false},
		{4, edge, -edge, false},
		{MaxRepeatCount, edge, -edge, false},
		{MaxRepeatCount, edge / MaxRepeatCount, 0, true},
	} {
		r := Repetition{Count: test.count, Step: test.step}
		if got := r.Fits(test.now); got != test.want {
			t.Errorf("%d runs %d apart from %d: %v, want %v", test.count, test.step, test.now, got, test.want)
		}
	}
}

// templateOf makes a template as a decoder does.
func templateOf(t *testing.T, op Operation) Template {
	t.Helper()
	parse := func(text string) Pattern {
		p, ok := ParsePattern(text)
		if !ok {
			t.Fatalf("%q is no pattern", text)
		}
		return p
	}
	return Template{Op: op, Client: parse(op.Client), Lock: parse(op.Lock), Key: parse(op.Key), Value: parse(op.Value)}
}

func TestR4_EveryRunIsAFullOperation(t *testing.T) {
	r := Repetition{Count: 1000, Step: 3, Template: templateOf(t,
		Operation{Kind: Write, Lock: "L{i%10}", Key: "key", Value: "v{i+1}", Token: 4})}
	kept := Operation{Kind: Status, Client: "before"}
	ops := r.Expand([]Operation{kept}, -50, 90, 110)
	if len(ops) != 21 || ops[0] != kept {
		t.Fatalf("%d operations, the first %+v", len(ops), ops[0])
	}
	for _, test := range []struct {
		run  int
		want Operation
	}{
		{90, Operation{Kind: Write, At: 220, Lock: "L0", Key: "key", Value: "v91", Token: 4}},
		{99, Operation{Kind: Write, At: 247, Lock: "L9", Key: "key", Value: "v100", Token: 4}},
		{109, Operation{Kind: Write, At: 277, Lock: "L9", Key: "key", Value: "v110", Token: 4}},
	} {
		if got := ops[1+test.run-90]; got != test.want {
			t.Errorf("run %d is %+v, want %+v", test.run, got, test.want)
		}
	}
}

func TestR4_RunsOfAFailingTemplate(t *testing.T) {
	r := Repetition{Count: 3, Step: 2, Template: Template{Op: Refuse(0, InvalidTTL)}}
	for i, op := range r.Expand(nil, 7, 0, 3) {
		if op.Check(Plain) != InvalidTTL || op.At != Instant(7+2*i) || op.Timeless(Plain) {
			t.Errorf("run %d is %+v", i, op)
		}
	}
	r.Template.Op = RefuseUntimed(UnknownOperation)
	for i, op := range r.Expand(nil, 7, 0, 3) {
		if op.Check(Plain) != UnknownOperation || !op.Timeless(Plain) {
			t.Errorf("run %d is %+v", i, op)
		}
	}
}

func TestR4_FromOneEndOfTimeToTheOther(t *testing.T) {
	r := Repetition{Count: 3, Step: MaxMagnitude, Template: templateOf(t, Operation{Kind: Status, Client: "c{i}"})}
	for i, want := range []Instant{-MaxMagnitude, 0, MaxMagnitude} {
		if op := r.Expand(nil, -MaxMagnitude, 0, 3)[i]; op.At != want || op.Check(Plain) != OK {
			t.Errorf("run %d is at %d, want %d", i, op.At, want)
		}
	}
}

func TestExpandSharesAllocations(t *testing.T) {
	r := Repetition{Count: MaxRepeatCount, Step: 1, Template: templateOf(t, Operation{Kind: Acquire, Client: "job{i}", Lock: "L{i%100}", TTL: 60})}
	ops := make([]Operation, 0, 500)
	for _, first := range []int64{0, 90_000} {
		allocs := testing.AllocsPerRun(10, func() { ops = r.Expand(ops[:0], 5, first, first+500) })
		if allocs > 10 {
			t.Errorf("500 runs from %d took %.0f allocations", first, allocs)
		}
	}
}

// The size of a template bounds the text of each of its runs, so that expanding
// it can be done in portions of a known size.
func TestR_SizeBoundsEveryRun(t *testing.T) {
	for _, text := range []string{"job{i}", "{i+999999999999999999}", "{i}{i%7}x", "long {i+123456789} text"} {
		p, ok := ParsePattern(text)
		if !ok {
			t.Fatal(text)
		}
		template := Template{Client: p, Lock: p}
		for _, i := range []int64{0, 9, MaxRepeatCount - 1} {
			if n := 2 * len(p.Append(nil, i)); n > template.Size() {
				t.Errorf("%s: run %d has %d bytes, size is %d", text, i, n, template.Size())
			}
		}
	}
	constant, _ := ParsePattern("no placeholder")
	if size := (&Template{Client: constant}).Size(); size != 0 {
		t.Errorf("a constant template has size %d", size)
	}
}

package lease

import (
	"strconv"
	"strings"
)

// Repetition is what a repeat runs: Template, Count times, Step apart (R).
type Repetition struct {
	Count    int64
	Step     Duration
	Template Template
}

// check tests the ranges of R that do not depend on the clock.
func (r *Repetition) check() Code {
	if r.Template.Op.Kind >= Repeat || r.Count < 1 || r.Count > MaxRepeatCount || r.Step < 0 || r.Step > MaxMagnitude {
		return InvalidArguments
	}
	return OK
}

// Fits tells whether the last run of a repeat handled at now stays within the
// limit of O9; if not, the repeat is refused (R3).
func (r *Repetition) Fits(now Instant) bool {
	if r.Count < 2 {
		return true
	}
	room := uint64(MaxMagnitude - int64(now)) // now is at least -2^62: at most 2^63
	return uint64(r.Step) <= room/uint64(r.Count-1)
}

// Template is an operation without its ts, with patterns in its string
// arguments. Which checks of O it fails does not depend on the run, since a
// placeholder never makes a string empty, nor a number or a mode of it (R1): Op
// is then the Refused operation that every run gives. Otherwise its strings are
// as they were written, placeholders and all.
type Template struct {
	Op Operation

	// The patterns of the string arguments; a constant one may stay empty.
	Client, Lock, Key, Value Pattern
}

// Size is how many bytes the strings of any run have at most that are not those of
// the template itself.
func (t *Template) Size() int {
	size := 0
	for _, p := range []Pattern{t.Client, t.Lock, t.Key, t.Value} {
		if !p.Constant() {
			size += p.Size()
		}
	}
	return size
}

// Expand gives the runs from first up to but excluding end of a repeat handled
// at now, appended to ops (R4). Constant strings are those of the template; of
// the others each argument's share one allocation.
func (r *Repetition) Expand(ops []Operation, now Instant, first, end int64) []Operation {
	t := &r.Template
	start := len(ops)
	for i := first; i < end; i++ {
		op := t.Op
		op.At = now + Instant(i)*Instant(r.Step)
		ops = append(ops, op)
	}
	runs := ops[start:]
	t.Client.each(first, end, func(k int64, text string) { runs[k].Client = text })
	t.Lock.each(first, end, func(k int64, text string) { runs[k].Lock = text })
	t.Key.each(first, end, func(k int64, text string) { runs[k].Key = text })
	t.Value.each(first, end, func(k int64, text string) { runs[k].Value = text })
	return ops
}

// Pattern is a string with placeholders (R1).
type Pattern struct{ parts []part }

// part is literal text, or the number (i + add) % mod; mod 0 means no modulus.
type part struct {
	literal  string
	number   bool
	add, mod int64
}

// Constant tells whether no placeholder occurs, so that the text is the same in
// every run.
func (p Pattern) Constant() bool {
	for _, part := range p.parts {
		if part.number {
			return false
		}
	}
	return true
}

// Size is how many bytes the text of any run has at most.
func (p Pattern) Size() int {
	size := 0
	for _, part := range p.parts {
		size += len(part.literal)
		if part.number {
			size += MaxPlaceholderDigits + 1 // i + A has at most one digit more than A
		}
	}
	return size
}

// Append adds the text of run i to buf.
func (p Pattern) Append(buf []byte, i int64) []byte {
	for k := range p.parts {
		part := &p.parts[k]
		if !part.number {
			buf = append(buf, part.literal...)
			continue
		}
		n := i + part.add
		if part.mod != 0 {
			n %= part.mod
		}
		buf = strconv.AppendInt(buf, n, 10)
	}
	return buf
}

// each gives set the texts of the runs from first up to but excluding end, k
// counted from 0; none where the text is constant.
func (p Pattern) each(first, end int64, set func(k int64, text string)) {
	if p.Constant() {
		return
	}
	var texts strings.Builder
	buf := make([]byte, 0, 64)
	for i := first; i < end; i++ {
		buf = p.Append(buf[:0], i)
		if i == first {
			texts.Grow(int(end-first) * (len(buf) + 1)) // a digit more on the way
		}
		from := texts.Len()
		texts.Write(buf)
		// Should the builder have to move, the texts that it gave stay where they are.
		set(i-first, texts.String()[from:])
	}
}

// ParsePattern reads the placeholders of text. ok is false where R3 refuses
// one: a K of zero, or an A or K of too many digits.
func ParsePattern(text string) (p Pattern, ok bool) {
	literal := 0 // start of the literal text not yet taken
	for at := 0; at < len(text); {
		number, size, fine := parsePlaceholder(text[at:])
		if size == 0 {
			at++
			continue
		}
		if !fine {
			return Pattern{}, false
		}
		if literal < at {
			p.parts = append(p.parts, part{literal: text[literal:at]})
		}
		p.parts = append(p.parts, number)
		at += size
		literal = at
	}
	if literal < len(text) {
		p.parts = append(p.parts, part{literal: text[literal:]})
	}
	return p, true
}

// parsePlaceholder reads {i}, {i+A}, {i%K} or {i+A%K} at the start of s. size is
// zero where there is none; fine is false where there is one that R3 refuses.
func parsePlaceholder(s string) (number part, size int, fine bool) {
	rest, found := strings.CutPrefix(s, "{i")
	if !found {
		return part{}, 0, false
	}
	number, fine = part{number: true}, true
	for _, term := range []struct {
		sign  string
		value *int64
		zero  bool // whether the value may be zero
	}{{"+", &number.add, true}, {"%", &number.mod, false}} {
		after, signed := strings.CutPrefix(rest, term.sign)
		if !signed {
			continue
		}
		digits := len(after) - len(strings.TrimLeft(after, "0123456789"))
		if digits == 0 {
			return part{}, 0, false
		}
		if digits > MaxPlaceholderDigits {
			fine = false
		} else if *term.value, _ = strconv.ParseInt(after[:digits], 10, 64); *term.value == 0 && !term.zero {
			fine = false
		}
		rest = after[digits:]
	}
	if !strings.HasPrefix(rest, "}") {
		return part{}, 0, false
	}
	return number, len(s) - len(rest) + 1, fine
}

package sample

import (
	"fmt"
	"strings"
)

// Hostile are names that would do harm if they were anything but text.
var Hostile = []string{
	`<script>document.title="harm"</script>`,
	`"><img src=x onerror="document.title='harm'">`,
	`</script></style></title><h1 id="harm">harm</h1>`,
	`' onmouseover='document.title="harm"`,
	"\x1b[31mred\x1b[0m\a",
	"left\u202eright\u2066 marks\u200f",
	strings.Repeat("long/", 2_048),
	"]]>&amp;<!--",
	"日本語/ロック",
	"line\nbreak\ttab\u2028",
}

// HostileLog gives a log in which the hostile names are locks, clients, keys and values.
func HostileLog() string {
	var b strings.Builder
	now := 0
	line := func(format string, args ...any) {
		fmt.Fprintf(&b, format+"\n", append([]any{now}, args...)...)
		now++
	}
	for i, name := range Hostile {
		n := quoted(name)
		line(`["acquire",%d,%s,%[2]s,500]`, n)
		line(`["acquire",%d,%s,%s,500]`, quoted(Hostile[(i+1)%len(Hostile)]+"x"), n)
		line(`["write",%d,%s,%[2]s,%[2]s,2]`, n)
		line(`["write",%d,%s,%[2]s,%[2]s,1]`, n)
	}
	// Two of them in a ring.
	a, z := quoted(Hostile[0]), quoted(Hostile[1])
	line(`["acquire",%d,%s,%s,500]`, a, z)
	line(`["acquire",%d,%s,%s,500]`, z, a)
	return b.String()
}

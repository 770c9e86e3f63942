package fencetest

import (
	"fmt"
	"strings"

	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// names are lawful (O10), all different, and each has been the end of some
// store: by quoting, by collation, by a path, by padding, by normalising.
var names = []string{
	"plain",
	"PLAIN", "Plain", // case
	"plain ", " plain", "plain\t", "plain\n", // space at an end
	"plain\x00", "\x00", "\x00\x00", // the end of a C string
	"'", "''", `"`, "`", `\`, `\'`, "'; DROP TABLE lkactor_fence; --", "$1", "?", ":name", "%s", "%", "_", "*",
	".", "..", "../plain", "/", "/etc/passwd", "a", "a/", "a/b", "a/b/c", "a//b", "a/./b", "a\\b", "~", "-rf", ".hidden", "con", "NUL",
	"caf\u00e9", "cafe\u0301", // one look, two strings
	"\u212b", "\u00c5", // the same, by compatibility
	"stra\u00dfe", "strasse", "\u0130", "\u0131", "i", "I", // folded alike by some
	"\u200b", "\u00a0", "\ufeff", "\ufffd", "\U0001f512", "\U0010ffff", "\u202egnp.exe",
	"token", "fence", ".fence", "lock", "mark", "accepted", "manifest", "scope", "key", "keys", "value", // a store's own
	"null", "NULL", "true", "0", "00", "1e3", "{}", "[]", "<a>", "&amp;", "a=b&c=d", "a\r\nb: c",
	strings.Repeat("n", fence.MaxNameBytes),
	strings.Repeat("n", fence.MaxNameBytes-1) + "m",
	strings.Repeat("\U0001f512", fence.MaxNameBytes/4),
}

// Every lawful name is a name of its own, as a scope and as a key.
func strangeNames(tr *trial) {
	s := tr.store()
	keys := tr.scope("keys")
	for i, name := range names {
		tr.lacks(s, keys, name)
		tr.accepted(s, keys, name, fmt.Sprint("key ", i), 5)
	}
	// A scope that is exactly a strange name may have been used by an earlier run,
	// so what is strange about it is put behind something fresh.
	scopes := make([]string, len(names))
	for i, name := range names {
		scopes[i] = strangeScope(tr, name)
		tr.mark(s, scopes[i], 0)
		tr.accepted(s, scopes[i], "k", fmt.Sprint("scope ", i), 5)
	}
	s = tr.reopen()
	tr.mark(s, keys, 5)
	tr.refused(s, keys, "k", "late", 4, 5)
	for i, name := range names {
		tr.reads(s, keys, name, fmt.Sprint("key ", i))
		tr.reads(s, scopes[i], "k", fmt.Sprint("scope ", i))
		tr.mark(s, scopes[i], 5)
		tr.refused(s, scopes[i], "k", "late", 4, 5)
	}
}

// strangeScope puts the nonce of this run before name, or in place of the end of
// a name that is too long for both.
func strangeScope(tr *trial, name string) string {
	if over := len(tr.run) + len(name) - fence.MaxNameBytes; over > 0 {
		return tr.run + name[(over+3)/4*4:]
	}
	return tr.run + name
}

// A value is kept as it is, whatever is in it.
func strangeValues(tr *trial) {
	s, scope := tr.store(), tr.scope("s")
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	values := append([]string{"", string(every), strings.Repeat("long ", 50_000), "\xff\xfe", "\r\n", "\x1a"}, names...)
	for i, value := range values {
		tr.accepted(s, scope, fmt.Sprint(i), value, 5)
	}
	s = tr.reopen()
	for i, value := range values {
		tr.reads(s, scope, fmt.Sprint(i), value)
	}
}

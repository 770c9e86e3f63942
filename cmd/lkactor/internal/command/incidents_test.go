package command

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var updateDocs = flag.Bool("update-docs", false, "write the output of the commands into docs/INCIDENTS.md")

// The document shows what the commands print: every line "$ lkactor ..." in a block of
// it is run, and what follows must be its output, errors and exit code included. After
// a change that is meant, go test -update-docs writes it anew.
func TestTheDocumentIsTrue(t *testing.T) {
	t.Chdir("../../../..")
	const file = "docs/INCIDENTS.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	is, commands := retold(strings.SplitAfter(string(text), "\n"))
	if commands < 10 {
		t.Errorf("%d commands in %s", commands, file)
	}
	if is == string(text) {
		return
	}
	if *updateDocs {
		if err := os.WriteFile(file, []byte(is), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	was, now := strings.Split(string(text), "\n"), strings.Split(is, "\n")
	for i := range was {
		if i == len(now) || was[i] != now[i] {
			t.Fatalf("%s:%d: the document has\n%s\nand the command prints\n%s", file, i+1, was[i], strings.Join(now[min(i, len(now)):min(i+1, len(now))], ""))
		}
	}
	t.Fatalf("%s ends too early", file)
}

// retold gives the lines of a document with the output of the commands in it as it is
// now. Commands are in blocks of a console, or in a comment before a block.
func retold(lines []string) (text string, commands int) {
	const fence = "```"
	var out strings.Builder
	for i := 0; i < len(lines); i++ {
		out.WriteString(lines[i])
		comment, hasOne := strings.CutPrefix(lines[i], "<!-- $ ")
		switch {
		case hasOne:
			i++
			out.WriteString(lines[i]) // the start of the block
			out.WriteString(shell(strings.TrimSuffix(strings.TrimSpace(comment), " -->")))
			commands++
		case lines[i] == fence+"console\n":
		default:
			continue
		}
		for i++; lines[i] != fence+"\n"; i++ {
			if command, ok := strings.CutPrefix(lines[i], "$ "); ok && !hasOne {
				out.WriteString(lines[i] + shell(strings.TrimSpace(command)))
				commands++
			}
		}
		out.WriteString(lines[i])
	}
	return out.String(), commands
}

// shell runs one command line and gives what a terminal shows of it.
func shell(line string) string {
	args := strings.Fields(line)
	var out bytes.Buffer
	if args[0] != "lkactor" {
		return "not a command of lkactor\n"
	}
	if code := Run(context.Background(), args[1:], nil, &out, &out); code != 0 {
		fmt.Fprintf(&out, "[exit code %d]\n", code)
	}
	return out.String()
}

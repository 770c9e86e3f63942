package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// timelineOf runs lkactor timeline with an output in a folder of its own and gives what
// it has written; empty if there is no file.
func timelineOf(t *testing.T, name, stdin string, args ...string) (code int, output, stderr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	code, stdout, stderr := invoke(t, append([]string{"timeline", "-o", file}, args...), strings.NewReader(stdin))
	if stdout != "" {
		t.Errorf("stdout is %q", stdout)
	}
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return code, string(text), strings.ReplaceAll(stderr, filepath.Dir(file), "DIR")
}

func TestTimelineAsPicture(t *testing.T) {
	code, svg, stderr := timelineOf(t, "out.svg", "", incident)
	if code != 0 || stderr != "" || !strings.HasPrefix(svg, "<svg ") || !strings.HasSuffix(svg, "</svg>\n") || !strings.Contains(svg, "inc-5127.json") {
		t.Errorf("exit code %d, stderr %q, output\n%.300s", code, stderr, svg)
	}
}

func TestTimelineAsPage(t *testing.T) {
	for _, name := range []string{"out.html", "OUT.HTML"} {
		code, page, stderr := timelineOf(t, name, "", "--title", "a <b>", incident)
		if code != 0 || stderr != "" || !strings.HasPrefix(page, "<!doctype html>") || !strings.Contains(page, "<title>Timeline: &#34;a &lt;b&gt;&#34;</title>") {
			t.Errorf("%s: exit code %d, stderr %q, output\n%.300s", name, code, stderr, page)
		}
	}
}

// The flags that choose events are those of explain.
func TestTimelineOfAPart(t *testing.T) {
	two := `[["acquire",0,"a","L",5],["acquire",1,"b","M",5],["acquire",2,"a","M",9],["write",7,"M","k","v",2]]`
	for _, test := range []struct {
		args     string
		in, none []string
	}{
		{"", []string{"granted to &#34;a&#34;", "write of &#34;k&#34;", `<tspan class="token">1</tspan> a</text>`}, nil},
		{"--lock M", []string{"granted to &#34;b&#34;", "handed over to &#34;a&#34;", "write of &#34;k&#34;"}, []string{"until 5"}},
		{"--client a", []string{"handed over to &#34;a&#34;", "until 5", "write of &#34;k&#34;"}, []string{"granted to &#34;b&#34;"}},
		{"--client b", []string{"granted to &#34;b&#34;"}, []string{"until 5", "write of &#34;k&#34;"}},
		{"--from 3 --to 4", []string{"granted to &#34;b&#34;"}, []string{"handed over", "write of &#34;k&#34;"}},
		{"--from 6", []string{"handed over", "write of &#34;k&#34;"}, []string{"granted to &#34;a&#34; at once"}},
	} {
		code, svg, stderr := timelineOf(t, "out.svg", two, append(strings.Fields(test.args), "-")...)
		if code != 0 || stderr != "" {
			t.Errorf("%s: exit code %d, stderr %q", test.args, code, stderr)
		}
		for _, text := range test.in {
			if !strings.Contains(svg, text) {
				t.Errorf("%s: there is no %q", test.args, text)
			}
		}
		for _, text := range test.none {
			if strings.Contains(svg, text) {
				t.Errorf("%s: there is %q", test.args, text)
			}
		}
	}
}

func TestTimelinesThatCannotBe(t *testing.T) {
	one := `[["acquire",0,"a","L",5]]`
	later := `[["acquire",1,"a","L",50],["status",3,"a"]]`
	for _, test := range []struct {
		name, output, args, stdin string
		code                      int
		stderr                    string
	}{
		{"another ending", "out.png", "-", one, 2, "lkactor: --output: \"DIR/out.png\" is neither .html nor .svg\nRun 'lkactor timeline --help' for what it takes.\n"},
		{"no event", "out.svg", "-", `[]`, 1, "lkactor: nothing to draw: nothing has happened in the log\n"},
		{"too late", "out.svg", "--from 4 -", later, 1, "lkactor: nothing to draw: the log ends at 3, before --from\n"},
		{"too late for a lock", "out.html", "--lock L --from 4 --to 9 -", later, 1, "lkactor: nothing to draw: the log ends at 3, before --from\n"},
		{"too early", "out.svg", "--to 0 -", later, 1, "lkactor: nothing to draw: the log begins at 1, after --to\n"},
		{"an empty name", "out.svg", "--lock= -", later, 2, "lkactor: --lock: no name is empty; leave the flag out for all of them\nRun 'lkactor timeline --help' for what it takes.\n"},
		{"nobody", "out.svg", "--client nobody -", one, 1, "lkactor: nothing to draw: no event concerns the client \"nobody\"\n"},
		{"no such lock", "out.svg", "--lock nope --from 0 -", one, 1, "lkactor: nothing to draw: no event in that time concerns the lock \"nope\"\n"},
		{"no log", "out.svg", "-", `[["acquire",0,"a","L",5],`, 2, "stdin:1:26: expected an operation after ',', found the end of the input\n"},
		{"no file", "out.svg", "no/such.json", "", 2, "lkactor: cannot read no/such.json: no such file or directory\n"},
		{"backwards", "out.svg", "--from 5 --to 4 -", one, 2, "lkactor: --to: it is before --from\nRun 'lkactor timeline --help' for what it takes.\n"},
		{"no folder", "no/out.svg", "-", one, ExitUnwritten, "lkactor: cannot write the output: create DIR/out.svg: no such file or directory\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, output, stderr := timelineOf(t, test.output, test.stdin, strings.Fields(test.args)...)
			if code != test.code || output != "" || stderr != test.stderr {
				t.Errorf("exit code %d, stderr %q, output %.100q", code, stderr, output)
			}
		})
	}
	code, _, stderr := invoke(t, []string{"timeline", incident}, nil)
	if code != 2 || !strings.HasPrefix(stderr, "lkactor: --output: which file is to be written? (-o)\n") {
		t.Errorf("without output: exit code %d, stderr %q", code, stderr)
	}
}

func TestTimelineToAFullDisk(t *testing.T) {
	link := filepath.Join(t.TempDir(), "full.svg")
	if err := os.Symlink("/dev/full", link); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := invoke(t, []string{"timeline", "-o", link, incident}, nil)
	if code != ExitUnwritten || stderr != "lkactor: cannot write the output: write /dev/full: no space left on device\n" {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}

func TestTimelineInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	file := filepath.Join(t.TempDir(), "out.svg")
	var stdout, stderr bytes.Buffer
	if code := Run(ctx, []string{"timeline", "-o", file, incident}, nil, &stdout, &stderr); code != 130 || stderr.String() != "lkactor: interrupted; operations gone through: 0\n" {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the output: %v", err)
	}
}

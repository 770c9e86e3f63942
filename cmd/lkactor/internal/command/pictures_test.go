package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The pictures in docs/INCIDENTS.md are what the commands in front of them draw, and
// docs/pictures has no others. After a change that is meant, go test -update-docs draws
// them anew.
func TestThePicturesAreTrue(t *testing.T) {
	t.Chdir("../../../..")
	const doc, folder = "docs/INCIDENTS.md", "docs/pictures"
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^lkactor (timeline .* -o )(`+folder+`/(\S+\.svg))$`).FindAllStringSubmatch(string(text), -1)
	drawn := map[string]bool{}
	for _, command := range commands {
		args, file, name := command[1], command[2], command[3]
		drawn[name] = true
		out := filepath.Join(t.TempDir(), name)
		if code, _, stderr := invoke(t, append(strings.Fields(args), out), nil); code != 0 {
			t.Fatalf("%s: exit code %d: %s", name, code, stderr)
		}
		now, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if *updateDocs {
			if err := os.WriteFile(file, now, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if was, err := os.ReadFile(file); err != nil || string(was) != string(now) {
			t.Errorf("%s is not what its command draws: %v", file, err)
		}
		if !strings.Contains(string(text), "](pictures/"+name+")") {
			t.Errorf("%s shows no %s", doc, name)
		}
	}
	there, err := os.ReadDir(folder)
	if err != nil || len(there) != len(drawn) || len(drawn) < 2 {
		t.Errorf("%d pictures in %s, %d commands: %v", len(there), folder, len(drawn), err)
	}
}

package actors_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/leasekeeper/lkactor/"

// layers says which packages of this module each package may import. A name that
// ends in /... stands for everything below it.
var layers = []struct {
	pkg string
	may []string
}{
	{"actors/lease", nil},
	{"actors/lease/due", []string{"actors/lease"}},
	{"actors/lease/slots", nil},
	{"lockactor/fence/cell", []string{"actors/lease"}},
	{"lockactor/fence", []string{"actors/lease", "lockactor/fence/cell"}},
	{"lockactor/fence/...", []string{"actors/lease", "lockactor/fence"}},
	{"lockactor", []string{"actors/lease", "actors/lease/due", "actors/lease/slots", "lockactor/fence/cell"}},
	{"clientactor", []string{"actors/lease", "actors/lease/slots"}},
	{"deadlock", []string{"actors/lease"}},
	{"sequencer", []string{"actors/lease", "actors/lease/due"}},
	{"sequencer/journal/...", []string{"sequencer/journal/..."}},
	{"actors/oplog", []string{"actors/lease"}},
	{"actors/model", []string{"actors/lease", "lockactor", "clientactor", "deadlock", "sequencer"}},
	{"actors/story", []string{"actors/lease", "actors/model"}},
	{"actors/durable", []string{"actors/lease", "actors/oplog", "actors/model", "sequencer", "sequencer/journal"}},
	{"actors/internal/feed", []string{"actors/lease"}},
	{"actors/internal/gauge", []string{"actors/lease"}},
	{"actors/internal/mailbox", []string{"actors/lease", "sequencer"}},
	{"actors/internal/twin", nil},
	{"actors/internal/chance", []string{"actors/internal/twin"}},
	{"actors/client/claim", []string{"actors/lease"}},
	{"actors/client", []string{"actors/lease", "actors/client/claim"}},
	{"actors", []string{"actors/lease", "actors/client", "actors/internal/feed", "actors/internal/gauge", "actors/internal/mailbox", "lockactor", "clientactor", "deadlock", "sequencer"}},
	{"cmd/...", []string{"actors", "actors/durable", "actors/lease", "actors/model", "actors/oplog", "actors/story", "sequencer", "sequencer/journal", "cmd/..."}},
	{"docs/examples/...", []string{"actors", "actors/client", "actors/lease", "lockactor/fence/..."}},
	{"bench/...", []string{"actors", "actors/durable", "actors/lease", "actors/model", "actors/oplog", "sequencer", "sequencer/journal", "bench/..."}},
}

// cores are the packages in which results come about: nothing in them may depend
// on when or where they run.
var cores = []string{"actors/lease", "actors/lease/due", "actors/lease/slots", "lockactor", "lockactor/fence/cell", "clientactor", "deadlock", "sequencer", "actors/model", "actors/story", "actors/internal/feed", "actors/internal/gauge", "actors/client/claim"}

// forbidden in a core: clocks, chance, I/O and goroutines' tools.
var forbidden = []string{"time", "math/rand", "math/rand/v2", "crypto/rand", "os", "io", "net", "sync", "sync/atomic", "log", "log/slog", "context", "runtime"}

const protoActor = "github.com/asynkron/protoactor-go/"

// source is one file that is not a test.
type source struct {
	pkg, name string
	file      *ast.File
	set       *token.FileSet
}

// shell tells the files that put a core behind a mailbox: they and the assembly
// alone know Proto.Actor.
func (s source) shell() bool {
	return s.name == "actor.go" || s.pkg == "actors" || s.pkg == "actors/internal/mailbox"
}

// waits tells the files beside a shell that wait for others or let others wait.
func (s source) waits() bool {
	return s.shell() || s.pkg == "sequencer" && (s.name == "barrier.go" || s.name == "call.go" || s.name == "request.go")
}

func (s source) imports() []string {
	var all []string
	for _, i := range s.file.Imports {
		name, _ := strconv.Unquote(i.Path.Value)
		all = append(all, name)
	}
	return all
}

func sources(t *testing.T) []source {
	t.Helper()
	root := os.DirFS("..")
	var all []source
	set := token.NewFileSet()
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != ".":
			if _, nested := fs.Stat(root, path.Join(name, "go.mod")); nested == nil || strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(set, filepath.Join("..", name), nil, parser.SkipObjectResolution)
		all = append(all, source{pkg: path.Dir(name), name: d.Name(), file: file, set: set})
		return err
	})
	if err != nil || len(all) < 30 {
		t.Fatalf("%d files: %v", len(all), err)
	}
	return all
}

func within(pkg, pattern string) bool {
	if below, all := strings.CutSuffix(pattern, "/..."); all {
		return pkg == below || strings.HasPrefix(pkg, below+"/")
	}
	return pkg == pattern
}

// Packages import downwards only, and the four actor packages never each other.
func TestLayers(t *testing.T) {
	for _, s := range sources(t) {
		layer := slices.IndexFunc(layers, func(l struct {
			pkg string
			may []string
		}) bool {
			return within(s.pkg, l.pkg)
		})
		if layer < 0 {
			t.Errorf("package %s has no place in the layers", s.pkg)
			continue
		}
		for _, name := range s.imports() {
			ours, own := strings.CutPrefix(name, module)
			if own && !slices.ContainsFunc(layers[layer].may, func(p string) bool { return within(ours, p) }) {
				t.Errorf("%s/%s imports %s", s.pkg, s.name, ours)
			}
		}
	}
}

// Only the actor.go of a package and the assembly know Proto.Actor.
func TestProtoActorStaysOutside(t *testing.T) {
	for _, s := range sources(t) {
		for _, name := range s.imports() {
			if strings.HasPrefix(name, protoActor) && !s.shell() && !within(s.pkg, "cmd/...") && !within(s.pkg, "bench/...") && !within(s.pkg, "docs/examples/...") {
				t.Errorf("%s/%s imports %s", s.pkg, s.name, name)
			}
		}
	}
}

// A core has no clock, no I/O, no goroutine, no chance, and no order that depends
// on a map.
func TestCoresArePure(t *testing.T) {
	for _, s := range sources(t) {
		if !slices.Contains(cores, s.pkg) || s.waits() {
			continue
		}
		for _, name := range s.imports() {
			if slices.Contains(forbidden, name) {
				t.Errorf("%s/%s imports %s", s.pkg, s.name, name)
			}
		}
		maps := mapNames(s.file)
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
				t.Errorf("%v: a core starts or waits for something", s.set.Position(n.Pos()))
			case *ast.RangeStmt:
				if name := lastName(n.X); slices.Contains(maps, name) {
					t.Errorf("%v: ranges over the map %s", s.set.Position(n.Pos()), name)
				}
			}
			return true
		})
	}
}

// mapNames gives the names that are declared as maps anywhere in the file.
func mapNames(file *ast.File) []string {
	var names []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if _, isMap := n.Type.(*ast.MapType); isMap {
				for _, name := range n.Names {
					names = append(names, name.Name)
				}
			}
		case *ast.ValueSpec:
			if _, isMap := n.Type.(*ast.MapType); isMap {
				for _, name := range n.Names {
					names = append(names, name.Name)
				}
			}
		case *ast.AssignStmt:
			for i, right := range n.Rhs {
				if isMapMade(right) && i < len(n.Lhs) {
					names = append(names, lastName(n.Lhs[i]))
				}
			}
		}
		return true
	})
	return names
}

func isMapMade(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok && lastName(call.Fun) == "make" && len(call.Args) > 0 {
		_, isMap := call.Args[0].(*ast.MapType)
		return isMap
	}
	if lit, ok := e.(*ast.CompositeLit); ok {
		_, isMap := lit.Type.(*ast.MapType)
		return isMap
	}
	return false
}

func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

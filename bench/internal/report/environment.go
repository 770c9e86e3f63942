package report

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Environment is where and of what a run was made. Names of hosts and paths are
// no part of it.
type Environment struct {
	Date   string `json:"date"` // UTC, to the second
	Commit string `json:"commit"`
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Go     string `json:"go"`
	System string `json:"system"`
}

// Surroundings describes the process it runs in.
func Surroundings(now time.Time) Environment {
	return Environment{
		Date:   now.UTC().Format(time.DateTime),
		Commit: commit(),
		CPU:    processor(),
		Cores:  runtime.GOMAXPROCS(0),
		Go:     runtime.Version(),
		System: runtime.GOOS + "/" + runtime.GOARCH,
	}
}

// commit is the short name of the commit in the working directory, with a mark
// if something is changed; "unknown" where there is no git.
func commit() string {
	name, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	text := strings.TrimSpace(string(name))
	if changes, err := exec.Command("git", "status", "--porcelain").Output(); err != nil || len(bytes.TrimSpace(changes)) > 0 {
		text += " with changes"
	}
	return text
}

// processor is the model of the processor as Linux gives it; elsewhere only its kind.
func processor() string {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

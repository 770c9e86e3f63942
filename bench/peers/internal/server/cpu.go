package server

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// ticksPerSecond is the unit of times under /proc, the same on every Linux.
const ticksPerSecond = 100

// CPU is how long the server has been on a core so far: its process, those that it
// has started, and those of them that have ended. Zero where the system does not
// tell.
func (s *Server) CPU() (sum time.Duration) {
	pid := s.cmd.Process.Pid
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has just ended
		}
		id, parent, took := parseStat(text)
		if id == pid || parent == pid {
			sum += took
		}
	}
	return sum
}

// parseStat reads what Linux says of a process: its number, that of its parent,
// and how long it and its ended children have been on a core.
func parseStat(text []byte) (id, parent int, took time.Duration) {
	id, _ = strconv.Atoi(string(bytes.TrimSpace(text[:max(0, bytes.IndexByte(text, '('))])))
	// The name may hold anything, brackets and spaces too; it ends at the last one.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const parentAt, utimeAt, cstimeAt = 1, 11, 14 // counted from the state, behind the name
	if len(fields) <= cstimeAt {
		return 0, 0, 0
	}
	parent, _ = strconv.Atoi(string(fields[parentAt]))
	for _, f := range fields[utimeAt : cstimeAt+1] {
		ticks, _ := strconv.ParseInt(string(f), 10, 64)
		took += time.Duration(ticks) * time.Second / ticksPerSecond
	}
	return id, parent, took
}

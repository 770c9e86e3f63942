package server

import (
	"testing"
	"time"
)

// TestParseStat reads a line of Linux whose name is made to confuse.
func TestParseStat(t *testing.T) {
	id, parent, took := parseStat([]byte("4711 (a) b (c)) S 42 4711 4711 0 -1 4194560 1 2 3 4 150 50 30 20 20 0 1 0 99 1 2\n"))
	if id != 4711 || parent != 42 || took != 2500*time.Millisecond {
		t.Errorf("%d, child of %d, took %v", id, parent, took)
	}
	for _, text := range []string{"", "1", "1 (a)", "1 (a) S 2 3"} {
		if id, parent, took := parseStat([]byte(text)); id != 0 || parent != 0 || took != 0 {
			t.Errorf("%q: %d, %d, %v", text, id, parent, took)
		}
	}
}

// TestVersions finds the number in what programs say.
func TestVersions(t *testing.T) {
	for text, want := range map[string]string{
		"etcd Version: 3.4.23\nGit SHA: Not provided":                                  "3.4.23",
		"Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64":           "7.0.15",
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)":                         "15.18",
		"/usr/sbin/mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x": "10.11.19",
	} {
		if got := number.FindString(text); got != want {
			t.Errorf("%q gives %q", text, got)
		}
	}
}

package main

import "testing"

// Everything can be measured; what comes of it here is no figure.
func TestItRuns(t *testing.T) {
	if err := (plan{dir: t.TempDir()}).short().run(""); err != nil {
		t.Fatal(err)
	}
}

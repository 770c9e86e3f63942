// Package browsertest opens the pages that lkactor timeline writes in a browser, and
// uses them as a person would: points, clicks, types, zooms and walks with the keyboard.
//
// It is a module of its own, so that the driver of the browser is in nobody's module
// graph but its own. The driver is chromedp: it speaks the browser's own protocol,
// needs no server between, and runs whatever Chromium is there. Debian's package
// chromium must be installed. A missing browser is a failure, never a test that is
// skipped.
//
//	cd cmd/lkactor/internal/timeline/browsertest
//	go test ./...
//	go test -run Screens -screens DIR .    # what it looks like
//	go test -run '^$' -bench . .           # how long large ones take to open
package browsertest

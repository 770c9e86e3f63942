//go:build !linux

package servers

import "syscall"

// dieTogether is not to be had here: a test that is killed leaves its servers.
func dieTogether(*syscall.SysProcAttr) {}

package servers

import "syscall"

// dieTogether has the kernel end the server when this process ends, however that
// comes about.
func dieTogether(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

package fence_test

import (
	"testing"

	"github.com/leasekeeper/lkactor/lockactor/fence"
	"github.com/leasekeeper/lkactor/lockactor/fence/fencetest"
)

func TestMemory(t *testing.T) {
	var data fence.Memory
	fencetest.Run(t, func() fence.Store { return &data })
}

package durable

import (
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

func resultBytes(r *lease.Result) []byte { return oplog.AppendResult(nil, r) }

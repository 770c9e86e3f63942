module github.com/leasekeeper/lkactor

go 1.26

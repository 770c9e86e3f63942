package durable

// The limits of a durable engine's history. Sizes are in bytes.
const (
	// DefaultSnapshotBytes is after how many bytes of records a snapshot is made
	// when Options does not say: some millions of operations, which take a few
	// seconds to run again.
	DefaultSnapshotBytes = 256 << 20

	// maxRecordText is from what size on the operations of one intake go on in
	// another record.
	maxRecordText = 4 << 20
)

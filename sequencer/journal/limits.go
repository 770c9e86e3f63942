package journal

// The limits of the journal. Sizes are in bytes.
const (
	// DefaultSegmentBytes is how much is set aside for a segment when Options
	// does not say.
	DefaultSegmentBytes = 64 << 20

	// MinSegmentBytes is the smallest segment that Options may ask for: room for
	// the header, the seal and a few small records.
	MinSegmentBytes = 256

	// MaxRecordBytes is the longest record that Append takes. A length beyond it
	// in a frame is no length but damage, which keeps a flipped bit from sending
	// a reader across gigabytes.
	MaxRecordBytes = 64 << 20

	// maxGroupBytes and maxGroupRecords bound what one sync makes durable; more
	// than that is cut into several groups. The second follows from the 16 bits in
	// which a frame says how far behind it its group begins. The first also bounds how
	// far a crash can have written beyond the last whole record: see reach in segment.go.
	maxGroupBytes   = 8 << 20
	maxGroupRecords = 1 << 16

	// markStrideBytes is how far apart the entries of a segment's index are: a
	// read of one record walks over at most this much and one record.
	markStrideBytes = 64 << 10

	// windowBytes is how much of a file is read at once.
	windowBytes = 1 << 20

	// lookTries is how often Look reads a directory that changes under it. Only a
	// writer that gives up every file between its being listed and its being opened
	// makes a reading vain, so the second try is rare.
	lookTries = 200

	// snapshotChunkBytes is how much of a snapshot one checksum covers.
	snapshotChunkBytes = 256 << 10

	// snapshotSyncBytes is how much of a snapshot is handed to the disk at once.
	snapshotSyncBytes = 1 << 20
)

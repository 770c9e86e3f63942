package oplog

// Limits of the log's text. They exist so that no input, however large or
// deep, costs more memory than a few operations of the largest size; where one
// is exceeded the log is refused with a [SyntaxError] that names it.
const (
	// MaxOperationBytes is how long the text of one operation may be, in the file
	// as it stands: escapes and inner white space counted.
	MaxOperationBytes = 16 << 20

	// MaxNesting is how deep lists and objects may be nested, in levels of the
	// whole text: in an array log its own brackets are the first. It is the
	// parser's limit, repeated here to have a name; a test compares the two.
	MaxNesting = 10_000
)

// Sizes that trade memory for speed. They are no limits: they change no answer.
const (
	// windowBytes is how much input is asked for in one read.
	windowBytes = 64 << 10

	// bulkBytes is how much log [Decoder.Read] takes in before it returns with
	// less than it was asked for, so that a slice of large operations does not
	// add up.
	bulkBytes = 1 << 20

	// chunkBytes is how many bytes of names share one allocation.
	chunkBytes = 32 << 10
)

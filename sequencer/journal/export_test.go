package journal

// WithGroups gives the options with groups of at most so many bytes, so that what a
// crash can leave of one is small.
func (o Options) WithGroups(bytes int64) Options {
	o.groupBytes = bytes
	return o
}

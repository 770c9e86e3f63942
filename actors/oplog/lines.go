package oplog

// nextLine gives the text of the entry on the next line of a log in [Lines]
// that is not blank.
func (d *Decoder) nextLine() ([]byte, error) {
	s := d.source
	if err := s.nextLine(); err != nil {
		return nil, d.explain(err)
	}
	d.line, d.lineStart, d.counted = s.line, s.lineStart, s.offset()
	d.entry = place{d.line, d.lineStart, d.counted}
	d.allow()
	text, err := d.value()
	if err != nil {
		return nil, err
	}
	// The parser stops behind the value. What follows on the line is in its
	// buffer and, if the line is long, still in the source.
	unread := d.json.UnreadBuffer()
	if at := spaces(unread); at < len(unread) {
		return nil, d.unexpected(d.json.InputOffset()+s.skipped+int64(at), wantLineEnd)
	}
	found, err := s.finishLine()
	if err != nil {
		return nil, d.explain(err)
	}
	if found {
		return nil, d.errorAt(s.offset(), wantLineEnd, foundIn(s.window[s.at:]))
	}
	if !d.looked {
		if err := d.look(text); err != nil {
			return nil, err
		}
	}
	return text, nil
}

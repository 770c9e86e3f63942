package journal

import (
	"fmt"
	"path/filepath"
)

// manifest is the small file that says where the journal begins. It is what makes
// it impossible to miss a lost segment at the front, and it is the record of
// intent of the two operations that are more than one step on disk: whoever opens
// the directory after a crash finishes them.
type manifest struct {
	id    uint64 // random, once per directory
	first uint64 // the first record; what lies before it has been released
	state state
	last  uint64 // stateTruncating: the last record that stays

	// known is the last record that was durable when the manifest was written, at a Close
	// and at a release; 0 if that was not said. There must be as many, whatever the end of
	// the newest segment looks like. Beside an intent it is what is to be taken away, and
	// no more: a manifest that is put back later, from a backup or by mistake, does not
	// empty the directory that way.
	known uint64
}

// state says what is going on in the directory as a whole.
type state uint32

const (
	// stateReady: nothing is.
	stateReady state = 0
	// stateResetting: every segment is to go, and the journal begins anew, empty,
	// at first. A new directory starts like this.
	stateResetting state = 1
	// stateTruncating: every record after last is to go.
	stateTruncating state = 2
)

func (m manifest) encode() []byte {
	return header{
		magic: magicManifest, id: m.id, index: m.first, state: uint32(m.state), last: m.last, extent: m.known,
	}.encode()
}

// decodeManifest reads the manifest of path from b, the whole file.
func decodeManifest(b []byte, path string) (manifest, error) {
	h, err := decodeHeader(b, path, magicManifest)
	if err != nil {
		return manifest{}, err
	}
	m := manifest{id: h.id, first: h.index, state: state(h.state), last: h.last, known: h.extent}
	if len(b) != headerBytes || m.first == 0 || m.state > stateTruncating {
		return manifest{}, &DamageError{File: path, Why: "the checksum is right but the content makes no sense"}
	}
	return m, nil
}

// readManifest reads the manifest of a directory; an error that is fs.ErrNotExist
// if there is none.
func readManifest(fsys FS, dir string) (manifest, error) {
	path := filepath.Join(dir, manifestName)
	f, err := fsys.OpenRead(path)
	if err != nil {
		return manifest{}, err
	}
	defer func() { _ = f.Close() }()
	size, err := f.Size()
	if err != nil {
		return manifest{}, fmt.Errorf("journal: reading %s: %w", path, err)
	}
	w := newWindow(f, min(size, 2*headerBytes))
	b, _, err := w.from(0, headerBytes)
	if err != nil {
		return manifest{}, fmt.Errorf("journal: reading %s: %w", path, err)
	}
	return decodeManifest(b, path)
}

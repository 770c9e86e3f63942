package filefence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// hidden is the directory under the root that is not for readers.
const hidden = ".fence"

// Why nothing can be published under a name, as things are on the disk.
var (
	errNotOurs     = errors.New("is a directory that was not published; move it away first")
	errLink        = errors.New("is a symbolic link; nothing is published through one")
	errNoDirectory = errors.New("is no directory")
	errHidden      = errors.New("is the publisher's own directory")
)

// checkName tells why nothing can be published under name, whatever is on the
// disk; nil if something can. No part of it is the name of the hidden directory,
// which another root further down has too, nor differs from that in case only, for
// the sake of disks that do not tell the two apart.
func checkName(name string) error {
	ours := func(part string) bool { return strings.EqualFold(part, hidden) }
	switch {
	case !filepath.IsLocal(name), filepath.Clean(name) != name, name == ".":
	case strings.ContainsRune(name, 0):
	case slices.ContainsFunc(strings.Split(name, string(filepath.Separator)), ours):
	default:
		return nil
	}
	return fmt.Errorf("filefence: %w: %q is no name below the root", fence.ErrInvalid, name)
}

// clear gives the path of name, or what is in its way. A symbolic link on the way
// is in it: it may lead out of the root, into the hidden directory, or into a
// directory that was published, which must stay as it is. So is a directory in
// its place. What is not there yet is not in the way.
//
// What it says stays right while everybody who changes directories here is a
// publisher: publishers make no link where a directory is and no directory where a
// link is.
func (p *Publisher) clear(name string) (target string, err error) {
	target = p.root
	parts := strings.Split(name, string(filepath.Separator))
	for i, part := range parts {
		target = filepath.Join(target, part)
		info, err := os.Lstat(target)
		if errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(p.root, name), nil
		}
		if err == nil {
			err = p.inTheWay(part, info, i == len(parts)-1)
		}
		var told *fs.PathError
		switch {
		case errors.As(err, &told):
			return "", err
		case err != nil:
			return "", &fs.PathError{Op: "publish", Path: target, Err: err}
		}
	}
	return target, nil
}

// inTheWay tells why the entry cannot be what it is in a name: a directory on the
// way, or the last.
func (p *Publisher) inTheWay(part string, info fs.FileInfo, last bool) error {
	switch {
	case last && info.IsDir():
		return errNotOurs
	case last:
		return nil
	case info.Mode().Type() == fs.ModeSymlink:
		return errLink
	case !info.IsDir():
		return errNoDirectory
	case part == hidden:
		return nil // asked for by ourselves, see checkName
	}
	// Some disks take names for the same that no comparison of ours does.
	if own, err := os.Lstat(filepath.Join(p.root, hidden)); err == nil && os.SameFile(own, info) {
		return errHidden
	}
	return nil
}

// Package crashfs is a file system in memory that loses power on request, for
// tests of what has to survive that.
//
// It keeps two things of every file and directory: what a process sees, and what
// the disk has. A write changes the first; the second follows when a sync returns
// without an error, and until then in any part or not at all. [FS.PowerLoss] gives
// the file system as somebody might find it after the power failed now; [FS.Kill]
// as it is after the process died and the machine did not. [FS.FailAt] has one
// operation fail, [FS.Limit] all that find the disk full.
//
// What may happen to changes that no sync has followed:
//
//   - Data: of each sector of 512 bytes the disk has the content of the last sync
//     or that after any later write; one may be torn within. A file's length is that
//     of the last sync or that after any later change of it, in order.
//   - Names: any of the creations, renames and removals since the directory was
//     last synced may be missing, each by itself. A rename is one step. Syncing a file
//     makes no name durable.
//   - A sync that fails leaves on disk any part of what it was to write, and the
//     rest counts as written from then on: no later sync writes it. The process goes on
//     seeing it, or sees what the disk has.
//   - A directory's sync that fails leaves its changes as they were, to be made
//     durable by a later one or lost: they live in the file system's own log, and one
//     that fails to write that log stops altogether, so "written, but in memory only" does
//     not arise there.
//   - A write that fails has written any prefix.
//
// Everything follows from the seeds given; the package reads no clock and no other
// source of chance. It owns no knowledge of what is stored in it.
package crashfs

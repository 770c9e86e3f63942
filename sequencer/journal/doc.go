// Package journal keeps records on disk so that none that was acknowledged is
// lost, whatever happens to the process or to the machine (P1), and snapshots
// beside them.
//
// It owns the directory: which bytes are in which file, when each is durable, and
// what a file that is not as it was written means. It does not own what a record
// or a snapshot says; both are bytes to it. It never acknowledges what it has not
// synced, never repeats a sync that has failed, and never repairs damage.
//
// # Use
//
// [Open] reads a directory; [Journal.Append] adds a record and [Journal.Sync]
// makes it durable. A [Committer] does the syncs on a goroutine of its own, so that
// a record's work can be done while it is on its way to disk and the outcome told
// when it is there. What is appended during one sync is the group of the next.
// [Journal.Replay] and [Journal.Read] give records back, [Journal.WriteSnapshot]
// and [Journal.ReleaseBefore] keep the directory small. [Look] and [Verify] read a
// directory without opening it, beside whoever has it open.
//
// After a failed write or sync every call answers with that first failure. Open
// the directory afresh: it holds every record whose Sync returned nil, and perhaps
// some of those whose did not.
//
// # What is on disk
//
//	manifest                        where the journal begins; intents (manifest.go)
//	segment-<first record>          a header, frames, space set aside (frame.go)
//	snapshot-<last record in it>    a header, chunks (snapchunk.go)
//	lock                            taken by the one process that writes, and so is the
//	                                directory itself (oslock_linux.go)
//	*.tmp                           being made; removed by the next Open
//
// Every file begins with a header with a version and a checksum. A frame has a
// version too, and a checksum that covers its index and the checksum of the frame
// before it, across segments, from a seed that belongs to the directory. So a frame
// that is whole but elsewhere, older, or of another journal is none.
//
// # A torn tail or damage
//
// A crash leaves any part of the group that was being written, whole frames after
// torn ones among it; that is cut, and said in [Recovery]. Everything else that is
// not as it was written is damage and refused with a [*DamageError]. What tells them
// apart is that a group is written only once the group before it is durable, and
// that each frame says where its group begins; see tail.go. A segment is sealed once
// the next one is durable, so one that is missing is missed at the end as well as
// in the middle; the manifest says where the first one must begin.
//
// Harmless are only flips in the end mark, in a seal and in space that is set aside in
// the newest segment: no record is there. What a crash leaves goes no further than one
// group beyond the last whole record; anything after that is damage. One thing cannot be
// told: in a journal that was not closed, damage that leaves no whole frame of a later
// group after it and goes no further looks like a torn write, and is cut and said as one.
// After a Close, a release and a snapshot the records of that time are missed all the same:
// the manifest, or the snapshot, says that there were as many.
// A newest segment that is shorter than it was made is no crash's doing (cut.go), nor
// is a manifest whose intent is older than the records; both are damage.
//
// # Why a journal of its own
//
// hashicorp/raft-wal calls itself experimental, and with single bits flipped in a
// synced segment it opened without an error and lost or changed records. etcd's wal
// lost nothing silently, but it reported many such flips as torn tails, and it is a
// heavy dependency. Here every flip of every byte of a closed journal is refused or
// harmless; that, every cut and a crash at every step are tests. The methods fit
// under hashicorp/raft's LogStore all the same: logstore_test.go shows how.
//
// # The order to read it in
//
// frame.go, cursor.go, tail.go and group.go are pure: bytes and numbers in and out.
// load.go reads a directory with them, beside.go while somebody writes to it, recover.go
// makes good what a crash left, journal.go and commit.go write. [FS] is all that is
// asked of a file system; package crashfs has one that loses power on request.
package journal

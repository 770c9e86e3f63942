// Package filefence fences jobs whose output is a file or a directory on a local
// POSIX file system.
//
// It owns a hidden directory under a root and publishes beside it:
//
//	root/report.csv                      a file, replaced by rename
//	root/tables -> .fence/…/trees/…/7f   a directory: a link, replaced by rename
//	root/.fence/<scope>/lock             the scope's lock file, never removed
//	root/.fence/<scope>/token            the highest accepted token
//	root/.fence/<scope>/stage-<id>/      output of a job that is still at work
//	root/.fence/<scope>/trees/<name>/    the versions of a published directory
//	root/.fence/<scope>/values/<key>     the values of a [Store]
//
// A job writes its output into a stage, however long that takes. Then, under the
// scope's lock file: compare the token, record it durably, rename the output into
// its place. A rename is the only step that anybody can see, and whoever looks,
// after a crash too, sees the old or the new. Since rename cannot replace a
// directory that has something in it, a directory is published as a link to it.
//
// The token is recorded before the output becomes visible. A crash between the
// two leaves the old output and the new token: then nobody older can publish, and
// the owner, or the next one, does it again.
//
// It is not for network file systems: what rename, flock and fsync promise on a
// local disk they do not promise there. Everything below the root must be on one
// file system, and everything that publishes a name must go through the package,
// under one scope for that name (P3). What is published is never changed through
// a name further down: nothing is published through a symbolic link.
package filefence

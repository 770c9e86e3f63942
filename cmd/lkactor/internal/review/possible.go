package review

import (
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// shapes are the answers that an operation can have at all, by the rules and from
// whatever state: forms and words, and the codes of errors (O8). A read has any string.
var shapes = map[lease.Kind]struct{ forms, codes []string }{
	lease.Acquire: {[]string{"granted", "queued", "deadlock"}, codes(lease.ClientBusy)},
	lease.Renew:   {[]string{"renewed"}, codes(lease.NotHolder, lease.StaleLease)},
	lease.Release: {[]string{"released", "withdrawn"}, codes(lease.NotHolder, lease.StaleLease)},
	lease.Evict:   {[]string{"released", "withdrawn"}, codes(lease.NotHolder)},
	lease.Inspect: {[]string{formLock}, nil},
	lease.Status:  {[]string{formClient}, nil},
	lease.Write:   {[]string{"ok"}, codes(lease.StaleToken)},
	lease.Repeat:  {[]string{formTally}, codes(lease.InvalidArguments)},
	lease.Tick:    {[]string{formNull}, nil},
	lease.Bump:    {[]string{"bumped"}, nil},
	lease.Forget:  {[]string{"forgotten"}, codes(lease.LockInUse)},
	lease.Close:   {[]string{"closed"}, codes(lease.ClientBusy)},
}

func codes(all ...lease.Code) (texts []string) {
	for _, code := range all {
		texts = append(texts, code.Error())
	}
	return texts
}

// shaped tells whether the recorded answer is one that an operation like this can have.
func (m *matter) shaped() bool {
	got := &m.got
	switch {
	case got.form == formUnknown:
		return false
	case m.op.Kind == lease.Read:
		return got.form == formText || got.form == formError || got.form == formNull
	case got.fails(lease.IDReused):
		return m.op.ID != ""
	case got.form == formError:
		return slices.Contains(shapes[m.op.Kind].codes, got.code)
	case got.form == formText:
		return slices.Contains(shapes[m.op.Kind].forms, got.text)
	}
	return slices.Contains(shapes[m.op.Kind].forms, got.form)
}

// impossible tells whether no state at all leads to the recorded answer by the rules, so
// that the answer is a fault of its own, whatever went before. clock says that production
// is known to have had the instant right at which the operation was handled.
func (m *matter) impossible(clock bool) bool {
	if m.op.Check(m.dialect) != lease.OK || !m.shaped() { // O1..O7 ask for no state
		return true
	}
	// T2, L2: the end of a lease comes of nothing but the instant and the ttl. An answer
	// that was remembered may be older.
	lent := m.got.form == "granted" || m.got.form == "renewed"
	return lent && clock && m.op.ID == "" && !m.shownInstant()
}

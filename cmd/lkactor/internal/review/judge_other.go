package review

import (
	"fmt"
	"maps"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// repeat is about the tally of a repeat, of whose runs the answers are not known.
func (m *matter) repeat() (rule, why string) {
	if m.want.form == formError {
		return "R3", "the last run would lie beyond the limit of instants, so the repeat runs nothing"
	}
	want, _ := m.want.value.(map[string]any)
	got, _ := m.got.value.(map[string]any)
	counted, ours := tallies(got), tallies(want)
	if m.got.form != formTally {
		return "R2", "a repeat is answered with a tally of the answers of its runs"
	}
	for _, label := range slices.Sorted(maps.Keys(ours)) {
		if counted[label] != ours[label] {
			have := "have"
			if ours[label] == "1" {
				have = "has"
			}
			return "R2", fmt.Sprintf("%v of the %v runs %s the answer %s%s; the tally does not tell which run had another one",
				ours[label], want["ops"], have, escape.Quoted(label), m.which(label, ours[label]))
		}
	}
	for _, label := range slices.Sorted(maps.Keys(counted)) {
		if _, known := ours[label]; !known {
			return "R2", fmt.Sprintf("no run has the answer %s", escape.Quoted(label))
		}
	}
	return "R2", fmt.Sprintf("there are %v runs and %v victims", want["ops"], victimsOf(want))
}

// which names the runs of a repeat that have the answer with that label, the first of them.
// The events do not tell a read of nothing from one of an empty text: where there should be
// another number of runs, none is named.
func (m *matter) which(label, number string) string {
	var places []string
	count := 0
	for i := 0; i < len(m.events); {
		first := i
		for i++; i < len(m.events) && m.events[i].Place == m.events[first].Place; i++ {
		}
		if run := m.events[first:i]; run[0].Run > 0 && labelOf(run) == label {
			if count++; count <= most {
				places = append(places, telling.Place(run[0].Place))
			}
		}
	}
	if fmt.Sprint(count) != number {
		return ""
	}
	return " (" + some(places, count) + ")"
}

// labelOf gives the label under which a run counts whose events are these (R2).
func labelOf(run []*story.Event) (label string) {
	var asks string // the client of an acquire
	for _, e := range run {
		switch {
		case e.Kind == story.Failed || e.Kind == story.Refused:
			return "error: " + e.Code.Error()
		case e.Kind == story.Wrote:
			return "ok"
		case e.Kind == story.Read && e.Value != "":
			return e.Value
		case e.Kind == story.Read, e.Kind == story.Inspected, e.Kind == story.Reported:
			return "other"
		case e.Kind == story.Renewed:
			return "renewed"
		case e.Kind == story.Released && !e.Abort:
			return "released"
		case e.Kind == story.Withdrawn && !e.Abort:
			return "withdrawn"
		case e.Kind == story.Queued:
			asks, label = e.Client, "queued"
		case e.Kind == story.Granted && (!e.FromQueue && asks == "" || e.Client == asks):
			label = "granted"
		case e.Kind == story.Aborted && e.Client == asks:
			label = "deadlock"
		}
	}
	return label
}

func tallies(v map[string]any) map[string]string {
	all := map[string]string{}
	results, _ := v["results"].(map[string]any)
	for label, n := range results {
		all[label] = fmt.Sprint(n)
	}
	return all
}

func victimsOf(v map[string]any) any {
	if n, some := v["aborted"]; some {
		return n
	}
	return 0
}

// verb is about the operators' operations.
func (m *matter) verb() (rule, why string) {
	e := m.event(story.Failed)
	switch m.op.Kind {
	case lease.Bump:
		return "E4", fmt.Sprintf("the counter of %s stands at %d after the bump to %d", m.lock(), m.want.token, m.op.Token)
	case lease.Forget:
		if e == nil {
			return "E4", fmt.Sprintf("nobody holds or awaits %s and nothing is stored there, so %s is forgotten", m.lock(), m.lock())
		}
		if e.Claim != nil {
			return "E4", fmt.Sprintf("%s %s, so %s cannot be forgotten", escape.Quoted(e.Claim.Client), m.clock.Claim(e.Claim), m.lock())
		}
		return "E4", fmt.Sprintf("something is stored under %s: %s", m.lock(), m.clock.Newer(e.Newer))
	}
	if e != nil && e.Claim != nil {
		return "E4", fmt.Sprintf("%s %s and so cannot be closed", m.client(), m.clock.Claim(e.Claim))
	}
	return "E4", fmt.Sprintf("%s neither holds nor awaits anything and is closed", m.client())
}

package mitigation

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/control"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// notice is how long before evidence is due it is asked for, at most.
const notice = 7 * span.Day

// least is how much time people have for evidence at least, also after an outage.
const least = span.Day

// reminder is how long before evidence is due its owner is reminded, at most.
const reminder = span.Day

// start begins a mitigation that was approved.
func (m *Mitigation) start(c control.Fields, now time.Time, at *time.Location) {
	d, _ := span.Parse(m.Duration)
	ends := span.Add(now, d, at).UTC()
	m.StartsAt, m.EndsAt = &now, &ends
	if c.NeedsEvidence() {
		m.demand(c, now, at)
	}
}

// demand makes evidence due one interval after a time, unless the mitigation ends before.
func (m *Mitigation) demand(c control.Fields, after time.Time, at *time.Location) {
	cadence, grace := c.CadenceAndGrace()
	m.due(span.Add(after, cadence, at).UTC(), grace, at)
}

// due makes evidence due at a time, unless the mitigation ends before.
func (m *Mitigation) due(when time.Time, grace time.Duration, at *time.Location) {
	m.DueAt, m.LapsesAt, m.RemindedAt = nil, nil, nil
	if when.Before(*m.EndsAt) {
		lapses := span.Add(when, grace, at).UTC()
		m.DueAt, m.LapsesAt = &when, &lapses
	}
}

// pass notes in the dates of a mitigation that an event happened.
func (m *Mitigation) pass(e Event, c control.Fields, now time.Time, at *time.Location) {
	cadence, grace := c.CadenceAndGrace()
	switch e {
	case Approve:
		m.start(c, now, at)
	case Ask: // late: an outage takes no time from the owner
		if earliest := now.Add(min(least, cadence/4)); m.DueAt.Before(earliest) && earliest.Before(*m.EndsAt) {
			m.due(earliest, grace, at)
		}
		if !now.Before(m.remindAt(c)) { // asked this late, one question is enough
			m.RemindedAt = &now
		}
	case Nudge:
		m.RemindedAt = &now
	case Warn:
		m.EndToldAt = &now
	case Delay:
		if earliest := now.Add(min(least, grace)); m.LapsesAt.Before(earliest) {
			m.LapsesAt = &earliest
		}
	case Provide, QueryPass:
		next := now
		if m.DueAt != nil {
			next = *m.DueAt
		}
		for m.demand(c, next, at); m.DueAt != nil && !m.DueAt.After(now); m.demand(c, next, at) {
			next = *m.DueAt
		}
	case Reject:
		if m.State == Active {
			m.due(span.Add(now, least, at).UTC(), grace, at)
		}
	case QueryFail, QueryOpen: // people have a day, as after a rejection; asked this late, one question is enough
		m.due(span.Add(now, least, at).UTC(), grace, at)
		m.RemindedAt = &now
	}
}

// remindAt is when the owner is reminded of evidence that is due.
func (m Mitigation) remindAt(c control.Fields) time.Time {
	cadence, _ := c.CadenceAndGrace()
	return m.DueAt.Add(-min(reminder, cadence/8))
}

// turn is the event that time brings next to a mitigation, and when; empty: none.
func (m Mitigation) turn(c control.Fields) (e Event, when time.Time) {
	if !m.State.Mitigates() {
		return "", when
	}
	e, when = End, *m.EndsAt
	sooner := func(then Event, at time.Time) {
		if at.Before(when) {
			e, when = then, at
		}
	}
	if m.EndToldAt == nil {
		sooner(Warn, m.EndsAt.Add(-min(notice, m.EndsAt.Sub(*m.StartsAt)/4)))
	}
	switch {
	case m.DueAt == nil:
	case m.State == Active && c.AsksQuery():
		sooner(queryDue, *m.DueAt)
	case m.State == Active:
		cadence, _ := c.CadenceAndGrace()
		sooner(Ask, m.DueAt.Add(-min(notice, cadence/4)))
	case m.State == EvidenceDue:
		sooner(Delay, *m.DueAt)
		if m.RemindedAt == nil {
			sooner(Nudge, m.remindAt(c))
		}
	case m.State == EvidenceOverdue:
		sooner(Miss, *m.LapsesAt)
	}
	return e, when
}

package state

import (
	"time"
)

// lookForPeople is how often it is looked by itself whether an approver was found.
const lookForPeople = 10 * time.Minute

// NextDate is when the chain has to be looked at next: to remind, escalate, expire, or end a wait.
func (f *Flow) NextDate(now time.Time) time.Time {
	next := f.ExpiresAt
	sooner := func(t time.Time) {
		if t.Before(next) {
			next = t
		}
	}
	if f.Turned {
		sooner(now)
	}
	if len(f.LeftTasks) > 0 {
		sooner(now.Add(time.Second))
	}
	if f.State == StateBlocked {
		sooner(now.Add(lookForPeople))
	}
	st := f.Current()
	switch {
	case !f.Live() || st == nil:
	case st.State == StageWaiting:
		sooner(f.waitsUntil(st, now))
	case st.State == StageOpen:
		if st.Reminded < len(st.RemindAt) {
			sooner(st.RemindAt[st.Reminded])
		}
		if st.Escalated < len(st.EscalateAt) {
			sooner(st.EscalateAt[st.Escalated])
		}
	}
	return next
}

// Kinds of wait.
const (
	WaitCondition = "condition"
	WaitDuration  = "duration"
	WaitTimeOfDay = "time_of_day"
	WaitExternal  = "external"
)

// lookAgain is how often a condition is looked at that a stage waits for.
const lookAgain = time.Minute

// waitsUntil is when a waiting stage has to be looked at.
func (f *Flow) waitsUntil(st *Stage, now time.Time) time.Time {
	d := f.Definition(st.Stage).Wait
	if d == nil || st.Waited || st.WaitSince == nil {
		return now
	}
	at := f.ExpiresAt
	if st.WaitUntil != nil {
		at = *st.WaitUntil
	}
	if again := now.Add(lookAgain); d.Kind == WaitCondition && again.Before(at) {
		at = again
	}
	return at
}

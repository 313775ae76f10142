package state

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// bounds are the times that an approver sets.
func bounds(inputs map[string]any) (starts, ends *time.Time, err error) {
	for name, to := range map[string]**time.Time{"starts_at": &starts, "ends_at": &ends} {
		raw, given := inputs[name]
		if !given || raw == nil {
			continue
		}
		text, _ := raw.(string)
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return nil, nil, BadInput(name, "invalid_format", "an instant such as 2026-12-31T18:00:00Z is expected")
		}
		t = t.UTC()
		*to = &t
	}
	return starts, ends, nil
}

// BadInput is the fault of an input of a decision.
func BadInput(name, code, detail string) error {
	return fault.Coded(fault.Invalid, "validation_failed", "%s: %s", name, detail).
		With(fault.Field{Pointer: "#/inputs/" + name, Code: code, Detail: detail})
}

// mayBound checks the times that an approver sets: they may shorten what was asked for, and never give more.
func (f *Flow) mayBound(inputs map[string]any, now time.Time) error {
	starts, ends, err := bounds(inputs)
	if err != nil {
		return err
	}
	begins := now
	if asked := f.StartsBy(); asked != nil {
		begins = *asked
	}
	if starts != nil {
		if starts.Before(begins.Truncate(time.Second)) &&
			!(f.StartsBy() == nil && starts.After(now.Add(-time.Minute))) {
			return BadInput(
				"starts_at",
				"only_later",
				"an approver may let it begin later than was asked, and not earlier, nor in the past",
			)
		}
		begins = *starts
	}
	if most := f.endsBy(now); most != nil && starts != nil && !starts.Before(*most) {
		return BadInput("starts_at", "after_end", "it would begin after its end")
	}
	if ends == nil {
		return nil
	}
	if !ends.After(begins) || !ends.After(now) {
		return BadInput("ends_at", "in_the_past", "it would end before it begins")
	}
	if most := f.endsBy(begins); most != nil && ends.After(*most) {
		return BadInput(
			"ends_at",
			"only_shorter",
			"an approver may shorten it, and not make it longer: it was asked for until "+most.UTC().
				Format(time.RFC3339),
		)
	}
	return nil
}

// StartsBy is when the access begins as it stands; nil: when it is provisioned.
func (f *Flow) StartsBy() *time.Time {
	if f.StartsAt != nil {
		return f.StartsAt
	}
	return f.Subject.StartsAt
}

// endsBy is when it ends as it stands; nil: never. A length counts from when it begins.
func (f *Flow) endsBy(begins time.Time) *time.Time {
	switch {
	case f.EndsAt != nil:
		return f.EndsAt
	case f.Subject.EndsAt != nil:
		return f.Subject.EndsAt
	}
	if lasts, err := span.Parse(f.Subject.Duration); err == nil && lasts > 0 {
		return Pointer(begins.Add(lasts))
	}
	return nil
}

// Bound takes the times that an approver sets, which were checked.
func (f *Flow) Bound(inputs map[string]any) {
	starts, ends, err := bounds(inputs)
	if err != nil {
		return
	}
	if starts != nil {
		f.StartsAt = starts
	}
	if ends != nil {
		f.EndsAt = ends
	}
}

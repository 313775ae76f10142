package order

import (
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement"
)

// settleEnd holds the end of an order against the entitlement's max_duration. An order without an end lasts for its
// default_duration, or else for its max_duration.
func (o *GrantOrder) settleEnd(e entitlement.Entitlement, now time.Time) error {
	begin := now
	if o.StartsAt != nil && o.StartsAt.After(now) {
		begin = *o.StartsAt
	}
	most, usual := lasting(e.MaxDuration), lasting(e.DefaultDuration)
	if usual == 0 {
		usual = most
	}
	switch {
	case o.EndsAt == nil && usual > 0:
		until := begin.Add(usual)
		o.EndsAt = &until
	case o.EndsAt != nil && most > 0 && o.EndsAt.After(begin.Add(most)):
		return tooLong(e, *e.MaxDuration, begin.Add(most))
	}
	return nil
}

// settleExtension holds the new end of a grant against the entitlement's extension_max.
func settleExtension(e entitlement.Entitlement, from *time.Time, until time.Time) error {
	most := lasting(e.ExtensionMax)
	if most == 0 || from == nil || !until.After(from.Add(most)) {
		return nil
	}
	return tooLong(e, *e.ExtensionMax, from.Add(most))
}

// tooLong is the fault for an end beyond the entitlement's longest duration.
func tooLong(e entitlement.Entitlement, most string, until time.Time) error {
	detail := fmt.Sprintf(
		"%s can be assigned for at most %s: until %s",
		e.Label(),
		most,
		until.UTC().Format(time.RFC3339),
	)
	return fault.New(fault.Invalid, "%s", detail).
		With(fault.Field{Pointer: "#/ends_at", Code: "duration_exceeds_limit", Detail: detail})
}

// lasting reads a duration that was checked when it was stored; absent is 0.
func lasting(text *string) time.Duration {
	if text == nil {
		return 0
	}
	d, err := span.Parse(*text)
	if err != nil {
		return 0
	}
	return d
}

package draft

import (
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest/term"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Record returns the request of a draft for accessrequest.Insert.
func (d *Draft) Record(v viewer.Viewer, serial int64, now time.Time) accessrequest.Record {
	var expires *time.Time
	for _, w := range d.Items {
		if at := now.Add(
			term.TTL(w.Plan),
		); w.Way(d.In) == approval.Chain &&
			(expires == nil || at.After(*expires)) {
			expires = &at
		}
	}
	out := accessrequest.Record{
		ID:        d.ID,
		Serial:    serial,
		For:       d.Person.ID,
		By:        accessrequest.ActorOf(v),
		Kind:      d.In.Kind,
		Urgency:   d.In.Urgency,
		Why:       d.In.Justification,
		Reference: d.In.ExternalReference,
		Answers:   d.In.FormAnswers,
		Approvers: d.In.Approvers,
		Preview:   d.Foresee(),
		ExpiresAt: expires,
	}
	if out.Answers == nil {
		out.Answers = map[string]any{}
	}
	if out.Approvers == nil {
		out.Approvers = []string{}
	}
	out.RequesterID, out.ActorID = idOrNil(v.Identity), idOrNil(v.ID)
	words := []string{accessrequest.Number(serial), d.Person.Display, v.Display, d.In.Justification}
	if d.In.ExternalReference != nil {
		words = append(words, *d.In.ExternalReference)
	}
	for _, w := range d.Items {
		words = append(words, w.Resource.Display)
	}
	out.Searched = strings.ToLower(strings.Join(words, "\n"))
	return out
}

// idOrNil is nil for an empty ID.
func idOrNil(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}

// ItemRecords returns the items of a draft for accessrequest.Insert.
func (d *Draft) ItemRecords() []accessrequest.ItemRecord {
	out := make([]accessrequest.ItemRecord, len(d.Items))
	for i, w := range d.Items {
		item := accessrequest.ItemRecord{
			ID:          w.ID,
			RequestID:   d.ID,
			Position:    i,
			Beneficiary: d.Person.ID,
			Kind:        d.In.Kind,
			RoleID:      idOrNil(w.In.RoleID),
			Entitlement: idOrNil(w.In.EntitlementID),
			AccountID:   idOrNil(w.In.AccountID),
			Display:     w.Resource.Display,
			RiskLevel:   w.Resource.RiskLevel,
			Privileged:  w.Resource.Privileged,
			Parameters:  w.In.Parameters,
			StartsAt:    w.Starts,
			EndsAt:      w.Ends,
			Limits:      w.Limits,
			Plan:        w.Plan,
		}
		if item.Parameters == nil {
			item.Parameters = map[string]any{}
		}
		if item.Limits == nil {
			item.Limits = []string{}
		}
		if w.Duration > 0 {
			item.Duration = idOrNil(span.Format(w.Duration))
		}
		if w.limit > 0 {
			item.Longest = idOrNil(span.Format(w.limit))
		}
		if w.Target != nil {
			item.Target = &w.Target.ID
		}
		out[i] = item
	}
	return out
}

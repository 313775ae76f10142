package task

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest/term"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/draft"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// ApprovalItem returns an item as its approvers are asked about it.
func ApprovalItem(d *draft.Draft, r *accessrequest.AccessRequest, item *accessrequest.AccessRequestItem,
	w *draft.Item, v viewer.Viewer) chain.Item {
	m := chain.Item{
		ItemID:    item.ID,
		RequestID: r.ID,
		Number:    r.Number,
		Subject:   d.Subject(w, v),
		Plan:      w.Plan,
		What:      w.Resource.Ref(),
		Who: decision.Ref{
			Type:    "identity",
			ID:      d.Person.ID,
			Display: d.Person.Display,
		},
		RequestedBy: accessrequest.ActorOf(v),
		Context:     contextOf(d, r, w),
		ExpiresAt:   r.SubmittedAt.Add(term.TTL(w.Plan)),
	}
	if item.RiskLevel != nil {
		m.RiskLevel = *item.RiskLevel
	}
	return m
}

// context is what approvers are shown.
func contextOf(d *draft.Draft, r *accessrequest.AccessRequest, w *draft.Item) map[string]any {
	c := map[string]any{
		"request_id":         r.ID,
		"item_id":            w.ID,
		"number":             r.Number,
		"kind":               r.Kind,
		"urgency":            r.Urgency,
		"justification":      r.Justification,
		"external_reference": r.ExternalReference,
		"requested_by":       r.RequestedBy,
		"form_answers":       r.FormAnswers,
		"limits":             w.Limits,
		"requested_for": map[string]any{
			"id":         d.Person.ID,
			"display":    d.Person.Display,
			"department": d.Person.Department,
			"title":      d.Person.Title,
		},
		"what": map[string]any{
			"type":        w.Resource.Type,
			"id":          w.Resource.ID,
			"display":     w.Resource.Display,
			"description": w.Resource.Description,
			"privileged":  w.Resource.Privileged,
		},
		"starts_at":   w.Starts,
		"ends_at":     w.Ends,
		"other_items": len(d.Items) - 1,
	}
	if w.Duration > 0 {
		c["duration"] = span.Format(w.Duration)
	}
	if warnings := d.Warnings(); len(warnings) > 0 {
		c["separation_of_duties"] = warnings
	}
	if len(w.In.Parameters) > 0 {
		c["parameters"] = w.In.Parameters
	}
	return c
}

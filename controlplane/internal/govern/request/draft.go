package request

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// mostResources are asked for in one request.
const mostResources = 50

// draft is a request that is being looked at: what is asked for, and what stands against it.
type draft struct {
	in     NewAccessRequest
	at     string // where it stands in the body, as a JSON pointer
	id     string
	person person
	wishes []*wish
	faults []*fault.Fault
}

// wish is one thing of a draft.
type wish struct {
	in           RequestedResource
	at           string
	id           string
	thing        thing
	duration     time.Duration
	starts, ends *time.Time
	urgent       bool
	limit        time.Duration // the longest that it may last; 0: no limit
	limits       []string
	plan         approval.Plan
	target       *AccessRequestItem // of an extension, a return or a revocation: what gave the access
	held         *holding
	denied       *denial
	duplicate    *duplicate
}

// denial keeps a person from holding a thing. Until is null for one without an end.
type denial struct {
	Until *time.Time
	Note  string
}

// holding is what somebody has already.
type holding struct {
	Until *time.Time `json:"until" doc:"Null: without an end."`
	By    string     `json:"by" doc:"How they come to have it."`
}

// duplicate is a request that asks for the same.
type duplicate struct {
	RequestID string `json:"request_id"`
	Number    string `json:"number"`
	Status    string `json:"status"`
}

// draw makes a draft of what was sent, for whoever sends it. Ids are made beforehand, so that what is asked of others
// can name them.
func draw(tx *pg.Tx, in NewAccessRequest, at string) *draft {
	if in.RequestedForIdentityID == "" {
		in.RequestedForIdentityID = tx.Viewer.Identity
	}
	in.RequestedForIdentityID = strings.ToLower(in.RequestedForIdentityID)
	in.Kind, in.Urgency = cmp.Or(in.Kind, Grant), cmp.Or(in.Urgency, Normal)
	in.Justification = strings.TrimSpace(in.Justification)
	if in.ExternalReference != nil {
		if text := strings.TrimSpace(*in.ExternalReference); text != "" {
			in.ExternalReference = &text
		} else {
			in.ExternalReference = nil
		}
	}
	d := &draft{in: in, at: at, id: newID()}
	for i, r := range in.RequestedResources {
		r.RoleID, r.EntitlementID, r.AccountID = strings.ToLower(r.RoleID), strings.ToLower(
			r.EntitlementID,
		), strings.ToLower(r.AccountID)
		d.wishes = append(
			d.wishes,
			&wish{
				in:     r,
				at:     fmt.Sprintf("%s/requested_resources/%d", at, i),
				id:     newID(),
				urgent: in.Urgency == Emergency,
			},
		)
	}
	return d
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// against adds what stands against a draft.
func (d *draft) against(f *fault.Fault) { d.faults = append(d.faults, f) }

// wrong adds fields that are wrong.
func (d *draft) wrong(fields ...fault.Field) {
	if len(fields) > 0 {
		d.against(
			fault.Coded(fault.Invalid, cmp.Or(special(fields[0].Code), "validation_failed"), "%s", fields[0].Detail).
				With(fields...),
		)
	}
}

// special is a field's code that is worth being the problem's own.
func special(code string) string {
	switch code {
	case "duration_exceeds_limit",
		"duration_required",
		"justification_required",
		"external_reference_required",
		"not_requestable",
		"wrong_system",
		"unknown_account":
		return code
	}
	return ""
}

// lost says that nothing more can be found out about a draft.
func (d *draft) lost() bool { return len(d.faults) > 0 && d.person.ID == "" }

// order in which refusals matter to whoever reads one alone.
var severity = map[fault.Kind]int{fault.NotFound: 1, fault.Forbidden: 2, fault.Invalid: 4, fault.Conflict: 5}

// refusal is why a draft is not taken: the gravest fault, with the fields of those like it. Nil: it is.
func (d *draft) refusal() error {
	if len(d.faults) == 0 {
		return nil
	}
	first := slices.MinFunc(
		d.faults,
		func(a, b *fault.Fault) int { return cmp.Compare(severity[a.Kind], severity[b.Kind]) },
	)
	out := *first
	out.Fields = nil
	for _, f := range d.faults {
		if f.Kind == first.Kind && (f.Kind == fault.Invalid || f == first) {
			out.Fields = append(out.Fields, f.Fields...)
		}
	}
	return &out
}

// checkShape looks at what can be seen without knowing anything else.
func (d *draft) checkShape(now time.Time) {
	field := func(member, code, detail string) fault.Field {
		return fault.Field{Pointer: d.at + "/" + member, Code: code, Detail: detail}
	}
	var wrong []fault.Field
	switch n := len(d.wishes); {
	case n == 0:
		wrong = append(wrong, field("requested_resources", "required", "give at least one role or entitlement"))
	case n > mostResources:
		wrong = append(
			wrong,
			field(
				"requested_resources",
				"too_many",
				fmt.Sprintf("a request has at most %d; send several", mostResources),
			),
		)
		d.wishes = nil // one thing is wrong, and not as many as were sent
	}
	if d.in.RequestedForIdentityID == "" {
		wrong = append(
			wrong,
			field(
				"requested_for_identity_id",
				"required",
				"a recipient is required, because your user is not linked to an identity",
			),
		)
	}
	if d.in.Urgency == Emergency && d.in.Kind != Grant {
		wrong = append(
			wrong,
			field("urgency", "invalid", "only access can be had in an emergency; everything else is quick as it is"),
		)
	}
	if d.in.Urgency == Emergency && d.in.Justification == "" {
		wrong = append(
			wrong,
			field("justification", "justification_required", "say what the emergency is: it is reviewed afterwards"),
		)
	}
	seen := map[string]int{}
	for i, w := range d.wishes {
		wrong = append(wrong, w.checkShape(d.in.Kind)...)
		wrong = append(wrong, w.checkTimes(now)...)
		if key := w.key(); key == "" {
			continue
		} else if first, twice := seen[key]; twice {
			wrong = append(
				wrong,
				fault.Field{
					Pointer: w.at,
					Code:    "duplicate",
					Detail:  fmt.Sprintf("the same is asked for by requested_resources/%d", first),
				},
			)
		} else {
			seen[key] = i
		}
	}
	d.wrong(wrong...)
}

func (w *wish) checkShape(kind string) []fault.Field {
	var wrong []fault.Field
	bad := func(member, code, detail string) {
		wrong = append(wrong, fault.Field{Pointer: w.at + member, Code: code, Detail: detail})
	}
	if (w.in.RoleID == "") == (w.in.EntitlementID == "") {
		bad("", "invalid", "name exactly one of role_id and entitlement_id")
	}
	for member, id := range map[string]string{"/role_id": w.in.RoleID, "/entitlement_id": w.in.EntitlementID,
		"/account_id": w.in.AccountID} {
		if id != "" && !listing.IsID(id) {
			bad(member, "invalid", "this is no id")
		}
	}
	if w.in.AccountID != "" && w.in.RoleID != "" {
		bad(
			"/account_id",
			"invalid",
			"a role is held by the person, by their main account of each system: leave account_id out, or ask for "+
				"its entitlements one by one",
		)
	}
	if len(w.in.Parameters) > 0 && w.in.RoleID == "" {
		bad("/parameters", "invalid", "entitlements take no parameters")
	}
	if (kind == Return || kind == Revoke) && (w.in.Duration != "" || w.in.StartsAt != nil || w.in.EndsAt != nil) {
		bad("", "invalid", "access is given back at once: leave duration, starts_at and ends_at out")
	}
	if kind == Extend && w.in.StartsAt != nil {
		bad("/starts_at", "invalid", "what is there is extended, and begins no more: leave it out")
	}
	return wrong
}

// key is what two wishes for the same have in common; empty: nothing is named.
func (w *wish) key() string {
	if w.in.RoleID == "" && w.in.EntitlementID == "" {
		return ""
	}
	return w.in.RoleID + "/" + w.in.EntitlementID + "/" + w.in.AccountID + "/" + string(canonical(w.in.Parameters))
}

// canonical is a map as JSON with its members in order.
func canonical(m map[string]any) []byte {
	if len(m) == 0 {
		return []byte(`{}`)
	}
	text, err := json.Marshal(m)
	if err != nil {
		return []byte(`{}`)
	}
	return bytes.TrimSpace(text)
}

package draft

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/eligibility"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/lookup"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Draft is a submitted request under examination: what is requested, and the faults found so far.
type Draft struct {
	// In is the request as it was sent; ID is the new request's.
	In accessrequest.NewAccessRequest
	at string // where it stands in the body, as a JSON pointer
	ID string
	// Person is the beneficiary; Items are the requested resources.
	Person lookup.Person
	Items  []*Item
	// Separation is what separation-of-duties policies say about the requested access.
	Separation check.SeparationVerdict
	// Proposals are the mitigations that the request proposes.
	Proposals []Proposal
	// Faults are all reasons to refuse the request. Empty: it can be submitted.
	Faults []*fault.Fault
}

// Item is one requested resource of a draft.
type Item struct {
	In accessrequest.RequestedResource
	// at is the item's JSON pointer in the body.
	at       string
	ID       string
	Resource lookup.Resource
	// Duration is the requested one; 0: none was given.
	Duration time.Duration
	// Starts and Ends bound the access. Nil: at once, and without an end.
	Starts, Ends *time.Time
	urgent       bool
	excepted     bool // it needs an exception
	// exceptionLimit is the limit of the policies that it needs an exception of.
	exceptionLimit bound
	limit          time.Duration // the longest that it may last; 0: no limit
	// Limits are the reasons for the limit, in words.
	Limits []string
	// ruling is what the policies say that define who can request it.
	ruling eligibility.Ruling
	// Plan is who has to approve.
	Plan   approval.Plan
	Target *accessrequest.AccessRequestItem // of an extension, a return or a revocation: what gave the access
	// held, denied and duplicate are what stands in the way. Nil: nothing.
	held      *lookup.Holding
	denied    *lookup.Denial
	duplicate *lookup.Duplicate
}

// New returns the draft of a request by the viewer. Ids are made now, so that decision tasks can name them.
func New(tx *pg.Tx, in accessrequest.NewAccessRequest, at string) *Draft {
	if in.RequestedForIdentityID == "" {
		in.RequestedForIdentityID = tx.Viewer.Identity
	}
	in.RequestedForIdentityID = strings.ToLower(in.RequestedForIdentityID)
	in.Kind, in.Urgency = cmp.Or(in.Kind, accessrequest.Grant), cmp.Or(in.Urgency, accessrequest.Normal)
	in.Justification = strings.TrimSpace(in.Justification)
	if in.ExternalReference != nil {
		if text := strings.TrimSpace(*in.ExternalReference); text != "" {
			in.ExternalReference = &text
		} else {
			in.ExternalReference = nil
		}
	}
	d := &Draft{In: in, at: at, ID: accessrequest.NewID(), Separation: check.Clear()}
	for i, r := range in.RequestedResources {
		r.RoleID, r.EntitlementID, r.AccountID = strings.ToLower(r.RoleID), strings.ToLower(
			r.EntitlementID,
		), strings.ToLower(r.AccountID)
		d.Items = append(
			d.Items,
			&Item{
				In:     r,
				at:     fmt.Sprintf("%s/requested_resources/%d", at, i),
				ID:     accessrequest.NewID(),
				urgent: in.Urgency == accessrequest.Emergency,
			},
		)
	}
	return d
}

// key is what two wishes for the same have in common; empty: nothing is named.
func (w *Item) key() string {
	if w.In.RoleID == "" && w.In.EntitlementID == "" {
		return ""
	}
	return w.In.RoleID + "/" + w.In.EntitlementID + "/" + w.In.AccountID + "/" + string(canonical(w.In.Parameters))
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

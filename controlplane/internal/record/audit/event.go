package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

// Actor is who did something.
type Actor struct {
	// The kind of token, or the product itself.
	Type string `json:"type" enum:"user,service,agent,system"`
	// ID of the actor.
	ID string `json:"id,omitempty"`
	// Display name of the actor at the time of the action.
	Display string `json:"display,omitempty"`
	// ID of the identity that the actor is linked to. Absent if there is none.
	IdentityID string `json:"identity_id,omitempty"`
	// Roles of the actor at the time of the action.
	Roles []string `json:"roles,omitempty"`
	// The sign-in, or the service token.
	TokenID string `json:"token_id,omitempty"`
	// IP address that the request came from.
	IP string `json:"ip,omitempty"`
	// User-Agent header of the request.
	UserAgent string `json:"user_agent,omitempty"`
	// True if the actor is a control-plane administrator.
	ControlPlaneAdmin bool `json:"control_plane_admin,omitempty"`
}

// Changed is one field that became different, as the log keeps it.
type Changed struct {
	// Name of the changed field.
	Field string `json:"field"`
	// Value before the change.
	Before any `json:"before"`
	// Value after the change.
	After any `json:"after"`
	// It is a secret: that it changed is recorded, its values are not.
	Redacted bool `json:"redacted,omitempty"`
}

// Elsewhere says that the actor belongs to another tenant.
type Elsewhere struct {
	// ID of the tenant that the actor belongs to.
	ActorTenant string `json:"actor_tenant"`
	// Reason for the access to another tenant.
	Reason string `json:"reason,omitempty"`
}

// Event is an entry as the log keeps it. Its canonical form is what is hashed.
type Event struct {
	// Numbers of a tenant have no gaps.
	Seq int64 `json:"seq"`
	// Time of the action.
	Time time.Time `json:"time"`
	// ID of the tenant whose audit log contains the entry.
	TenantID string `json:"tenant_id"`
	// One of /audit-events/catalog.
	Action string `json:"action"`
	// Category of the action.
	Category Category `json:"category"`
	// Outcome of the action.
	Outcome Outcome `json:"outcome" enum:"success,failure,denied"`
	// Actor who performed the action.
	Actor Actor `json:"actor"`
	// Person on whose behalf the actor acted, by delegation.
	ActingFor *Subject `json:"acting_for,omitempty"`
	// Present if the actor belongs to another tenant.
	Elsewhere *Elsewhere `json:"on_behalf_of_tenant,omitempty"`
	// Object that the action was performed on.
	Subject *Subject `json:"subject,omitempty"`
	// Other objects that the action affected.
	Objects []Subject `json:"objects,omitempty"`
	// Fields that the action changed.
	Changes []Changed `json:"changes,omitempty"`
	// Reason that the actor gave.
	Reason string `json:"reason,omitempty"`
	// request_id, and what else belongs to the action.
	Context map[string]any `json:"context,omitempty"`
	// Hash of the previous entry.
	PrevHash string `json:"prev_hash,omitempty"`
	// SHA-256 hash of the entry and of the previous hash.
	Hash string `json:"hash,omitempty"`
}

const (
	maxEvent = 256 << 10 // bytes of one entry
	maxText  = 8 << 10   // bytes of one text in it

	// The number and the instant are given by the database. "time" is the last member of an entry in canonical order,
	// which these two rely on.
	seqHole  = `"seq":0`
	timeHole = `"time":"0001-01-01T00:00:00Z"}`
)

// canonical is the entry in canonical form, up to the value of its number, and from there up to the value of its
// instant.
func (e Entry) canonical(v viewer.Viewer) (beforeSeq, beforeTime string, err error) {
	raw, err := json.Marshal(e.event(v))
	if err != nil {
		return "", "", err
	}
	clean, err := cleanse(raw)
	if err != nil {
		return "", "", err
	}
	if len(clean) > maxEvent {
		if clean, err = e.shortened(v, clean); err != nil {
			return "", "", err
		}
	}
	return split(clean)
}

// split cuts an entry where the database fills in.
func split(event []byte) (beforeSeq, beforeTime string, err error) {
	// Texts of an entry come from outside, and members of its context may be called seq as well: only the outermost one
	// counts.
	i := topLevel(event, seqHole)
	if i < 0 || !bytes.HasSuffix(event, []byte(timeHole)) {
		return "", "", errors.New("an entry has no place for its number and instant")
	}
	start, end := i+len(`"seq":`), len(event)-len(timeHole)+len(`"time":"`)
	return string(event[:start]), string(event[start+1 : end]), nil
}

// topLevel finds a member of the outermost object.
func topLevel(event []byte, member string) int {
	depth, inText := 0, false
	for i := 0; i < len(event); i++ {
		switch c := event[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			if !inText && depth == 1 && bytes.HasPrefix(event[i:], []byte(member)) {
				return i
			}
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

func (e Entry) event(v viewer.Viewer) Event {
	out := Event{
		TenantID: v.Tenant, Action: e.Action, Category: CategoryOf(e.Action), Outcome: e.Outcome, Actor: actorOf(v),
		Objects: e.Objects, Changes: changed(e.Changes), Reason: e.Reason, Context: e.context(v.RequestID),
	}
	if out.Outcome == "" {
		out.Outcome = Success
	}
	if e.Subject.Type != "" {
		out.Subject = &e.Subject
	}
	if e.ActingFor.Type != "" {
		out.ActingFor = &e.ActingFor
	}
	if v.Home != "" && v.Home != v.Tenant {
		out.Elsewhere = &Elsewhere{ActorTenant: v.Home, Reason: v.Reason}
	}
	return out
}

func actorOf(v viewer.Viewer) Actor {
	a := Actor{
		Type:              string(v.Kind),
		ID:                v.ID,
		Display:           v.Display,
		IdentityID:        v.Identity,
		TokenID:           v.Session,
		IP:                v.IP,
		UserAgent:         v.UserAgent,
		ControlPlaneAdmin: v.ControlPlaneAdmin,
	}
	for _, r := range v.Roles {
		a.Roles = append(a.Roles, string(r))
	}
	if a.Type == "" {
		a.Type = string(viewer.Machine)
	}
	return a
}

func changed(changes []Change) []Changed {
	out := make([]Changed, 0, len(changes))
	for _, c := range changes {
		out = append(out, Changed{Field: c.Field, Before: c.From, After: c.To})
	}
	return out
}

func (e Entry) context(requestID string) map[string]any {
	out := make(map[string]any, len(e.Context)+1)
	for k, v := range e.Context {
		out[k] = v
	}
	if requestID != "" {
		out["request_id"] = requestID
	}
	return out
}

// shortened keeps an entry that is too large for the log: who, what and to whom, and the hash of what was left out.
func (e Entry) shortened(v viewer.Viewer, full []byte) ([]byte, error) {
	changes := len(e.Changes)
	e.Objects, e.Changes = nil, nil
	e.Context = map[string]any{"omitted": map[string]any{
		"why":     "changes, objects and context are larger than an entry may be",
		"bytes":   len(full),
		"sha256":  sum(full),
		"changes": changes,
	}}
	raw, err := json.Marshal(e.event(v))
	if err != nil {
		return nil, err
	}
	return cleanse(raw)
}

// Parse reads an entry that the log holds.
func Parse(l chain.Link) (Event, error) {
	var e Event
	if err := json.Unmarshal(l.Event, &e); err != nil {
		return e, err
	}
	e.PrevHash, e.Hash = hexOf(l.Prev), hexOf(l.Hash)
	return e, nil
}

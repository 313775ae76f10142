package history

import (
	"context"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
)

// teller puts events into words.
type teller struct {
	names names
	whys  map[string]grant.GrantReason
	all   bool // the viewer sees everything, answers of targets included
	bare  bool
}

// tell puts the events of a page into words.
func tell(ctx context.Context, tx *pg.Tx, rows []row, bare bool) ([]HistoryEvent, error) {
	whys, err := whysOf(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	n, err := namesOf(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	t := teller{names: n, whys: whys, all: tx.Viewer.SeesAll(), bare: bare}
	events := make([]HistoryEvent, len(rows))
	for i, r := range rows {
		e := HistoryEvent{
			ID:      r.ID,
			At:      r.At,
			Kind:    r.Kind,
			Event:   r.Event,
			Refs:    t.refs(r.Data),
			Changes: []HistoryChange{},
			Who:     actor(r.Data.By),
		}
		switch r.Kind {
		case "record", "state":
			t.record(&e, r.Data)
		case "account":
			t.account(&e, r.Data)
		case "grant":
			t.grant(&e, r.Data)
		case "reason":
			t.reason(&e, r.Data)
		case "role":
			t.role(&e, r.Data)
		case "request":
			t.request(&e, r.Data)
		case "provisioning":
			t.task(&e, r.Data)
		case "audit":
			if err := t.entry(&e, r.Data); err != nil {
				return nil, err
			}
		}
		events[i] = e
	}
	return events, nil
}

// refs are what an event is about, and where it can be read.
func (t teller) refs(d data) []HistoryRef {
	refs := []HistoryRef{}
	for _, r := range []struct {
		kind string
		id   *string
	}{
		{"identity", d.IdentityID}, {"account", d.AccountID}, {"entitlement", d.EntitlementID}, {"grant", d.GrantID},
		{"role", d.RoleID},
		{"connector", d.ConnectorID}, {"sync_run", d.RunID}, {"provisioning_task", d.TaskID},
		{"access_request", d.RequestID},
	} {
		refs = append(refs, t.names.ref(r.kind, r.id)...)
	}
	return refs
}

// actor is who did something, as rows and entries keep it.
func actor(by map[string]any) *HistoryActor {
	text := func(key string) string { s, _ := by[key].(string); return s }
	a := HistoryActor{Type: text("type"), ID: text("id"), Display: text("display")}
	if a.Type == "" {
		a.Type = text("kind")
	}
	if a.Display == "" && a.ID == "" {
		return nil
	}
	return &a
}

func (a *HistoryActor) called() string {
	switch {
	case a == nil:
		return ""
	case a.Display != "":
		return a.Display
	}
	return a.Type
}

func (t teller) record(e *HistoryEvent, d data) {
	if d.Before == nil {
		e.Text = sentence("became known here as %s", t.names.value("status", d.After["status"]))
		return
	}
	e.Changes = differences(recordFields, d.Before, d.After)
	e.Text = sentence("%s", t.names.inWords(e.Changes))
	t.names.hide(e.Changes)
	if e.Text == "" {
		e.Text = "Personal data was taken from the record."
	}
}

func (t teller) account(e *HistoryEvent, d data) {
	account := quoted(t.names.of("account", d.AccountID), "an account")
	switch e.Event {
	case "account.came":
		e.Text = sentence("the account %s came to %s", account, or(t.names.of("identity", d.IdentityID), "somebody"))
	case "account.left":
		e.Text = sentence(
			"the account %s was no longer %s's",
			account,
			or(t.names.of("identity", d.IdentityID), "somebody"),
		)
	case "account.known":
		e.Text = sentence("the account %s became known here as %s", account, t.names.value("status", d.After["status"]))
	default:
		e.Changes = differences(accountFields, d.Before, d.After)
		e.Text = sentence("the account %s: %s", account, t.names.inWords(e.Changes))
	}
}

func (t teller) grant(e *HistoryEvent, d data) {
	what, account := quoted(
		t.names.of("entitlement", d.EntitlementID),
		"an entitlement",
	), quoted(
		t.names.of("account", d.AccountID),
		"an account",
	)
	how := map[string]string{"direct": "directly", "inherited": "by nesting"}[d.Directness]
	switch e.Event {
	case "grant.gained":
		e.Text = fmt.Sprintf("Gained %s with the account %s, %s", what, account, how)
		if d.AssignedBy != "" {
			e.Text += fmt.Sprintf("; by the target's own record %s assigned it", d.AssignedBy)
		}
		if d.Came {
			e.Text += "; the account held it when it was linked"
		}
		e.Text += "."
	case "grant.changed":
		e.Text = sentence("%s of the account %s is held %s from now on", what, account, how)
	default:
		e.Text = sentence("lost %s of the account %s: %s", what, account, t.ending(d))
	}
	e.Details = map[string]any{"directness": d.Directness}
}

// ending says how something came to be held no more.
func (t teller) ending(d data) string {
	switch {
	case d.Ended == "gone" && d.Directness == "inherited":
		return "it follows from nothing any more that the account holds"
	case d.Ended == "gone":
		return "its record was joined with another"
	case d.Ended == "account_left":
		return "the account was linked to another owner, or to none"
	case d.Ended == "disconnected":
		return "its connector was deleted"
	case d.RunID != nil:
		return "a reading of the system no longer found it"
	case d.Ended == "revoked":
		return "it was revoked"
	}
	return "it is " + strings.ReplaceAll(d.Ended, "_", " ")
}

func (t teller) reason(e *HistoryEvent, d data) {
	why := t.whys[or(deref(d.ReasonID), "")]
	what := "an account of " + quoted(t.names.of("connector", d.ConnectorID), "a system")
	if d.EntitlementID != nil {
		what = quoted(t.names.of("entitlement", d.EntitlementID), "an entitlement")
	}
	kind := "a reason for"
	if why.Effect == "deny" {
		kind = "a denial of"
	}
	e.Details = map[string]any{
		"reason_id":          deref(d.ReasonID),
		"reason_kind":        why.Kind,
		"effect":             why.Effect,
		"source":             why.Source,
		"approved_by":        why.ApprovedBy,
		"external_reference": why.ExternalReference,
	}
	if e.Event == "reason.began" {
		e.Text = sentence("%s %s began: %s", kind, what, why.Summary())
		return
	}
	e.Text = sentence("%s %s ended (%s)%s", kind, what, why.Summary(), because(d.Why))
}

func (t teller) role(e *HistoryEvent, d data) {
	role := quoted(t.names.of("role", d.RoleID), "a role")
	if e.Event == "role.given" {
		e.Text = sentence("was given the role %s%s%s", role, by(e.Who), because(d.Why))
		return
	}
	e.Text = sentence("has the role %s no more%s", role, because(d.Why))
}

func (t teller) request(e *HistoryEvent, d data) {
	number := fmt.Sprintf("request %d", d.Number)
	what := quoted(t.names.of("entitlement", d.EntitlementID), quoted(t.names.of("role", d.RoleID), "an item"))
	switch e.Event {
	case "request.submitted":
		e.Text = sentence("%s was submitted%s%s", number, by(e.Who), because(d.Why))
	case "request.decided":
		e.Text = sentence("%s: %s was %s%s", number, what, or(d.Decision, d.Status), because(d.Why))
	default:
		e.Text = sentence(
			"%s ended: %s%s",
			number,
			strings.ReplaceAll(d.Status, "_", " "),
			because(strings.ReplaceAll(d.Why, "_", " ")),
		)
	}
	e.Details = map[string]any{"number": d.Number, "status": d.Status}
}

// doings are changes of target systems in words.
var doings = map[string]string{
	"create_account": "making the account",
	"update_account": "changing the account",
	"rename_account": "renaming the account",
	"enable":         "enabling the account",
	"disable":        "disabling the account",
	"delete_account": "deleting the account",
	"unlock":         "unlocking the account",
	"set_password":   "setting a password of the account",
	"grant":          "granting",
	"revoke":         "revoking",
}

func (t teller) task(e *HistoryEvent, d data) {
	doing := or(doings[d.Operation], strings.ReplaceAll(d.Operation, "_", " "))
	object := quoted(t.names.of("account", d.AccountID), "")
	if d.Operation == "grant" || d.Operation == "revoke" {
		object = quoted(t.names.of("entitlement", d.EntitlementID), "an entitlement")
	}
	end := map[string]string{"done": "is done", "failed": "failed", "manual": "must be done manually",
		"cancelled": "was cancelled",
		"simulated": "was only played through: nothing was written"}[strings.TrimPrefix(e.Event, "provisioning.")]
	e.Text = fmt.Sprintf(
		"%s in %s %s",
		strings.TrimSpace(doing+" "+object),
		or(t.names.of("connector", d.ConnectorID), "the target system"),
		end,
	)
	e.Details = map[string]any{"operation": d.Operation}
	if code, _ := d.Error["code"].(string); d.Class != "" {
		e.Details["error_class"], e.Details["error_code"] = d.Class, code
		e.Text += " (" + strings.TrimSuffix(d.Class+": "+code, ": ") + ")"
	}
	if e.Text = sentence("%s", e.Text); t.all && d.Error != nil {
		e.Details["error"] = d.Error
	}
	if d.Advice != "" && d.Class != "" {
		e.Details["advice"] = d.Advice
	}
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ", because: " + strings.TrimSuffix(why, ".")
}

func by(who *HistoryActor) string {
	if called := who.called(); called != "" {
		return " by " + called
	}
	return ""
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// quoted is a name in quotes, or words instead where there is none.
func quoted(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return `"` + name + `"`
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

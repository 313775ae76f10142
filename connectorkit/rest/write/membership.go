package write

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	"github.com/grantwright/grantwright/connectorkit/rest/template"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// membershipState is whether an account holds an entitlement, as far as the target shows it.
type membershipState struct{ held, pending, known bool }

// membership asks whether the account holds the entitlement.
func (w *Operation) membership(ctx context.Context) (membershipState, error) {
	t := w.Reads[template.ReadMembership]
	if t == nil {
		return membershipState{}, nil
	}
	records, err := w.read(ctx, template.ReadMembership)
	if err != nil {
		return membershipState{}, err
	}
	out := membershipState{known: true}
	if t.Key != nil {
		var failed error
		equals := t.Equals
		if equals == "" {
			equals = "{{entitlement.remote_id}}"
		}
		want, err := template.FillText(equals, w.value(ctx, &failed), nil)
		if failed != nil || err != nil {
			return membershipState{}, templateError(failed, err, t.Path)
		}
		records = slices.DeleteFunc(slices.Clone(records), func(record any) bool {
			v, _ := t.Key.First(w.budget, record)
			text, ok := jsonvalue.Text(v)
			return !ok || text != want
		})
	}
	if err := answer.BudgetExceeded(w.budget, w.Stream, nil); err != nil || len(records) == 0 {
		return out, err
	}
	if t.State == nil {
		out.held = true
		return out, nil
	}
	v, _ := t.State.First(w.budget, records[0])
	state, _ := jsonvalue.Text(v)
	out.held = slices.Contains(t.Held, state)
	out.pending = slices.Contains(t.Pending, state)
	return out, answer.BudgetExceeded(w.budget, w.Stream, nil)
}

// changeMembership grants or revokes one entitlement.
func (w *Operation) changeMembership(ctx context.Context) error {
	if w.entitlementID() == "" {
		return ConfigError("one_entitlement", "a grant is of exactly one entitlement", "")
	}
	if w.target.RemoteID == "" {
		row, _, err := w.locate(ctx)
		if err != nil {
			return err
		}
		if row == nil {
			return accountNotFound()
		}
		w.target.RemoteID = row.ExternalID
	}
	grant := w.req.Op == v1.OpEntitlementGrant
	w.resp.Grant = &v1.GrantState{AccountRemoteID: w.target.RemoteID, EntitlementRemoteID: w.entitlementID()}
	now, err := w.membership(ctx)
	if err != nil {
		return err
	}
	if w.resp.Grant.Held = now.held; now.known && now.held == grant && !(now.pending && !grant) {
		w.resp.Outcome = v1.OutcomeAlready
		w.resp.Verified = true
		return nil
	}
	_, refused, err := w.send(ctx)
	if err != nil && refused == nil {
		return err
	}
	outcome := v1.OutcomeApplied
	if refused != nil {
		outcome = v1.OutcomeAlready
	}
	return w.verifyMembership(ctx, grant, outcome, err)
}

// verifyMembership looks whether the change of a membership shows. What the target calls "already" counts only if it
// does.
func (w *Operation) verifyMembership(ctx context.Context, grant bool, outcome v1.Outcome, refusal error) error {
	for i := 0; ; i++ {
		clear(w.seen)
		now, err := w.membership(ctx)
		switch {
		case err == nil && now.known && now.held == grant && !(now.pending && !grant):
			w.resp.Outcome = outcome
			w.resp.Verified = true
			w.resp.Grant.Held = grant
			return nil
		case err == nil && now.pending && grant:
			w.resp.Outcome = v1.OutcomePending
			w.resp.Grant.Held = false
			w.warn(
				"pending",
				"the target grants the entitlement only after a person acts, such as by accepting an invitation",
				w.entitlementID(),
			)
			return nil
		case refusal != nil:
			return refusal
		case err == nil && !now.known:
			w.resp.Outcome = outcome
			w.resp.Grant.Held = grant
			w.warn(
				"not_read_back",
				"the setting writes has no read membership that would show what became of the change",
				w.entitlementID(),
			)
			return nil
		case i >= len(pauses) || w.client.Pause(ctx, phaseWrite, pauses[i]) != nil:
			w.resp.Outcome = outcome
			w.resp.Grant.Held = now.held
			message := "the target took the change and still shows it as it was"
			if err != nil {
				message = "the change was made, and could not be looked at: " + err.Error()
			}
			w.warn("not_as_asked", message, w.entitlementID())
			return nil
		}
	}
}

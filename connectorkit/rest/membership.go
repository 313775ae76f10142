package rest

import (
	"context"
	"slices"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// holdingNow is whether an account holds an entitlement, as far as the target tells.
type holdingNow struct{ held, pending, known bool }

// membership asks whether the account holds the entitlement.
func (w *writing) membership(ctx context.Context) (holdingNow, error) {
	t := w.reads[readMembership]
	if t == nil {
		return holdingNow{}, nil
	}
	records, err := w.read(ctx, readMembership)
	if err != nil {
		return holdingNow{}, err
	}
	out := holdingNow{known: true}
	if t.key != nil {
		var failed error
		equals := t.Equals
		if equals == "" {
			equals = "{{entitlement.remote_id}}"
		}
		want, err := fillText(equals, w.value(ctx, &failed), nil)
		if failed != nil || err != nil {
			return holdingNow{}, errorOf(failed, err, t.Path)
		}
		records = slices.DeleteFunc(slices.Clone(records), func(record any) bool {
			v, _ := t.key.First(w.budget, record)
			text, ok := textOf(v)
			return !ok || text != want
		})
	}
	if err := tooCostly(w.budget, w.stream, nil); err != nil || len(records) == 0 {
		return out, err
	}
	if t.state == nil {
		out.held = true
		return out, nil
	}
	v, _ := t.state.First(w.budget, records[0])
	state, _ := textOf(v)
	out.held, out.pending = slices.Contains(t.Held, state), slices.Contains(t.Pending, state)
	return out, tooCostly(w.budget, w.stream, nil)
}

// member grants or revokes one entitlement.
func (w *writing) member(ctx context.Context) error {
	if w.right() == "" {
		return misuse("one_entitlement", "a grant is of exactly one entitlement", "")
	}
	if w.target.RemoteID == "" {
		row, _, err := w.locate(ctx)
		if err != nil {
			return err
		}
		if row == nil {
			return notThere()
		}
		w.target.RemoteID = row.ExternalID
	}
	grant := w.req.Op == v1.OpEntitlementGrant
	w.resp.Grant = &v1.GrantState{AccountRemoteID: w.target.RemoteID, EntitlementRemoteID: w.right()}
	now, err := w.membership(ctx)
	if err != nil {
		return err
	}
	if w.resp.Grant.Held = now.held; now.known && now.held == grant && !(now.pending && !grant) {
		w.resp.Outcome, w.resp.Verified = v1.OutcomeAlready, true
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
	return w.memberAfter(ctx, grant, outcome, err)
}

// memberAfter looks whether the change of a membership shows. What the target calls "already" counts only if it does.
func (w *writing) memberAfter(ctx context.Context, grant bool, outcome v1.Outcome, refusal error) error {
	for i := 0; ; i++ {
		clear(w.seen)
		now, err := w.membership(ctx)
		switch {
		case err == nil && now.known && now.held == grant && !(now.pending && !grant):
			w.resp.Outcome, w.resp.Verified, w.resp.Grant.Held = outcome, true, grant
			return nil
		case err == nil && now.pending && grant:
			w.resp.Outcome, w.resp.Grant.Held = v1.OutcomePending, false
			w.warn("pending", "the target grants the entitlement only after a person acts, such as by accepting an invitation", w.right())
			return nil
		case refusal != nil:
			return refusal
		case err == nil && !now.known:
			w.resp.Outcome, w.resp.Grant.Held = outcome, grant
			w.warn("not_read_back", "the setting writes has no read membership that would show what became of the change", w.right())
			return nil
		case i >= len(pauses) || w.client.Pause(ctx, phaseWrite, pauses[i]) != nil:
			w.resp.Outcome, w.resp.Grant.Held = outcome, now.held
			message := "the target took the change and still shows it as it was"
			if err != nil {
				message = "the change was made, and could not be looked at: " + err.Error()
			}
			w.warn("not_as_asked", message, w.right())
			return nil
		}
	}
}

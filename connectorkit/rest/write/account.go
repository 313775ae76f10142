package write

import (
	"context"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	"github.com/grantwright/grantwright/connectorkit/rest/extract"
	"github.com/grantwright/grantwright/connectorkit/rest/template"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// presence says what the last look for the account has shown. Only the target's own answer that there is no record of
// this id proves that it is gone: an empty list, or none of a name, may as well come of a filter or of a new name.
func (w *Operation) presence(row *v1.RemoteAccount) v1.Presence {
	switch {
	case row != nil:
		return v1.PresencePresent
	case w.target.RemoteID != "" && w.absent[template.ReadAccount]:
		return v1.PresenceGone
	}
	return v1.PresenceUnknown
}

// alreadyDeleted answers a delete of an account that was not found.
func (w *Operation) alreadyDeleted() error {
	if w.resp.Presence = w.presence(nil); w.resp.Presence == v1.PresenceGone {
		w.setResult(v1.OutcomeAlready, nil, true)
		return nil
	}
	return unknownError{&v1.ErrorDetail{
		Class: v1.ClassNotFound, Code: "account_not_visible", Phase: phaseWrite, Retryable: true,
		Message: "the target does not return the account, and does not report that it was deleted",
		Hint:    "Declare a read account whose path ends in the account's id, so that the target can answer 404.",
	}}
}

// row is the account that a record stands for, as a sync returns it; nil: it has no key.
func (w *Operation) row(record any) *v1.RemoteAccount {
	key, ok := w.Stream.KeyOf(w.budget, record)
	if !ok {
		return nil
	}
	ref := ""
	if w.Stream.NativeRef != nil {
		v, _ := w.Stream.NativeRef.First(w.budget, record)
		ref, _ = jsonvalue.Text(v)
	}
	r := extract.Rows{
		St:      w.Stream,
		Budget:  w.budget,
		Allowed: func(string) bool { return true },
		Warn:    func(string, string, string) {},
		Skip:    func(string, string, string, ...v1.ObjectKind) {},
		Made:    map[uint64]bool{},
	}
	var out v1.SyncResponse
	r.Account(&out, record, nil, key, ref, r.Attributes(record))
	if w.password != "" { // a target may tell what it was just given
		for name, v := range out.Accounts[0].Attributes {
			out.Accounts[0].Attributes[name] = w.cleaned(v)
		}
	}
	return &out.Accounts[0]
}

// cleaned is a value without the call's secrets.
func (w *Operation) cleaned(v any) any {
	switch v := v.(type) {
	case string:
		return w.client.Clean(v)
	case []any:
		for i := range v {
			v[i] = w.cleaned(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = w.cleaned(v[name])
		}
	}
	return v
}

// locate reads the target account. looked is false if no read is declared; nil: there is none.
func (w *Operation) locate(ctx context.Context) (row *v1.RemoteAccount, looked bool, err error) {
	switch {
	case w.target.RemoteID != "" && w.Reads[template.ReadAccount] != nil:
		records, err := w.read(ctx, template.ReadAccount)
		if err != nil || len(records) == 0 {
			return nil, err == nil, err
		}
		return w.row(records[0]), true, answer.BudgetExceeded(w.budget, w.Stream, nil)
	case w.target.RemoteID == "" && w.target.Username != "" && w.Reads[template.ReadFind] != nil:
		return w.find(ctx)
	case w.target.RemoteID == "":
		return nil, false, ConfigError(
			"no_target",
			"the change names no account that could be found",
			"Declare the read find.",
		)
	}
	return nil, false, nil
}

// find looks for an account by name. Records of other names are not meant, whatever the target makes of the question.
func (w *Operation) find(ctx context.Context) (*v1.RemoteAccount, bool, error) {
	records, err := w.read(ctx, template.ReadFind)
	if err != nil {
		return nil, false, err
	}
	var found []*v1.RemoteAccount
	for _, record := range records {
		row := w.row(record)
		if row != nil && row.Username != nil && strings.EqualFold(*row.Username, w.target.Username) {
			found = append(found, row)
		}
	}
	switch len(found) {
	case 0:
		return nil, true, nil
	case 1:
		return found[0], true, nil
	}
	return nil, true, &v1.ErrorDetail{Class: v1.ClassConflict, Code: "ambiguous_account", Phase: phaseWrite,
		Message: fmt.Sprintf(
			"the target has %d accounts of this name",
			len(found),
		), Hint: "Remove or rename all but one in the target."}
}

// create makes an account. It looks for one with the username before, and again after a refusal: an
// earlier attempt may have made it, or someone else.
func (w *Operation) create(ctx context.Context) error {
	a := w.req.Account
	if a == nil || a.Username == nil || *a.Username == "" {
		return ConfigError(
			"username_missing",
			"an account cannot be created without a user name",
			"Have the account's template make one.",
		)
	}
	w.target = v1.ProvisionTarget{Kind: "account", Username: *a.Username}
	if w.Reads[template.ReadFind] != nil {
		if row, _, err := w.find(ctx); err != nil || row != nil {
			return w.alreadyExists(row, err)
		}
	}
	_, unwritten := w.compare(nil)
	w.warnUnwritten(unwritten)
	answer, refused, err := w.send(ctx)
	if refused != nil && w.Reads[template.ReadFind] != nil {
		row, _, lookErr := w.find(ctx)
		if lookErr != nil || row != nil {
			return w.alreadyExists(row, lookErr)
		}
	}
	if err != nil {
		return err
	}
	w.resp.Outcome, w.resp.Changes = v1.OutcomeApplied, w.changes(nil)
	w.target.RemoteID = w.newID(answer)
	w.readBack(ctx, func(row *v1.RemoteAccount) bool {
		list, _ := w.compare(row)
		differ, unshown := differences(list)
		return row != nil && len(differ) == 0 && !unshown
	})
	switch {
	case w.resp.Account != nil:
	case w.target.RemoteID != "":
		w.resp.Account = &v1.RemoteAccount{ExternalID: w.target.RemoteID, Username: a.Username}
	default:
		w.warn(
			"id_not_told",
			"the account was created, and the target does not return its id; the next sync reads it",
			"",
		)
	}
	return nil
}

// newID finds the id in the answer to a create.
func (w *Operation) newID(answer any) string {
	if id := w.Ops[v1.OpAccountCreate].Id; id != nil {
		v, _ := id.First(w.budget, answer)
		text, _ := jsonvalue.Text(v)
		return text
	}
	if _, object := answer.(map[string]any); !object {
		return ""
	}
	id, _ := w.Stream.KeyOf(w.budget, answer)
	return id
}

// alreadyExists judges an account that is there before it was created.
func (w *Operation) alreadyExists(row *v1.RemoteAccount, err error) error {
	if err != nil {
		return err
	}
	list, _ := w.compare(row)
	differ, unshown := differences(list)
	if len(differ) == 0 {
		w.setResult(v1.OutcomeAlready, row, !unshown)
		return nil
	}
	return &v1.ErrorDetail{Class: v1.ClassConflict, Code: "account_exists", Phase: phaseWrite,
		Message: "the target has an account of this name already, which differs in " + strings.Join(
			differ,
			", ",
		) + " (id " + row.ExternalID + ")",
		Hint: "Link that account, or have the account's template make another name."}
}

// delete deletes an account. One that is gone already is a success only if its absence is proven.
func (w *Operation) delete(ctx context.Context) error {
	row, looked, err := w.locate(ctx)
	switch {
	case err != nil:
		return err
	case looked && row == nil:
		return w.alreadyDeleted()
	case row != nil:
		w.target.RemoteID = row.ExternalID
		if err := w.expected(row); err != nil {
			return err
		}
	}
	if _, refused, err := w.send(ctx); err != nil {
		if refused == nil {
			return err
		}
		if row, looked, lookErr := w.locate(ctx); lookErr == nil && looked && row == nil &&
			w.presence(nil) == v1.PresenceGone {
			return w.alreadyDeleted()
		}
		return err
	}
	w.resp.Outcome = v1.OutcomeApplied
	w.readBack(ctx, func(row *v1.RemoteAccount) bool { return row == nil })
	return nil
}

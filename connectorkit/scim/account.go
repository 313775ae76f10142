package scim

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp"

// create makes a user, unless there is one of this name already.
func (c *writing) create(ctx context.Context) error {
	asked, err := wishes(c.req.Account)
	if err != nil {
		return err
	}
	name := ""
	if a := c.req.Account; a != nil && a.Username != nil {
		name = *a.Username
	}
	if name == "" {
		return badAsk(
			"username_missing",
			"a user cannot be created without a user name",
			"Have the account's template make one.",
		)
	}
	if rec, err := c.looked(ctx, name); err != nil || rec != nil {
		return c.exists(rec, asked, err, nil)
	}
	secret, err := c.credential()
	if err != nil {
		return err
	}
	if secret != nil && c.write.Password == quirks.No {
		return badAsk(
			"password_unsupported",
			c.cannot(v1.OpAccountPassword),
			"Set no password for new accounts of this connector.",
		)
	}
	if secret != nil {
		asked = append(asked, *secret)
	}
	body := record{}
	c.apply(body, asked)
	c.correlate(body)
	body["schemas"] = schemasOf(body, userSchema)
	made, location, err := c.send(
		ctx,
		request{method: http.MethodPost, path: c.usersPath, body: body, phase: phaseUsers, note: "the user is created"},
	)
	if err != nil {
		if taken(err) {
			rec, lookErr := c.looked(ctx, name)
			return c.exists(rec, asked, lookErr, err)
		}
		return err
	}
	c.resp.Outcome = v1.OutcomeApplied
	c.resp.Changes = changesOf(nil, asked)
	return c.created(ctx, made, location, name, asked)
}

// correlate gives a new user the key by which this side knows the person (RFC 7643 section 3.1), unless the template
// sets another. A target may ignore it, so nothing is verified by it.
func (c *writing) correlate(body record) {
	a := c.req.Account
	switch {
	case body.text("externalId") != "" || a == nil:
	case a.EmployeeNumber != nil && *a.EmployeeNumber != "":
		body["externalId"] = *a.EmployeeNumber
	case a.Username != nil:
		body["externalId"] = *a.Username
	}
}

// looked is byName for those who can do without: a target that cannot be asked, or does not understand the name in a
// filter, judges by itself when the change is sent.
func (c *writing) looked(ctx context.Context, name string) (record, error) {
	if !c.findable(c.provider) {
		return nil, nil
	}
	rec, err := c.byName(ctx, name)
	var d *v1.ErrorDetail
	if errors.As(err, &d) && d.Target != nil && d.Target.HTTP != nil {
		switch d.Target.HTTP.Status {
		case http.StatusBadRequest,
			http.StatusMethodNotAllowed,
			http.StatusUnprocessableEntity,
			http.StatusNotImplemented:
			c.warn("lookup_refused", "the target does not let users be asked for by this name: "+d.Message, "")
			return nil, nil
		}
	}
	return rec, err
}

// created finds out the id of a new user, and reads it.
func (c *writing) created(ctx context.Context, made record, location, name string, asked []wish) error {
	id := made.text("id")
	if id == "" && location != "" {
		id = lastSegment(location)
	}
	if badID(id) != "" && c.findable(c.provider) {
		c.settled(ctx, func() (bool, error) {
			rec, err := c.looked(ctx, name)
			id = rec.text("id")
			return rec != nil, err
		})
	}
	if why := badID(id); why != "" {
		c.warn("id_not_told", "the user was created, and the target does not tell its id; the next read will", "")
		return nil
	}
	if made.text("id") != "" {
		c.resp.Account = account(made) // until it is read back
	}
	c.readBack(ctx, id, asked)
	if c.resp.Account == nil {
		c.resp.Account = &v1.RemoteAccount{ExternalID: id, NativeIdentity: name, Username: &name}
	}
	return nil
}

// exists judges a user that is there before it was created: it is what was asked for, or somebody else's.
func (c *writing) exists(rec record, asked []wish, err, refusal error) error {
	switch {
	case err != nil:
		return err
	case rec == nil:
		return refusal
	}
	var differ []string
	for _, w := range asked {
		if !w.secret && !w.met(rec) {
			differ = append(differ, w.path.String())
		}
	}
	if len(differ) == 0 {
		c.resp.Outcome, c.resp.Account, c.resp.Verified = v1.OutcomeAlready, account(rec), true
		return nil
	}
	d := &v1.ErrorDetail{
		Class: v1.ClassConflict,
		Code:  "account_exists",
		Phase: phaseUsers,
		Message: "the target has a user of this name already, which differs in " + strings.Join(
			differ,
			", ",
		) + " (id " + rec.text("id") + ")",
		Hint: "Link that account, or have the account's template make another name.",
	}
	var said *v1.ErrorDetail
	if errors.As(refusal, &said) {
		d.Target = said.Target
	}
	return d
}

// taken tells a refusal because of a value that another record has: 409, or 400 as some targets have it.
func taken(err error) bool {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil {
		return false
	}
	return d.Target.HTTP.Status == http.StatusConflict || strings.EqualFold(d.Target.HTTP.SCIMType, "uniqueness")
}

// credential is the wish for a password, where one is to be set.
func (c *writing) credential() (*wish, error) {
	cred := c.req.Credential
	if cred == nil || cred.Mode == "" || cred.Mode == "none" {
		return nil, nil
	}
	password := cred.Password
	switch {
	case cred.Mode == "random":
		password = randomPassword()
	case cred.Mode != "password":
		return nil, badAsk("credential_mode", "a credential is none, random or password", "")
	case password == "":
		return nil, badAsk("password_missing", "the new password is missing", "")
	}
	c.c.Hide(password)
	if cred.ForceChange {
		c.warn(
			"force_change_unsupported",
			"SCIM cannot demand that a password be changed at the next sign-in",
			c.req.Target.RemoteID,
		)
	}
	return &wish{path: path{attribute: "password"}, value: password, secret: true}, nil
}

// randomPassword is one that nobody is told: 26 letters and digits hold 130 bits, and the rest pleases rules of
// composition.
func randomPassword() string { return rand.Text() + "-aZ7!" }

// update changes attributes of a user, and with rename its name.
func (c *writing) update(ctx context.Context) error {
	asked, err := wishes(c.req.Account)
	if err != nil {
		return err
	}
	if len(asked) == 0 {
		c.resp.Outcome = v1.OutcomeNoop
		return nil
	}
	rename := slices.IndexFunc(asked, func(w wish) bool { return w.path.key() == "username" })
	return c.modify(ctx, asked, func(rec record) error {
		switch {
		case rename < 0 || asked[rename].met(rec):
			return nil
		case c.req.Op == v1.OpAccountUpdate:
			return badAsk("use_rename", "an update does not change the user name", "Ask for account.rename.")
		case asked[rename].value == nil:
			return badAsk("username_missing", "a user cannot be without a user name", "")
		}
		return c.free(ctx, textOf(asked[rename].value), rec.text("id"))
	})
}

// free makes sure that nobody else has a name: not every target looks.
func (c *writing) free(ctx context.Context, name, id string) error {
	other, err := c.looked(ctx, name)
	if err == nil && other != nil && other.text("id") != id {
		return &v1.ErrorDetail{
			Class:   v1.ClassConflict,
			Code:    "username_taken",
			Phase:   phaseUsers,
			Message: "another user of the target has this name (id " + other.text("id") + ")",
			Hint:    "Have the account's template make another name.",
		}
	}
	return err
}

// changesOf tells what a change did, without secrets.
func changesOf(rec record, unmet []wish) []v1.ChangedField {
	var out []v1.ChangedField
	f := flattener{out: map[string]any{}}
	for _, w := range unmet {
		name := w.path.String()
		if w.secret {
			out = append(out, v1.ChangedField{Field: name, New: "[secret]"})
			continue
		}
		var old any
		if w.path.multi() && w.path.sub == "value" {
			if items := rec.items(w.path.attribute); foremost(items) >= 0 {
				old = items[foremost(items)].get("value")
			}
		} else {
			old = w.path.of(rec)
		}
		out = append(out, v1.ChangedField{Field: name, Old: f.clean(name, old), New: f.clean(name, w.value)})
	}
	return out
}

// setActive enables or disables a user.
func (c *writing) setActive(ctx context.Context, on bool) error {
	asked := []wish{{path: path{attribute: "active"}, value: on}}
	if on || c.write.Disable != quirks.DisableDelete {
		return c.modify(ctx, asked, nil)
	}
	rec, err := c.locate(ctx, c.provider, c.req.Target)
	switch {
	case err != nil:
		return err
	case rec == nil && presence(c.req.Target, nil) != v1.PresenceGone:
		return notVisible()
	case rec == nil:
		c.resp.Outcome, c.resp.Verified, c.resp.Presence = v1.OutcomeAlready, true, v1.PresenceGone
		c.warn(
			"not_shown",
			"the target does not show the user; users that were deactivated are not shown by every target",
			c.req.Target.RemoteID,
		)
		return nil
	case asked[0].met(rec):
		c.resp.Outcome, c.resp.Account, c.resp.Verified = v1.OutcomeAlready, account(rec), true
		return nil
	}
	return c.remove(
		ctx,
		rec,
		"DELETE deactivates the user",
		func(now record) bool { return now == nil || asked[0].met(now) },
	)
}

// delete removes a user for good.
func (c *writing) delete(ctx context.Context) error {
	rec, err := c.locate(ctx, c.provider, c.req.Target)
	switch {
	case err != nil:
		return err
	case rec == nil && presence(c.req.Target, nil) != v1.PresenceGone:
		return notVisible()
	case rec == nil:
		c.resp.Outcome, c.resp.Verified, c.resp.Presence = v1.OutcomeAlready, true, v1.PresenceGone
		return nil
	}
	return c.remove(ctx, rec, "the user is deleted", func(now record) bool { return now == nil })
}

// remove sends a DELETE and looks whether it had the effect.
func (c *writing) remove(ctx context.Context, rec record, note string, done func(record) bool) error {
	if err := c.expected(rec); err != nil {
		return err
	}
	at, err := c.userPath(rec.text("id"))
	if err != nil {
		return err
	}
	_, _, err = c.send(
		ctx,
		request{
			method: http.MethodDelete,
			path:   at,
			etag:   rec.sub("meta").text("version"),
			phase:  phaseUsers,
			note:   note,
		},
	)
	if err != nil && !gone(err) {
		return err
	}
	c.resp.Outcome = v1.OutcomeApplied
	c.resp.Verified = c.settled(ctx, func() (bool, error) {
		now, err := c.get(ctx, at, phaseUsers)
		if c.resp.Account = nil; now != nil {
			c.resp.Account = account(now)
		}
		return err == nil && done(now), err
	})
	if !c.resp.Verified {
		c.warn("not_as_asked", "the target took the DELETE and still shows the user as it was", rec.text("id"))
	}
	return nil
}

// unlock sets the attribute that says so to false.
func (c *writing) unlock(ctx context.Context) error {
	p, err := parsePath(c.write.Unlock)
	if err != nil {
		return badAsk("invalid_attribute", err.Error(), "")
	}
	return c.modify(ctx, []wish{{path: p, value: false}}, nil)
}

// resetPassword sets a password. Nobody can look at the result.
func (c *writing) resetPassword(ctx context.Context) error {
	if c.write.Password == "" && c.provider.declared && !c.provider.password {
		return badAsk(
			"password_unsupported",
			"the target declares that passwords cannot be changed",
			"password_support overrules that.",
		)
	}
	secret, err := c.credential()
	switch {
	case err != nil:
		return err
	case secret == nil:
		c.resp.Outcome = v1.OutcomeNoop
		return nil
	}
	return c.modify(ctx, []wish{*secret}, nil)
}

package write

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/desired"
	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// create makes a user, unless there is one of this name already.
func (c *change) create(ctx context.Context) error {
	asked, err := desired.Attributes(c.req.Account)
	if err != nil {
		return err
	}
	name := ""
	if a := c.req.Account; a != nil && a.Username != nil {
		name = *a.Username
	}
	if name == "" {
		return resource.InvalidRequest(
			"username_missing",
			"a user cannot be created without a user name",
			"Have the account's template make one.",
		)
	}
	if rec, err := c.tryFindByName(ctx, name); err != nil || rec != nil {
		return c.exists(rec, asked, err, nil)
	}
	secret, err := c.credential()
	if err != nil {
		return err
	}
	if secret != nil && c.Write.Password == quirks.No {
		return resource.InvalidRequest(
			"password_unsupported",
			c.Unsupported(v1.OpAccountPassword),
			"Set no password for new accounts of this connector.",
		)
	}
	if secret != nil {
		asked = append(asked, *secret)
	}
	body := resource.Record{}
	c.apply(body, asked)
	c.correlate(body)
	body["schemas"] = schemasOf(body, resource.UserSchema)
	made, location, err := c.send(
		ctx,
		request{
			method: http.MethodPost,
			path:   c.UsersPath,
			body:   body,
			phase:  resource.PhaseUsers,
			note:   "the user is created",
		},
	)
	if err != nil {
		if taken(err) {
			rec, lookErr := c.tryFindByName(ctx, name)
			return c.exists(rec, asked, lookErr, err)
		}
		return err
	}
	c.resp.Outcome = v1.OutcomeApplied
	c.resp.Changes = desired.Changes(nil, asked)
	return c.created(ctx, made, location, name, asked)
}

// correlate gives a new user the key by which this side knows the person (RFC 7643 section 3.1), unless the template
// sets another. A target may ignore it, so nothing is verified by it.
func (c *change) correlate(body resource.Record) {
	a := c.req.Account
	switch {
	case body.Text("externalId") != "" || a == nil:
	case a.EmployeeNumber != nil && *a.EmployeeNumber != "":
		body["externalId"] = *a.EmployeeNumber
	case a.Username != nil:
		body["externalId"] = *a.Username
	}
}

// tryFindByName is FindByName for those who can do without: a target that cannot be queried, or does not understand the
// name in a filter, decides when the change is sent.
func (c *change) tryFindByName(ctx context.Context, name string) (resource.Record, error) {
	if !c.CanFindByName(c.provider) {
		return nil, nil
	}
	rec, err := c.FindByName(ctx, name)
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
func (c *change) created(ctx context.Context, made resource.Record, location, name string,
	asked []desired.Attribute) error {
	id := made.Text("id")
	if id == "" && location != "" {
		id = resource.IDOfURI(location)
	}
	if resource.InvalidID(id) != "" && c.CanFindByName(c.provider) {
		c.settled(ctx, func() (bool, error) {
			rec, err := c.tryFindByName(ctx, name)
			id = rec.Text("id")
			return rec != nil, err
		})
	}
	if why := resource.InvalidID(id); why != "" {
		c.warn("id_not_told", "the user was created, and the target does not return its id; the next sync reads it", "")
		return nil
	}
	if made.Text("id") != "" {
		c.resp.Account = resource.FullAccount(made) // until it is read back
	}
	c.readBack(ctx, id, asked)
	if c.resp.Account == nil {
		c.resp.Account = &v1.RemoteAccount{ExternalID: id, NativeIdentity: name, Username: &name}
	}
	return nil
}

// exists compares a user that existed before the request with what was asked for: it is that user, or another one.
func (c *change) exists(rec resource.Record, asked []desired.Attribute, err, refusal error) error {
	switch {
	case err != nil:
		return err
	case rec == nil:
		return refusal
	}
	var differ []string
	for _, w := range asked {
		if !w.Secret && !w.MetBy(rec) {
			differ = append(differ, w.Path.String())
		}
	}
	if len(differ) == 0 {
		c.resp.Outcome, c.resp.Account, c.resp.Verified = v1.OutcomeAlready, resource.FullAccount(rec), true
		return nil
	}
	d := &v1.ErrorDetail{
		Class: v1.ClassConflict,
		Code:  "account_exists",
		Phase: resource.PhaseUsers,
		Message: "the target has a user of this name already, which differs in " + strings.Join(
			differ,
			", ",
		) + " (id " + rec.Text("id") + ")",
		Hint: "Link that account, or have the account's template make another name.",
	}
	var said *v1.ErrorDetail
	if errors.As(refusal, &said) {
		d.Target = said.Target
	}
	return d
}

// taken reports whether a refusal means that another record has a value: 409, or 400 on some targets.
func taken(err error) bool {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil {
		return false
	}
	return d.Target.HTTP.Status == http.StatusConflict || strings.EqualFold(d.Target.HTTP.SCIMType, "uniqueness")
}

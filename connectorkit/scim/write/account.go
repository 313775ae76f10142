package write

import (
	"context"
	"net/http"
	"slices"

	"github.com/grantwright/grantwright/connectorkit/scim/desired"
	"github.com/grantwright/grantwright/connectorkit/scim/lookup"
	"github.com/grantwright/grantwright/connectorkit/scim/provider"
	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// update changes attributes of a user, and with rename its name.
func (c *change) update(ctx context.Context) error {
	asked, err := desired.Attributes(c.req.Account)
	if err != nil {
		return err
	}
	if len(asked) == 0 {
		c.resp.Outcome = v1.OutcomeNoop
		return nil
	}
	rename := slices.IndexFunc(asked, func(w desired.Attribute) bool { return w.Path.Key() == "username" })
	return c.modify(ctx, asked, func(rec resource.Record) error {
		switch {
		case rename < 0 || asked[rename].MetBy(rec):
			return nil
		case c.req.Op == v1.OpAccountUpdate:
			return resource.InvalidRequest(
				"use_rename",
				"an update does not change the user name",
				"Ask for account.rename.",
			)
		case asked[rename].Value == nil:
			return resource.InvalidRequest("username_missing", "a user cannot be without a user name", "")
		}
		return c.free(ctx, resource.TextOf(asked[rename].Value), rec.Text("id"))
	})
}

// free makes sure that no other user has a name: not every target checks that.
func (c *change) free(ctx context.Context, name, id string) error {
	other, err := c.tryFindByName(ctx, name)
	if err == nil && other != nil && other.Text("id") != id {
		return &v1.ErrorDetail{
			Class:   v1.ClassConflict,
			Code:    "username_taken",
			Phase:   resource.PhaseUsers,
			Message: "another user of the target has this name (id " + other.Text("id") + ")",
			Hint:    "Have the account's template make another name.",
		}
	}
	return err
}

// setActive enables or disables a user.
func (c *change) setActive(ctx context.Context, on bool) error {
	asked := []desired.Attribute{{Path: resource.Path{Attribute: "active"}, Value: on}}
	if on || c.Write.Disable != quirks.DisableDelete {
		return c.modify(ctx, asked, nil)
	}
	rec, err := c.Locate(ctx, c.provider, c.req.Target)
	switch {
	case err != nil:
		return err
	case rec == nil && lookup.PresenceOf(c.req.Target, nil) != v1.PresenceGone:
		return notVisible()
	case rec == nil:
		c.resp.Outcome, c.resp.Verified, c.resp.Presence = v1.OutcomeAlready, true, v1.PresenceGone
		c.warn(
			"not_shown",
			"the target does not show the user; users that were deactivated are not shown by every target",
			c.req.Target.RemoteID,
		)
		return nil
	case asked[0].MetBy(rec):
		c.resp.Outcome, c.resp.Account, c.resp.Verified = v1.OutcomeAlready, resource.FullAccount(rec), true
		return nil
	}
	return c.remove(
		ctx,
		rec,
		"DELETE deactivates the user",
		func(now resource.Record) bool { return now == nil || asked[0].MetBy(now) },
	)
}

// delete removes a user for good.
func (c *change) delete(ctx context.Context) error {
	rec, err := c.Locate(ctx, c.provider, c.req.Target)
	switch {
	case err != nil:
		return err
	case rec == nil && lookup.PresenceOf(c.req.Target, nil) != v1.PresenceGone:
		return notVisible()
	case rec == nil:
		c.resp.Outcome, c.resp.Verified, c.resp.Presence = v1.OutcomeAlready, true, v1.PresenceGone
		return nil
	}
	return c.remove(ctx, rec, "the user is deleted", func(now resource.Record) bool { return now == nil })
}

// remove sends a DELETE and looks whether it had the effect.
func (c *change) remove(ctx context.Context, rec resource.Record, note string, done func(resource.Record) bool) error {
	if err := c.expected(rec); err != nil {
		return err
	}
	at, err := c.UserPath(rec.Text("id"))
	if err != nil {
		return err
	}
	_, _, err = c.send(
		ctx,
		request{
			method: http.MethodDelete,
			path:   at,
			etag:   rec.Object("meta").Text("version"),
			phase:  resource.PhaseUsers,
			note:   note,
		},
	)
	if err != nil && !provider.IsGone(err) {
		return err
	}
	c.resp.Outcome = v1.OutcomeApplied
	c.resp.Verified = c.settled(ctx, func() (bool, error) {
		now, err := c.Find(ctx, at, resource.PhaseUsers)
		if c.resp.Account = nil; now != nil {
			c.resp.Account = resource.FullAccount(now)
		}
		return err == nil && done(now), err
	})
	if !c.resp.Verified {
		c.warn("not_as_asked", "the target took the DELETE and still shows the user as it was", rec.Text("id"))
	}
	return nil
}

// unlock sets the attribute that says so to false.
func (c *change) unlock(ctx context.Context) error {
	p, err := resource.ParsePath(c.Write.Unlock)
	if err != nil {
		return resource.InvalidRequest("invalid_attribute", err.Error(), "")
	}
	return c.modify(ctx, []desired.Attribute{{Path: p, Value: false}}, nil)
}

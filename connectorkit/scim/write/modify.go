package write

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/grantwright/grantwright/connectorkit/scim/desired"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// mostTries is how often a change is repeated because the record was changed in the meantime.
const mostTries = 3

// modify brings a user to what was asked for. before may object once the user is read.
func (c *change) modify(ctx context.Context, asked []desired.Attribute, before func(resource.Record) error) error {
	for try := 1; ; try++ {
		rec, err := c.mustLocate(ctx)
		if err != nil {
			return err
		}
		if before != nil {
			if err := before(rec); err != nil {
				return err
			}
		}
		unmet := slices.DeleteFunc(slices.Clone(asked), func(w desired.Attribute) bool { return w.MetBy(rec) })
		if len(unmet) == 0 {
			c.resp.Outcome, c.resp.Account, c.resp.Verified = v1.OutcomeAlready, resource.FullAccount(rec), true
			return nil
		}
		r, err := c.modification(ctx, rec, unmet)
		if err != nil {
			return err
		}
		_, _, err = c.send(ctx, r)
		var d *v1.ErrorDetail
		if errors.As(err, &d) && d.Code == "version_changed" && c.req.Expect == nil && try < mostTries {
			continue // it was refused, so that nothing was done
		}
		if err != nil {
			return err
		}
		c.resp.Outcome, c.resp.Changes = v1.OutcomeApplied, desired.Changes(rec, unmet)
		c.readBack(ctx, rec.Text("id"), asked)
		return nil
	}
}

// modification is the request that changes what is unmet.
func (c *change) modification(ctx context.Context, rec resource.Record, unmet []desired.Attribute) (request, error) {
	at, err := c.UserPath(rec.Text("id"))
	if err != nil {
		return request{}, err
	}
	r := request{
		method: http.MethodPatch,
		path:   at,
		etag:   rec.Object("meta").Text("version"),
		phase:  resource.PhaseUsers,
		note:   "the user is changed",
	}
	if !c.byPut() {
		r.body = c.patched(c.operations(rec, unmet)...)
		return r, nil
	}
	body := rec.Clone()
	c.takeOut(body, c.cache.ReadOnly(ctx, c.Session, c.req.AuthConfig))
	c.apply(body, unmet)
	body["schemas"] = schemasOf(body, resource.UserSchema)
	r.method, r.body, r.note = http.MethodPut, body, "the whole user is sent, with the change in it"
	return r, nil
}

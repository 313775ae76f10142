package write

import (
	"context"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/desired"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// settled reads until done reports success, or the pauses are over. Errors are reported, not returned: the change was
// made.
func (c *change) settled(ctx context.Context, look func() (done bool, err error)) bool {
	for i := 0; ; i++ {
		done, err := look()
		pauses := c.ReadbackPauses()
		switch {
		case err == nil && done:
			return true
		case i >= len(pauses):
			if err != nil {
				c.warn(
					"not_read_back",
					"the change was made, and could not be looked at: "+err.Error(),
					c.req.Target.RemoteID,
				)
			}
			return false
		}
		if c.Client.Pause(ctx, resource.PhaseUsers, pauses[i]) != nil {
			return false
		}
	}
}

// readBack reads the user and holds it against what was asked for.
func (c *change) readBack(ctx context.Context, id string, asked []desired.Attribute) {
	path, err := c.UserPath(id)
	if err != nil {
		return
	}
	var unmet []string
	c.resp.Verified = c.settled(ctx, func() (bool, error) {
		rec, err := c.Find(ctx, path, resource.PhaseUsers)
		if err != nil || rec == nil {
			return false, err
		}
		c.resp.Account = resource.FullAccount(rec)
		unmet = nil
		for _, w := range asked {
			if !w.Secret && !w.MetBy(rec) {
				unmet = append(unmet, w.Path.String())
			}
		}
		return len(unmet) == 0, nil
	})
	switch {
	case c.resp.Verified:
		c.resp.Verified = !slices.ContainsFunc(asked, func(w desired.Attribute) bool { return w.Secret }) ||
			c.req.Op == v1.OpAccountCreate
	case c.resp.Account == nil:
		c.warn("not_shown", "the target took the change and does not show the user yet", id)
	case len(unmet) > 0:
		c.warn("not_as_asked", "the target took the change and shows other values of "+strings.Join(unmet, ", "), id)
	}
}

package scim

import (
	"context"
	"slices"
	"strings"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// settles are the pauses between looks at what became of a change: targets may answer before all their parts know.
func (s *session) settles() []time.Duration {
	ms := s.write.SettlesMS
	if ms == nil {
		ms = []int{250, 1000}
	}
	out := make([]time.Duration, len(ms))
	for i, n := range ms {
		out[i] = time.Duration(n) * time.Millisecond
	}
	return out
}

// settled looks until done says so, or the pauses are over. Trouble while looking is told, not returned: the change was
// made.
func (c *writing) settled(ctx context.Context, look func() (done bool, err error)) bool {
	for i := 0; ; i++ {
		done, err := look()
		pauses := c.settles()
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
		if c.c.Pause(ctx, phaseUsers, pauses[i]) != nil {
			return false
		}
	}
}

// readBack reads the user and holds it against what was asked for.
func (c *writing) readBack(ctx context.Context, id string, asked []wish) {
	path, err := c.userPath(id)
	if err != nil {
		return
	}
	var unmet []string
	c.resp.Verified = c.settled(ctx, func() (bool, error) {
		rec, err := c.get(ctx, path, phaseUsers)
		if err != nil || rec == nil {
			return false, err
		}
		c.resp.Account = account(rec)
		unmet = nil
		for _, w := range asked {
			if !w.secret && !w.met(rec) {
				unmet = append(unmet, w.path.String())
			}
		}
		return len(unmet) == 0, nil
	})
	switch {
	case c.resp.Verified:
		c.resp.Verified = !slices.ContainsFunc(asked, func(w wish) bool { return w.secret }) ||
			c.req.Op == v1.OpAccountCreate
	case c.resp.Account == nil:
		c.warn("not_shown", "the target took the change and does not show the user yet", id)
	case len(unmet) > 0:
		c.warn("not_as_asked", "the target took the change and shows other values of "+strings.Join(unmet, ", "), id)
	}
}

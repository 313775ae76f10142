package read

import (
	"context"
	"net/url"

	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/response"
	"github.com/grantwright/grantwright/connectorkit/scim/syncrun"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// memberships reads users once more for the groups they carry, where it turned out that groups do not tell their
// members.
func (r *reader) memberships(ctx context.Context) error {
	l := r.NewListing(r.UsersPath, resource.PhaseUsers, r.UserFilter)
	l.Query = url.Values{"attributes": {"id,groups"}}
	if r.Attributes == quirks.No {
		l.Query.Del("attributes")
	}
	if r.UserFilter != "" {
		l.Query.Set("filter", r.UserFilter)
	}
	l.Prefetch = true
	l.ReadPage = func(resp *target.Response) (syncrun.Page, error) {
		p, held, err := syncrun.ReadElements(resp)
		p.Done = func(ctx context.Context, first func(string) bool) error {
			r.State.Stats.Pages++
			for _, res := range held {
				if err := r.membershipsOf(ctx, res, first); err != nil {
					return err
				}
			}
			return nil
		}
		return p, err
	}
	if err := l.ReadAll(ctx); err != nil {
		return err
	}
	if why := l.Incomplete(); why != "" {
		r.Warn("users_incomplete", why+"; no membership is treated as removed", "")
		r.MarkIncomplete(v1.Grants)
	}
	return nil
}

// membershipsOf hands on the groups that one user carries. first says whether the user is seen for
// the first time in this list, so that a user on two pages counts once.
func (r *reader) membershipsOf(ctx context.Context, res response.Element, first func(string) bool) error {
	id := res.Key()
	switch {
	case resource.InvalidID(id) != "" || res.Problem != "":
		r.SkipRecord("the groups of a user cannot be read", id, v1.Grants)
	case first(id):
		r.groupsOf(res.Record, id)
	}
	return r.EmitBatch(ctx)
}

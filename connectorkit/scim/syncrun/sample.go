package syncrun

import (
	"context"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/response"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	"github.com/grantwright/grantwright/connectorkit/target"
)

// Glimpse is the answer for one user.
type Glimpse struct {
	Some   bool // there is at least one
	Total  int  // -1: unknown
	Sparse bool // the user came with no more than asked for
}

// Glimpse requests the id of one user that a filter finds.
func (r *Run) Glimpse(ctx context.Context, filter string) (out Glimpse, err error) {
	q := url.Values{"filter": {resource.And(r.UserFilter, filter)}, "attributes": {"id"}, "count": {"1"}}
	if r.PagingMode(r.Provider) == settings.PageCursor {
		q.Set("cursor", "")
	}
	ask := target.Request{URL: r.UsersPath, Query: q, Phase: resource.PhaseUsers, Stream: true}
	err = r.Fetch(ctx, ask, func(resp *target.Response) error {
		out = Glimpse{Sparse: true}
		head, err := response.ReadList(resp, func(in *response.Reader) error {
			if out.Some {
				return response.ErrStop
			}
			res, err := in.Element()
			out.Some, out.Sparse = true, sparse(res.Record)
			return err
		})
		if out.Total = head.Total; head.Total > 0 {
			out.Some = true
		}
		return err
	})
	return out, err
}

// sparse says whether a record has no more than what attributes=id leaves: what is always returned stays (RFC 7643
// section 7).
func sparse(rec resource.Record) bool {
	for name := range rec {
		switch strings.ToLower(name) {
		case "id", "schemas", "meta", "externalid", "username":
		default:
			return false
		}
	}
	return true
}

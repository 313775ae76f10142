package read

import (
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// grantScopes are the grants of the changed records of one page: all that an entitlement has, or all that an account
// holds. They were read anew with the record, so that what is not among them is gone.
type grantScopes struct {
	object string
	of     map[string]*grantScope
	order  []string
}

// grantScope is one record's grants: how many, and whether all of them were read.
type grantScope struct {
	count int
	whole bool
}

// newGrantScopes starts the list of a page. It is nil where nothing can be attested: in a full read, and where other
// streams that give grants are read for changes too, since theirs would pass for gone.
func (s *session) newGrantScopes(j job) *grantScopes {
	if j.what != readRecords || !s.Plan[j.st.Name].Changes || !s.wanted[v1.Grants] || !allBelow(j.st)[v1.Grants] {
		return nil
	}
	object := j.st.Object
	switch object {
	case stream.ObjectUser:
		object = stream.ObjectAccount
	case stream.ObjectAccount, stream.ObjectEntitlement:
	default:
		return nil
	}
	for _, other := range s.Cfg.Streams {
		if other != j.st && other.ParentStream == nil && s.Plan[other.Name].Changes && allBelow(other)[v1.Grants] {
			return nil
		}
	}
	return &grantScopes{object: object, of: map[string]*grantScope{}}
}

// add notes the grants that came with a record.
func (h *grantScopes) add(owner string, grants []v1.RemoteGrant, whole bool) {
	if h == nil || owner == "" {
		return
	}
	one := h.of[owner]
	if one == nil {
		one = &grantScope{whole: true}
		h.of[owner] = one
		h.order = append(h.order, owner)
	}
	one.whole = one.whole && whole
	for i := range grants {
		one.count++
		one.whole = one.whole && h.belongs(&grants[i], owner)
	}
}

// belongs says whether a grant is one of the record's.
func (h *grantScopes) belongs(g *v1.RemoteGrant, owner string) bool {
	if h.object == stream.ObjectEntitlement {
		return g.EntitlementExternalID == owner
	}
	return g.AccountExternalID != nil && *g.AccountExternalID == owner
}

// markIncomplete notes that the grants of a record could not be read to their end.
func (h *grantScopes) markIncomplete(owner string) { h.add(owner, nil, false) }

// attest attests what was read whole, on the page that is passed up behind it.
func (h *grantScopes) attest(page v1.SyncResponse) v1.SyncResponse {
	if h == nil {
		return page
	}
	if page.Page == nil {
		page.Page = &v1.Page{}
	}
	for _, owner := range h.order {
		if one := h.of[owner]; one.whole {
			page.Page.Scopes = append(
				page.Page.Scopes,
				v1.Scope{Kind: v1.Grants, Key: h.object + ":" + owner, Complete: true, Count: one.count},
			)
		}
	}
	return page
}

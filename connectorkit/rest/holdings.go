package rest

import (
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// holdings are the grants of the changed records of one page: all that an entitlement has, or all that an account holds. They
// were read anew with the record, so that what is not among them is gone.
type holdings struct {
	object string
	of     map[string]*holding
	order  []string
}

type holding struct {
	count int
	whole bool
}

// holdings starts the list of a page. It is nil where nothing can be attested: in a full read, and where other streams that
// give grants are read for changes too, since theirs would pass for gone.
func (s *session) holdings(j job) *holdings {
	if j.what != readRecords || !s.Plan[j.st.Name].Changes || !s.wanted[v1.Grants] || !allBelow(j.st)[v1.Grants] {
		return nil
	}
	object := j.st.Object
	switch object {
	case objectUser:
		object = objectAccount
	case objectAccount, objectEntitlement:
	default:
		return nil
	}
	for _, other := range s.cfg.streams {
		if other != j.st && other.parent == nil && s.Plan[other.Name].Changes && allBelow(other)[v1.Grants] {
			return nil
		}
	}
	return &holdings{object: object, of: map[string]*holding{}}
}

// add notes the grants that came with a record.
func (h *holdings) add(owner string, grants []v1.RemoteGrant, whole bool) {
	if h == nil || owner == "" {
		return
	}
	one := h.of[owner]
	if one == nil {
		one = &holding{whole: true}
		h.of[owner] = one
		h.order = append(h.order, owner)
	}
	one.whole = one.whole && whole
	for i := range grants {
		one.count++
		one.whole = one.whole && h.belongs(&grants[i], owner)
	}
}

func (h *holdings) belongs(g *v1.RemoteGrant, owner string) bool {
	if h.object == objectEntitlement {
		return g.EntitlementExternalID == owner
	}
	return g.AccountExternalID != nil && *g.AccountExternalID == owner
}

// broken notes that the grants of a record could not be read to their end.
func (h *holdings) broken(owner string) { h.add(owner, nil, false) }

// close attests what was read whole, on the page that is passed up behind it.
func (h *holdings) close(page v1.SyncResponse) v1.SyncResponse {
	if h == nil {
		return page
	}
	if page.Page == nil {
		page.Page = &v1.Page{}
	}
	for _, owner := range h.order {
		if one := h.of[owner]; one.whole {
			page.Page.Scopes = append(page.Page.Scopes, v1.Scope{Kind: v1.Grants, Key: h.object + ":" + owner, Complete: true, Count: one.count})
		}
	}
	return page
}

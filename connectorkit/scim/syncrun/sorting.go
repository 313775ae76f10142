package syncrun

import (
	"errors"
	"net/http"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// sortKeys are the attributes by which lists are sorted: those that every record has.
var sortKeys = map[string]string{resource.PhaseUsers: "userName", resource.PhaseGroups: "displayName"}

// sorts reports whether a page is asked for in a sorted list. By index, pages fit together only if the list keeps its
// order, which a target promises for a sorted list alone (RFC 7644 section 3.4.2.3); a cursor holds its own place.
func (l *Listing) sorts(at checkpoint.Position) bool {
	return l.Provider.Sort && at.Mode == settings.PageIndex && !at.Unsorted && sortKeys[l.Phase] != ""
}

// unsortable reports whether a target that declares sort refuses it after all. The list is then read as it comes.
func (l *Listing) unsortable(err error) bool {
	var d *v1.ErrorDetail
	if l.Position.Pages > 0 || !l.sorts(l.Position) || !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil {
		return false
	}
	switch d.Target.HTTP.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return true
	}
	return false
}

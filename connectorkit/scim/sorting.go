package scim

import (
	"errors"
	"net/http"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// sortKeys are the attributes by which lists are sorted: those that every record has.
var sortKeys = map[string]string{phaseUsers: "userName", phaseGroups: "displayName"}

// sorts reports whether a page is asked for in a sorted list. By index, pages fit together only if the list keeps its
// order, which a target promises for a sorted list alone (RFC 7644 section 3.4.2.3); a cursor holds its own place.
func (l *listing) sorts(at position) bool {
	return l.provider.sort && at.Mode == pageIndex && !at.Unsorted && sortKeys[l.phase] != ""
}

// unsortable reports whether a target that declares sort refuses it after all. The list is then read as it comes.
func (l *listing) unsortable(err error) bool {
	var d *v1.ErrorDetail
	if l.at.Pages > 0 || !l.sorts(l.at) || !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil {
		return false
	}
	switch d.Target.HTTP.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return true
	}
	return false
}

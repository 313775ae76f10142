package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/response"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// UserPath returns the address of a user. An id that cannot be part of an address is the error unusable_id.
func (s *Session) UserPath(id string) (string, error) {
	return resourcePath(s.UsersPath, id, resource.PhaseUsers)
}

// GroupPath returns the address of a group, as UserPath does for users.
func (s *Session) GroupPath(id string) (string, error) {
	return resourcePath(s.GroupsPath, id, resource.PhaseGroups)
}

// resourcePath is the path of one resource by its id, which comes from the target and is trusted
// for nothing: "." and ".." would lead to another resource when the path is resolved, and all other
// characters are escaped.
func resourcePath(list, id, phase string) (string, error) {
	why := resource.InvalidID(id)
	if id == "." || id == ".." {
		why = "has an id that would lead elsewhere"
	}
	if why != "" {
		return "", &v1.ErrorDetail{Class: v1.ClassData, Code: "unusable_id", Phase: phase, Message: "the record " + why}
	}
	return strings.TrimSuffix(list, "/") + "/" + url.PathEscape(id), nil
}

// Find reads one record by its address; nil if there is none.
func (s *Session) Find(ctx context.Context, path, phase string) (resource.Record, error) {
	rec, err := s.object(ctx, path, phase)
	if IsGone(err) {
		return nil, nil
	}
	return rec, err
}

// IsGone reports whether the target answered that there is no such record (404 or 410).
func IsGone(err error) bool { return target.Absent(err, http.StatusNotFound, http.StatusGone) }

// CanFindByName reports whether the target accepts a filter for users by userName.
func (s *Session) CanFindByName(p Declaration) bool {
	switch s.FilterSupport {
	case quirks.FilterNone:
		return false
	case settings.Auto:
		return !p.Declared || p.Filter
	}
	return true
}

// FindByName returns the user with a name; nil if there is none. It compares the names itself, because some targets
// ignore the filter or compare by other rules. Several users of the name are the error ambiguous_account.
func (s *Session) FindByName(ctx context.Context, name string) (resource.Record, error) {
	var found, exact []resource.Record
	ask := target.Request{
		URL:    s.UsersPath,
		Query:  url.Values{"filter": {"userName eq " + resource.Quote(name)}},
		Phase:  resource.PhaseUsers,
		Stream: true,
	}
	err := s.Fetch(ctx, ask, func(resp *target.Response) error {
		found, exact = nil, nil
		_, err := response.ReadList(resp, func(in *response.Reader) error {
			res, err := in.Element()
			if err != nil || res.Problem != "" || !strings.EqualFold(res.Record.Text("userName"), name) {
				return err
			}
			if found = append(found, res.Record); res.Record.Text("userName") == name {
				exact = append(exact, res.Record)
			}
			return nil
		})
		return err
	})
	switch {
	case IsGone(err):
		return nil, nil
	case err != nil:
		return nil, err
	case len(exact) == 1:
		return exact[0], nil
	case len(found) > 1:
		return nil, &v1.ErrorDetail{
			Class: v1.ClassConflict,
			Code:  "ambiguous_account",
			Phase: resource.PhaseUsers,
			Message: fmt.Sprintf(
				"the target has %d users of this name",
				len(found),
			),
			Hint: "Remove or rename all but one in the target.",
		}
	case len(found) == 0:
		return nil, nil
	}
	return found[0], nil
}

// Locate returns the user that a change or read names, by id or else by name; nil if there is none.
func (s *Session) Locate(ctx context.Context, p Declaration, t v1.ProvisionTarget) (resource.Record, error) {
	switch {
	case t.RemoteID != "":
		path, err := s.UserPath(t.RemoteID)
		if err != nil {
			return nil, err
		}
		return s.Find(ctx, path, resource.PhaseUsers)
	case t.Username == "":
		return nil, resource.InvalidRequest("no_target", "the change names no user", "")
	case !s.CanFindByName(p):
		return nil, resource.InvalidRequest(
			"no_lookup",
			"the target cannot be asked for a user by name",
			"Read it once, so that its users' ids are known.",
		)
	}
	return s.FindByName(ctx, t.Username)
}

// Refusal tells an answer that rejects a filter, whose explanation it returns, from an error that left the question
// open, which it returns unchanged.
func Refusal(err error) (string, error) {
	var d *v1.ErrorDetail
	if err == nil || !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil {
		return "", err
	}
	switch status := d.Target.HTTP.Status; {
	case status == 400,
		status == 403,
		status == 404,
		status == 405,
		status == 422,
		status == 500,
		status == 501,
		d.Code == "scim_error":
		return "the target refuses filters by meta.lastModified: " + d.Message, nil
	}
	return "", err
}

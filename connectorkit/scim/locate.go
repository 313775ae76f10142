package scim

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// userPath and groupPath are addresses of single records.
func (s *session) userPath(id string) (string, error)  { return below(s.usersPath, id, phaseUsers) }
func (s *session) groupPath(id string) (string, error) { return below(s.groupsPath, id, phaseGroups) }

func below(list, id, phase string) (string, error) {
	why := badID(id)
	if id == "." || id == ".." {
		why = "has an id that would lead elsewhere"
	}
	if why != "" {
		return "", &v1.ErrorDetail{Class: v1.ClassData, Code: "unusable_id", Phase: phase, Message: "the record " + why}
	}
	return strings.TrimSuffix(list, "/") + "/" + url.PathEscape(id), nil
}

// get reads one record by its address; nil: there is none.
func (s *session) get(ctx context.Context, path, phase string) (record, error) {
	rec, err := s.object(ctx, path, phase)
	if gone(err) {
		return nil, nil
	}
	return rec, err
}

func gone(err error) bool { return target.Absent(err, http.StatusNotFound, http.StatusGone) }

// findable says whether users can be asked for by their name.
func (s *session) findable(p provider) bool {
	switch s.filterSupport {
	case quirks.FilterNone:
		return false
	case auto:
		return !p.declared || p.filter
	}
	return true
}

// byName finds the user with a name; nil: there is none. Targets that ignore the filter, or compare by other rules, are
// seen through.
func (s *session) byName(ctx context.Context, name string) (record, error) {
	var found, exact []record
	ask := target.Request{
		URL:    s.usersPath,
		Query:  url.Values{"filter": {"userName eq " + quoted(name)}},
		Phase:  phaseUsers,
		Stream: true,
	}
	err := s.fetch(ctx, ask, func(resp *target.Response) error {
		found, exact = nil, nil
		_, err := readList(resp, func(in *raw) error {
			res, err := in.resource()
			if err != nil || res.bad != "" || !strings.EqualFold(res.rec.text("userName"), name) {
				return err
			}
			if found = append(found, res.rec); res.rec.text("userName") == name {
				exact = append(exact, res.rec)
			}
			return nil
		})
		return err
	})
	switch {
	case gone(err):
		return nil, nil
	case err != nil:
		return nil, err
	case len(exact) == 1:
		return exact[0], nil
	case len(found) > 1:
		return nil, &v1.ErrorDetail{
			Class: v1.ClassConflict,
			Code:  "ambiguous_account",
			Phase: phaseUsers,
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

// locate reads the user that a target names; nil: there is none.
func (s *session) locate(ctx context.Context, p provider, t v1.ProvisionTarget) (record, error) {
	switch {
	case t.RemoteID != "":
		path, err := s.userPath(t.RemoteID)
		if err != nil {
			return nil, err
		}
		return s.get(ctx, path, phaseUsers)
	case t.Username == "":
		return nil, badAsk("no_target", "the change names no user", "")
	case !s.findable(p):
		return nil, badAsk(
			"no_lookup",
			"the target cannot be asked for a user by name",
			"Read it once, so that its users' ids are known.",
		)
	}
	return s.byName(ctx, t.Username)
}

// mustLocate is locate for changes of users that have to be there.
func (c *writing) mustLocate(ctx context.Context) (record, error) {
	rec, err := c.locate(ctx, c.provider, c.req.Target)
	if err == nil && rec == nil {
		return nil, &v1.ErrorDetail{
			Class:   v1.ClassNotFound,
			Code:    "account_not_found",
			Phase:   phaseUsers,
			Message: "the target has no such user",
			Hint:    "It was removed there, or its id has changed. Read the target again.",
		}
	}
	if err == nil {
		err = c.expected(rec)
	}
	return rec, err
}

// expected holds the version that the caller knows against the one that is there.
func (c *writing) expected(rec record) error {
	version := rec.sub("meta").text("version")
	if c.req.Expect == nil || c.req.Expect.Version == "" || c.req.Expect.Version == version {
		return nil
	}
	return &v1.ErrorDetail{Class: v1.ClassConflict, Code: "version_changed", Phase: phaseUsers,
		Message: "the user was changed in the target since it was read", Hint: "Read it again."}
}

package write

import (
	"context"

	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// mustLocate is locate for changes of users that have to be there.
func (c *change) mustLocate(ctx context.Context) (resource.Record, error) {
	rec, err := c.Locate(ctx, c.provider, c.req.Target)
	if err == nil && rec == nil {
		return nil, &v1.ErrorDetail{
			Class:   v1.ClassNotFound,
			Code:    "account_not_found",
			Phase:   resource.PhaseUsers,
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
func (c *change) expected(rec resource.Record) error {
	version := rec.Object("meta").Text("version")
	if c.req.Expect == nil || c.req.Expect.Version == "" || c.req.Expect.Version == version {
		return nil
	}
	return &v1.ErrorDetail{Class: v1.ClassConflict, Code: "version_changed", Phase: resource.PhaseUsers,
		Message: "the user was changed in the target since it was read", Hint: "Read it again."}
}

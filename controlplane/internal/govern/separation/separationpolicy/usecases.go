package separationpolicy

import (
	"context"
	"encoding/json"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/definition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Service manages separation-of-duties policies.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
}

// List returns a page of policies, and how many the filters select.
func (s *Service) List(
	ctx context.Context,
	v viewer.Viewer,
	f Filters,
	page pg.Page,
) (items []Policy, total int64, err error) {
	q, err := f.Query()
	if err != nil {
		return nil, 0, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if items, total, err = listing.Fetch[Policy](ctx, tx, q, page); err != nil {
			return err
		}
		return Describe(ctx, tx, items)
	})
	return items, total, err
}

// Read returns one policy.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string) (found Policy, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, err = Find(ctx, tx, id)
		return err
	})
	return found, err
}

// Create creates a policy.
func (s *Service) Create(ctx context.Context, v viewer.Viewer, n New) (made Policy, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		made, err = Create(ctx, tx, n)
		return err
	})
	return made, err
}

// CheckPatch refuses a merge patch that removes a field that a policy must have.
func CheckPatch(body []byte) error {
	return mergepatch.Keep(body, "name", "enabled", "mode", "severity", "kind", "sides", "effects")
}

// Merge returns the fields with a merge patch (RFC 7396). Exemptions are one condition, which is replaced as a whole.
func Merge(f Fields, body []byte) (Fields, error) {
	merged, err := mergepatch.Apply(f, body)
	if err != nil {
		return f, err
	}
	var sent struct {
		Exemptions definition.SeparationExemptions `json:"exemptions"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return f, fault.New(fault.Invalid, "exemptions is a condition")
	}
	if sent.Exemptions != nil {
		merged.Exemptions = sent.Exemptions
	}
	return merged, nil
}

// Patch applies a merge patch.
func (s *Service) Patch(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	body []byte,
) (Policy, error) {
	if err := CheckPatch(body); err != nil {
		return Policy{}, err
	}
	return s.alter(ctx, v, id, match, "separation_policy.updated", func(f Fields) (Fields, error) {
		return Merge(f, body)
	})
}

// set changes fields by a function that cannot fail; see alter.
func (s *Service) set(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	action string,
	set func(*Fields),
) (Policy, error) {
	return s.alter(ctx, v, id, match, action, func(f Fields) (Fields, error) {
		set(&f)
		return f, nil
	})
}

// alter changes a policy in a transaction of its own, after If-Match.
func (s *Service) alter(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	action string,
	how func(Fields) (Fields, error),
) (changed Policy, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := Locked(ctx, tx, id, " for update of p")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		after, err := how(before.Fields)
		if err != nil {
			return err
		}
		changed, err = Rewrite(ctx, tx, before, after, action)
		return err
	})
	return changed, err
}

// Delete deletes a policy.
func (s *Service) Delete(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := Locked(ctx, tx, id, " for update of p")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		return Retire(ctx, tx, before)
	})
}

// Disable disables a policy by the decision of an owner or administrator.
func Disable(ctx context.Context, tx *pg.Tx, id string) error {
	before, err := Locked(ctx, tx, id, " for update of p")
	if err != nil {
		return err
	}
	after := before.Fields
	after.Enabled = false
	_, err = Rewrite(ctx, tx, before, after, "separation_policy.disabled")
	return err
}

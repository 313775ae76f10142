package role

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Service answers for roles.
type Service struct {
	DB         *pg.DB
	Cursors    *httpapi.Cursors
	Conditions Reader // nil: no condition can be written
	// Guard is a fault when a change of a role is not to be made at once, but by publishing it; before has no id when
	// the role is to be made. nil: every change is made.
	Guard func(ctx context.Context, tx *pg.Tx, before Role, after RoleFields) error
}

// List gives a page of the roles that the viewer may see, and how many there are.
func (s *Service) List(
	ctx context.Context,
	v viewer.Viewer,
	f Filters,
	page pg.Page,
) (items []Role, total int64, err error) {
	q, err := f.query(v)
	if err != nil {
		return nil, 0, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if items, total, err = listing.Fetch[Role](ctx, tx, q, page); err != nil {
			return err
		}
		return count(ctx, tx, items)
	})
	for i := range items {
		s.say(&items[i])
	}
	return items, total, err
}

// say puts the membership rule into words.
func (s *Service) say(r *Role) {
	if len(r.MembershipRule) > 0 && s.Conditions != nil {
		r.MembershipSentence = s.Conditions(r.MembershipRule).Sentence
	}
}

// Read gives one role.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string) (found Role, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if found, err = Seen(ctx, tx, v, id, ""); err != nil {
			return err
		}
		found, err = s.whole(ctx, tx, found)
		return err
	})
	return found, err
}

// whole fills in the fields of one role alone.
func (s *Service) whole(ctx context.Context, tx *pg.Tx, r Role) (Role, error) {
	one := []Role{r}
	if err := count(ctx, tx, one); err != nil {
		return r, err
	}
	c, err := cover(ctx, tx, r.ID)
	one[0].Coverage = &c
	s.say(&one[0])
	return one[0], err
}

// Seen reads a role for a viewer, with a locking clause or none. One that they may not see is a fault of kind NotFound:
// administrators and auditors see all, others what they own.
func Seen(ctx context.Context, tx *pg.Tx, v viewer.Viewer, id, locking string) (Role, error) {
	found, err := find(ctx, tx, "r.id = @id", id, locking)
	if err == nil && !v.SeesAll() && !found.OwnedBy(v.Identity) {
		return Role{}, fault.New(fault.NotFound, "Role %s was not found.", id)
	}
	return found, err
}

// OwnedBy reports whether a person is an owner or a backup owner.
func (f RoleFields) OwnedBy(identityID string) bool {
	return identityID != "" &&
		(slices.Contains(f.OwnerIDs, identityID) || slices.Contains(f.BackupOwnerIDs, identityID))
}

// Create makes a role.
func (s *Service) Create(ctx context.Context, v viewer.Viewer, n New) (made Role, err error) {
	if err := s.Conditions.Prepare(&n.RoleFields); err != nil {
		return made, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if s.Guard != nil {
			planned := n
			if err := planned.complete(); err != nil {
				return err
			}
			if err := s.Guard(ctx, tx, Role{}, planned.RoleFields); err != nil {
				return err
			}
		}
		if made, err = Create(ctx, tx, n); err != nil {
			return err
		}
		made, err = s.whole(ctx, tx, made)
		return err
	})
	return made, err
}

// Patch applies a merge patch. Of a role that an imported file says, detach makes it the tenant's own; otherwise that
// is a fault of kind Conflict.
func (s *Service) Patch(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	body []byte,
	detach bool,
) (changed Role, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := Seen(ctx, tx, v, id, " for update of r")
		if err != nil {
			return err
		}
		if err := before.mayPatch(v, body); err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		after, err := s.Merge(before.RoleFields, body)
		if err != nil {
			return err
		}
		if err := before.mayBePatched(after); err != nil {
			return err
		}
		if err := s.release(ctx, tx, before, detach); err != nil {
			return err
		}
		if s.Guard != nil {
			if err := s.Guard(ctx, tx, before, after); err != nil {
				return err
			}
		}
		if changed, err = change(ctx, tx, before, after); err != nil {
			return err
		}
		changed, err = s.whole(ctx, tx, changed)
		return err
	})
	return changed, err
}

// Merge gives what a role becomes under a merge patch, prepared. Conditions are replaced as a whole: two cannot be
// merged into one that anybody has meant.
func (s *Service) Merge(f RoleFields, body []byte) (RoleFields, error) {
	if err := mergepatch.Keep(
		body,
		"name",
		"role_type",
		"lifecycle",
		"owner_ids",
		"entitlement_ids",
		"backup_owner_ids",
		"child_role_ids",
		"membership_exclusions",
		"requestable",
		"parameters",
		"compliance_tags",
		"duty_tags",
	); err != nil {
		return f, err
	}
	var given struct {
		Rule    RoleCondition `json:"membership_rule"`
		Visible RoleCondition `json:"visible_to"`
	}
	if err := json.Unmarshal(body, &given); err != nil {
		return f, fault.New(fault.Invalid, "membership_rule and visible_to are conditions")
	}
	after, err := mergepatch.Apply(f, body)
	if err != nil {
		return f, err
	}
	if given.Rule != nil {
		after.MembershipRule = given.Rule
	}
	if given.Visible != nil {
		after.VisibleTo = given.Visible
	}
	if err := s.Conditions.Prepare(&after); err != nil {
		return f, err
	}
	return after, after.complete()
}

// Delete retires a role.
func (s *Service) Delete(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, force bool) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, "r.id = @id", id, " for update of r")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		return Retire(ctx, tx, id, force)
	})
}

package member

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/assignment"
)

// NewMember is whom a role is given to by hand.
type NewMember struct {
	// ID of the identity that the role is assigned to.
	IdentityID string `json:"identity_id" format:"uuid"`
	// When it begins; absent: now.
	StartsAt *time.Time `json:"starts_at,omitempty"`
	// When it ends; absent: after the role's default_duration, or max_duration, or never.
	EndsAt *time.Time `json:"ends_at,omitempty"`
	// Why, in words.
	Reason string `json:"reason" minLength:"1" maxLength:"1000"`
	// What the role's parameters ask for.
	Parameters map[string]any `json:"parameters,omitempty" nullable:"false"`
}

// Give assigns a role by hand. Administrators may, and owners of the role to others than themselves.
func (s *Service) Give(ctx context.Context, v viewer.Viewer, id string, n NewMember) (out RoleMember, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := role.Seen(ctx, tx, v, id, "")
		if err != nil {
			return err
		}
		if err := ownRole(v, n.IdentityID); err != nil {
			return err
		}
		if _, err := person(ctx, tx, n.IdentityID); err != nil {
			return err
		}
		starts, ends, err := term(r, n.StartsAt, n.EndsAt, s.Now())
		if err != nil {
			return err
		}
		if err := r.CheckParameters(n.Parameters); err != nil {
			return err
		}
		a := assignment.Assignment{
			RoleID:     r.ID,
			IdentityID: n.IdentityID,
			Kind:       assignment.ByHand,
			Reason:     n.Reason,
			Parameters: n.Parameters,
			Details:    map[string]any{"source": "the role " + r.Name + ", by hand"},
			EndsAt:     ends,
		}
		if starts != nil {
			a.StartsAt = *starts
		}
		added := effective.Addition{ID: r.ID, RoleID: r.ID}
		if err := check.Admit(ctx, tx, n.IdentityID, added, s.Now()); err != nil {
			return err
		}
		if _, err := assignment.Assign(ctx, tx, []assignment.Assignment{a}); err != nil {
			return err
		}
		out, err = member(ctx, tx, r.ID, n.IdentityID)
		return err
	})
	return out, err
}

// ownRole is a fault of kind Forbidden when an owner of a role gives it to themselves.
func ownRole(v viewer.Viewer, identityID string) error {
	if !v.Has(viewer.Admin) && v.Identity == identityID {
		return fault.Coded(
			fault.Forbidden,
			"own_role",
			"Owners assign their roles to others only. Request the role for yourself.",
		)
	}
	return nil
}

// term is from when until when a role is given; the beginning is nil for at once.
func term(r role.Role, starts, ends *time.Time, now time.Time) (from, until *time.Time, err error) {
	refuse := func(member, code, format string, args ...any) error {
		detail := fmt.Sprintf(format, args...)
		return fault.New(fault.Invalid, "%s", detail).
			With(fault.Field{Pointer: "#/" + member, Code: code, Detail: detail})
	}
	begin := now
	if starts != nil {
		if starts.Before(now.Add(-time.Minute)) {
			return nil, nil, refuse(
				"starts_at",
				"in_the_past",
				"access cannot begin in the past: leave starts_at out to begin now",
			)
		}
		if starts.After(now) {
			begin, from = *starts, starts
		}
	}
	most, usual := length(r.MaxDuration), length(r.DefaultDuration)
	switch {
	case ends == nil && usual > 0:
		until = at(begin.Add(usual))
	case ends == nil && most > 0:
		until = at(begin.Add(most))
	case ends == nil:
	case !ends.After(begin):
		return nil, nil, refuse("ends_at", "in_the_past", "access ends after it begins, and not in the past")
	case most > 0 && ends.After(begin.Add(most)):
		return nil, nil, refuse(
			"ends_at",
			"too_long",
			"the role %s is given for %s at most: until %s",
			r.Name,
			*r.MaxDuration,
			begin.Add(most).UTC().Format(time.RFC3339),
		)
	default:
		until = ends
	}
	return from, until, nil
}

// at is a pointer to the time.
func at(t time.Time) *time.Time { return &t }

// length reads a duration that was checked when it was stored; absent is 0.
func length(text *string) time.Duration {
	if text == nil {
		return 0
	}
	d, err := span.Parse(*text)
	if err != nil {
		return 0
	}
	return d
}

// person is the name of a person whom the viewer sees. Others are not found, as in GET /identities/{id}.
func person(ctx context.Context, tx *pg.Tx, id string) (name string, err error) {
	const sql = `
		select coalesce(i.display_name, '')
		  from identity i
		 where i.id = $1
		   and ((select sees_all()) or exists (select from readable_identity(true) r where r.id = i.id))`
	missing := fault.New(fault.Invalid, "Identity %s was not found.", id).
		With(fault.Field{Pointer: "#/identity_id", Code: "unknown_identity",
			Detail: "give the id of an identity from GET /identities"})
	if !listing.IsID(id) {
		return "", missing
	}
	switch err = tx.QueryRow(ctx, sql, id).Scan(&name); {
	case errors.Is(err, pgx.ErrNoRows):
		return "", missing
	case err != nil:
		return "", fmt.Errorf("find identity: %w", err)
	}
	return name, nil
}

// member returns how one person has a role.
func member(ctx context.Context, tx *pg.Tx, roleID, identityID string) (RoleMember, error) {
	const sql = `select coalesce(i.display_name, ''), coalesce(i.department, ''),
		i.status from identity i where i.id = $1`
	m := RoleMember{IdentityID: identityID, RoleHolding: RoleHolding{Ways: []RoleWay{}}}
	if err := tx.QueryRow(ctx, sql, identityID).Scan(&m.Display, &m.Department, &m.Status); err != nil {
		return m, fmt.Errorf("find member of role: %w", err)
	}
	how, err := holdings(ctx, tx, []string{roleID}, []string{identityID})
	if h := how[pair{roleID, identityID}]; h != nil {
		m.RoleHolding = *h
	}
	return m, err
}

// assignments of a person to a role that have not ended: those given by hand, and the others.
func assignments(ctx context.Context, tx *pg.Tx, roleID, identityID string) (byHand, others []string, err error) {
	const sql = `
		select a.id::text, a.kind = 'manual'
		  from role_assignment a
		 where a.role_id = $1
		   and a.identity_id = $2
		   and a.state <> 'ended'
		 order by a.id`
	if !listing.IsID(identityID) {
		return nil, nil, nil
	}
	var id string
	var hand bool
	if err := pg.Each(ctx, tx, "find assignments of role", []any{&id, &hand}, func() error {
		if hand {
			byHand = append(byHand, id)
		} else {
			others = append(others, id)
		}
		return nil
	}, sql, roleID, identityID); err != nil {
		return nil, nil, err
	}
	return byHand, others, nil
}

// Limit moves the end of what was given by hand; nil: it ends no more.
func (s *Service) Limit(
	ctx context.Context,
	v viewer.Viewer,
	id, identityID string,
	until *time.Time,
) (out RoleMember, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := role.Seen(ctx, tx, v, id, "")
		if err != nil {
			return err
		}
		if err := ownRole(v, identityID); err != nil {
			return err
		}
		byHand, others, err := assignments(ctx, tx, r.ID, identityID)
		switch {
		case err != nil:
			return err
		case len(byHand) == 0 && len(others) > 0:
			return fault.Coded(
				fault.Conflict,
				"not_by_hand",
				"This person has the role by a request. Extend or return the request instead.",
			)
		case len(byHand) == 0:
			return fault.New(fault.NotFound, "%s has no direct assignment of the role", identityID)
		}
		if until == nil && r.MaxDuration != nil {
			return fault.New(fault.Invalid, "Role %s can be assigned for at most %s. Set ends_at.", r.Name,
				*r.MaxDuration).
				With(fault.Field{Pointer: "#/ends_at", Code: "too_long", Detail: "an instant"})
		}
		if until != nil {
			if _, _, err := term(r, nil, until, s.Now()); err != nil {
				return err
			}
		}
		if err := assignment.Extend(ctx, tx, byHand[0], until); err != nil {
			return err
		}
		out, err = member(ctx, tx, r.ID, identityID)
		return err
	})
	return out, err
}

// Take ends decisions about a person's role, by hand or by a request. People who have it by a rule alone keep it: that
// is a fault of kind Conflict.
func (s *Service) Take(ctx context.Context, v viewer.Viewer, id, identityID, why string) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := role.Seen(ctx, tx, v, id, "")
		if err != nil {
			return err
		}
		byHand, others, err := assignments(ctx, tx, r.ID, identityID)
		if err != nil {
			return err
		}
		if len(byHand)+len(others) == 0 {
			return notAssigned(ctx, tx, r, identityID)
		}
		if why == "" {
			why = "the role " + r.Name + " was taken from them"
		}
		_, err = assignment.Unassign(ctx, tx, append(byHand, others...), time.Time{}, why, false)
		return err
	})
}

// notAssigned is the fault for a person without an assignment of the role: not_found, or a conflict
// if a rule gives it to them, which an unassignment could not end.
func notAssigned(ctx context.Context, tx *pg.Tx, r role.Role, identityID string) error {
	missing := fault.New(fault.NotFound, "%s does not have the role %s", identityID, r.Name)
	if !listing.IsID(identityID) {
		return missing
	}
	how, err := holdings(ctx, tx, []string{r.ID}, []string{identityID})
	if err != nil {
		return err
	}
	h := how[pair{r.ID, identityID}]
	if h == nil {
		return missing
	}
	by := []string{}
	for _, w := range h.Ways {
		by = append(by, w.Kind)
	}
	return fault.Coded(fault.Conflict, "member_by_rule", "The membership rule would assign the role again. Exclude "+
		"the person from the rule, or change the rule.").
		Also("by", by)
}

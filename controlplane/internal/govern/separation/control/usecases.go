package control

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Service manages mitigating controls.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
}

// List returns a page of controls, and how many the filters select.
func (s *Service) List(
	ctx context.Context,
	v viewer.Viewer,
	f Filters,
	page pg.Page,
) (items []Control, total int64, err error) {
	q, err := f.query()
	if err != nil {
		return nil, 0, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		items, total, err = listing.Fetch[Control](ctx, tx, q, page)
		return err
	})
	return items, total, err
}

// Read returns one control.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string) (found Control, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, err = Find(ctx, tx, id, "")
		return err
	})
	return found, err
}

// Create creates a control.
func (s *Service) Create(ctx context.Context, v viewer.Viewer, n New) (made Control, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		made, err = Create(ctx, tx, n)
		return err
	})
	return made, err
}

// Patch applies a merge patch.
func (s *Service) Patch(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	body []byte,
) (Control, error) {
	kept := []string{"name", "enabled", "applies_to", "evidence", "max_duration", "on_lapse"}
	if err := mergepatch.Keep(body, kept...); err != nil {
		return Control{}, err
	}
	return s.alter(ctx, v, id, match, "mitigating_control.updated", func(f Fields) (Fields, error) {
		return mergepatch.Apply(f, body)
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
) (Control, error) {
	return s.alter(ctx, v, id, match, action, func(f Fields) (Fields, error) {
		set(&f)
		return f, nil
	})
}

// alter changes a control in a transaction of its own, after If-Match.
func (s *Service) alter(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	action string,
	how func(Fields) (Fields, error),
) (changed Control, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := Find(ctx, tx, id, " for update of c")
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

// Delete deletes a control.
func (s *Service) Delete(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := Find(ctx, tx, id, " for update of c")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		return Retire(ctx, tx, before)
	})
}

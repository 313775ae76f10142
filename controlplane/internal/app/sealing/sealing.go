package sealing

import (
	"context"
	"errors"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/app/database"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Sealing exchanges the keys that secrets are sealed under, for an operator's command. It works while servers run.
type Sealing struct {
	DB   *pg.DB
	Ring *seal.Keyring
	Step func(what string, n int) // called after each transaction that sealed something anew; may be nil
}

func (s *Sealing) rotation() *seal.Rotation {
	return &seal.Rotation{DB: s.DB, Ring: s.Ring, Step: s.Step}
}

// Status counts what lies under which key, and gives the tenants' short names by their ids.
func (s *Sealing) Status(ctx context.Context) (seal.Status, map[string]string, error) {
	tenants, names, err := database.TenantNames(ctx, s.DB)
	if err != nil {
		return seal.Status{}, nil, err
	}
	status, err := s.rotation().Status(ctx, tenants)
	return status, names, err
}

// Master seals everything under the keyring's first master key, and returns how many values lay under others. What a
// process sealed under the old key meanwhile is found by a second look.
func (s *Sealing) Master(ctx context.Context) (total int, err error) {
	tenants, _, err := database.TenantNames(ctx, s.DB)
	if err != nil {
		return 0, err
	}
	for range 3 {
		n, err := s.rotation().Master(ctx, tenants)
		if total += n; err != nil || n == 0 {
			return total, err
		}
	}
	return total, nil
}

// Rotated is what became of one tenant's data key.
type Rotated struct {
	Tenant  string // short name
	Version uint32
	Values  int
}

// Data gives the tenant with that short name, or every tenant when it is empty, a new data key. It is in the tenant's
// audit log. One tenant's failure keeps none of the others from theirs.
func (s *Sealing) Data(ctx context.Context, slug string, done func(Rotated)) error {
	tenants, names, err := database.TenantNames(ctx, s.DB)
	if err != nil {
		return err
	}
	var failed []error
	found := false
	for _, tenant := range tenants {
		if slug != "" && names[tenant] != slug {
			continue
		}
		found = true
		version, n, err := s.rotation().Data(ctx, tenant)
		if errors.Is(err, seal.ErrNoDataKey) {
			continue
		}
		if err == nil {
			err = s.record(ctx, tenant, version, n)
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		done(Rotated{Tenant: names[tenant], Version: version, Values: n})
	}
	if !found && slug != "" {
		return fmt.Errorf("there is no tenant %s", slug)
	}
	return errors.Join(failed...)
}

func (s *Sealing) record(ctx context.Context, tenant string, version uint32, n int) error {
	return s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		return audit.Record(ctx, tx, audit.Entry{
			Action:  "key.rotated",
			Subject: audit.Subject{Type: "data_key", ID: fmt.Sprint(version)},
			Context: map[string]any{"values": n},
		})
	})
}

// Prune deletes data keys that nothing lies under, a day after they were replaced, and returns how many.
func (s *Sealing) Prune(ctx context.Context) (total int64, err error) {
	tenants, _, err := database.TenantNames(ctx, s.DB)
	if err != nil {
		return 0, err
	}
	for _, tenant := range tenants {
		n, err := s.rotation().Prune(ctx, tenant)
		if total += n; err != nil {
			return total, fmt.Errorf("older data keys of tenant %s: %w", tenant, err)
		}
	}
	return total, nil
}

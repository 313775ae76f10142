package pack

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/binding"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/install"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
)

// Service composes the services of sector packs. Found needs Now alone; everything else needs all fields but Trusted
// and AllowUnsigned.
type Service struct {
	DB            *pg.DB
	Cursors       *httpapi.Cursors
	Trusted       []ed25519.PublicKey // whose packs may be uploaded
	AllowUnsigned bool                // unsigned packs may be uploaded too
	Log           *slog.Logger
	Now           func() time.Time
}

// Routes are the paths under /sector-packs.
func (s *Service) Routes() []httpapi.Route {
	packs := &catalog.Service{DB: s.DB, Cursors: s.Cursors, Trusted: s.Trusted, AllowUnsigned: s.AllowUnsigned}
	objects := &object.Service{DB: s.DB, Cursors: s.Cursors}
	return slices.Concat(packs.Routes(), s.installations().Routes(), objects.Routes(), s.Conflicts().Routes())
}

// Conflicts resolves conflicts.
func (s *Service) Conflicts() *conflict.Service {
	return &conflict.Service{DB: s.DB, Cursors: s.Cursors, Bind: binding.Bind}
}

// Bindings binds what installations wait for.
func (s *Service) Bindings() *binding.Service {
	return &binding.Service{DB: s.DB, Log: s.Log, Now: s.Now}
}

// Kinds are the work of sector packs on the queue.
func (s *Service) Kinds() []queue.Kind { return s.Bindings().Kinds() }

// installations makes the service that installs packs, which finds them in the catalog.
func (s *Service) installations() *install.Service {
	return &install.Service{DB: s.DB, Now: s.Now, Find: func(
		ctx context.Context,
		tx *pg.Tx,
		key, version string,
	) (install.Available, error) {
		found, err := catalog.Find(ctx, tx, key, version)
		if err != nil {
			return install.Available{}, err
		}
		e := found.Entry
		return install.Available{Source: found.Source, Version: e.Version, Checksum: e.Checksum, Origin: e.Source}, nil
	}}
}

package separation

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/duty"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Service composes the parts of separation of duties. All exported fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
}

// Routes are the paths of separation of duties under /policies.
func (s *Service) Routes() []httpapi.Route {
	return slices.Concat(
		(&duty.Service{DB: s.DB, Cursors: s.Cursors}).Routes(),
		(&separationpolicy.Service{DB: s.DB, Cursors: s.Cursors}).Routes(),
	)
}

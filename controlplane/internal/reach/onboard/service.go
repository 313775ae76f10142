package onboard

import (
	"context"
	"net/http"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

// Service leads through the steps and keeps the differences.
type Service struct {
	DB         *pg.DB
	Connectors *connector.Service
	Fields     *fieldmap.Service
	Runs       *syncrun.Service
	Cursors    *httpapi.Cursors
	Now        func() time.Time
}

const (
	aboutWizard = "All connector types have the same five steps: type, connection, discovery, mapping, first_sync. " +
		"Each shows whether it is completed, its problems, what blocks it, and the next call. The state is computed, " +
		"so you can interrupt the setup at any step and continue it later."
	aboutAccept = "Accepts the proposals for all fields without a decision. Earlier decisions stay."
	aboutFirst  = "Starts the first sync, which is a full sync. If a previous step is incomplete, the response is " +
		"409 connector_incomplete, test_required, discovery_required or mapping_required. After it has succeeded, " +
		"the connector is active and connected, and later runs are incremental."
	aboutAgain = "Runs discovery again and compares the fields with the mappings. If they differ, the response " +
		"contains a diff that waits for decisions and replaces an open one. Until it is decided, syncs use the " +
		"current mappings. With stream=true the response is a stream of server-sent events: progress for each step, " +
		"then result."
	aboutDecide = "accept: an added field gets its proposed mapping, a removed one loses its mapping, one of another " +
		"type keeps it. override: the field gets the given mapping. " +
		"ignore: the field fills nothing from now on. All mappings that come of it are checked before anything is " +
		"written. What is undecided stays as it was; " +
		"dismiss ends the diff so, and the next rediscover shows the rest again."
)

// Routes are the paths of the wizard and of changed fields. Administrators write; auditors read as well.
func (s *Service) Routes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	return []httpapi.Route{
		httpapi.Handle("GET", "/connectors/{id}/wizard", "Get the state of the setup wizard", s.wizard).
			For(both...).
			Describe(aboutWizard),
		httpapi.Handle("POST", "/connectors/{id}/wizard/accept-mappings", "Accept suggested field mappings", s.accept).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412).
			Describe(aboutAccept),
		httpapi.Handle("POST", "/connectors/{id}/wizard/first-sync", "Start the first sync", s.firstSync).
			For(viewer.Admin).
			Status(http.StatusAccepted).
			Errors(409).
			Describe(aboutFirst),
		httpapi.JSONOrStream("POST", "/connectors/{id}/rediscover", "Rediscover the schema of a connector",
			(*rediscoverIn).streams, s.rediscover, s.streamRediscover).
			For(viewer.Admin).
			Errors(409).
			Describe(aboutAgain),
		httpapi.Handle("GET", "/connectors/{id}/schema-diffs", "List schema differences", s.diffs).For(both...),
		httpapi.Handle("GET", "/connectors/{id}/schema-diffs/{diff_id}", "Retrieve a schema difference", s.diff).
			For(both...),
		httpapi.Handle("POST", "/connectors/{id}/schema-diffs/{diff_id}/decide", "Decide a schema difference",
			s.decide).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412).
			Describe(aboutDecide),
	}
}

type oneIn struct {
	ID string `path:"id"`
}

func (s *Service) wizard(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[Wizard], error) {
	var out Wizard
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		f, err := s.facts(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		out = f.wizard()
		return nil
	})
	return &httpapi.One[Wizard]{Body: out}, err
}

type acceptIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
}

func (s *Service) accept(ctx context.Context, v viewer.Viewer, in *acceptIn) (*httpapi.One[fieldmap.Mappings], error) {
	out, err := s.Fields.Accept(ctx, v, in.ID, in.IfMatch)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[fieldmap.Mappings]{ETag: httpapi.ETag(out.Version), Body: out}, nil
}

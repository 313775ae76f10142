package connector

import (
	"context"
	"net/http"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/sse"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connection"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/tryout"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/typelist"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Routes are the paths under /connectors, but for those of runs. Administrators write; auditors read as well.
func (s *Service) Routes() []httpapi.Route {
	routes := []httpapi.Route{
		httpapi.Handle("GET", "/connectors/types", "List connector types", s.types),
		httpapi.Handle("GET", "/connectors/types/{key}", "Retrieve a connector type", s.typeOf),
		httpapi.Handle("GET", "/connectors/funnel", "Get the connector funnel", s.funnel),
		httpapi.Handle("GET", "/connectors", "List connectors", s.list),
		httpapi.Handle("GET", "/connectors/{id}", "Retrieve a connector", s.read),
		httpapi.Handle("GET", "/connectors/{id}/deletion-impact", "Get the impact of deleting a connector", s.impact),
	}
	for i := range routes {
		routes[i] = routes[i].For(viewer.Admin, viewer.Auditor)
	}
	return append(routes, s.writes()...)
}

const (
	aboutTest = "Errors of the target, the network or an agent are part of the result: success is false, and error " +
		"contains the cause. With stream=true the response is a stream of server-sent events: step for each " +
		"completed step, then result."
	aboutPatch  = "A JSON merge patch (RFC 7396): null clears a member; absent members stay."
	aboutDelete = "Its secrets are erased. Its accounts, grants and entitlements are disconnected: they leave lists, " +
		"figures and effective access, and their open " +
		"decision tasks end. The connector can be restored for 30 days; then its synced records are erased."
	aboutRestore = "Possible within 30 days of the deletion. Accounts, grants and entitlements are as before, and " +
		"the next sync is a full sync. A connector that had secrets is a draft until you set them again."
)

func (s *Service) writes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", "/connectors", "Create a connector", s.create).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Errors(409),
		httpapi.Handle("PATCH", "/connectors/{id}", "Update a connector", s.patch).
			For(viewer.Admin).
			Errors(412).
			Describe(aboutPatch),
		httpapi.Handle("DELETE", "/connectors/{id}", "Delete a connector", s.remove).
			For(viewer.Admin).
			Status(http.StatusNoContent).
			Errors(409, 412).
			Describe(aboutDelete),
		httpapi.Handle("POST", "/connectors/{id}/restore", "Restore a deleted connector", s.restore).
			For(viewer.Admin).
			Errors(409).
			Describe(aboutRestore),
		httpapi.JSONOrStream("POST", "/connectors/test", "Test connection settings", (*unsavedIn).streams,
			s.testUnsaved, s.streamUnsaved).
			For(viewer.Admin).
			Errors(429).
			Describe(aboutTest),
		httpapi.JSONOrStream("POST", "/connectors/{id}/test", "Test a connector", (*testIn).streams,
			s.test, s.streamTest).
			For(viewer.Admin).
			Errors(429).
			Describe(aboutTest),
	}
}

func (s *Service) types(context.Context, viewer.Viewer, *struct{}) (*httpapi.ListOut[typelist.ConnectorType], error) {
	out := &httpapi.ListOut[typelist.ConnectorType]{}
	for _, e := range catalog.Entries() {
		out.Body.Items = append(out.Body.Items, typelist.TypeShown(e))
	}
	out.Body.Total, out.Body.Limit = int64(len(out.Body.Items)), len(out.Body.Items)
	return out, nil
}

type keyIn struct {
	Key string `path:"key"`
}

func (s *Service) typeOf(_ context.Context, _ viewer.Viewer, in *keyIn) (*httpapi.One[typelist.ConnectorType], error) {
	e, ok := catalog.Find(in.Key)
	if !ok {
		return nil, fault.New(fault.NotFound, "Type of connector %s was not found.", in.Key)
	}
	return &httpapi.One[typelist.ConnectorType]{Body: typelist.TypeShown(e)}, nil
}

type listIn struct {
	httpapi.Paging
	Filters
	// runs: the last 14 of each; counts: how many identities and accounts are kept of it. Several values, separated by
	// commas.
	Expand []string `query:"expand" enum:"runs,counts"`
}

func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Connector], error) {
	walk, err := s.Cursors.Walk(v, "connectors", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	var items []Connector
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		rows, n, err := listing.Fetch[row](ctx, tx, q, walk.Page)
		items, total = nil, n
		for _, r := range rows {
			items = append(items, r.shown())
		}
		if err != nil || len(items) == 0 {
			return err
		}
		return expand(ctx, tx, items, in.Expand)
	})
	return httpapi.Out(walk, items, total, in.after), err
}

type createIn struct{ Body NewConnector }

func (s *Service) create(ctx context.Context, v viewer.Viewer, in *createIn) (*httpapi.Created[Connector], error) {
	c, err := s.Create(ctx, v, in.Body)
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[Connector]{
		Location: httpapi.Prefix + "/connectors/" + c.ID,
		ETag:     httpapi.ETag(c.Version),
		Body:     c,
	}, nil
}

type oneIn struct {
	ID string `path:"id"`
}

func (s *Service) read(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[Connector], error) {
	var c Connector
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		c, err = Find(ctx, tx, in.ID)
		return err
	})
	return shownOne(c, err)
}

func shownOne(c Connector, err error) (*httpapi.One[Connector], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Connector]{ETag: httpapi.ETag(c.Version), Body: c}, nil
}

type patchIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body ConnectorPatch
}

func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[Connector], error) {
	return shownOne(s.Patch(ctx, v, in.ID, in.IfMatch, in.Body))
}

type removeIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
}

func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *removeIn) (*httpapi.None, error) {
	return nil, s.Delete(ctx, v, in.ID, in.IfMatch)
}

type testIn struct {
	ID string `path:"id"`
	// Answer in server-sent events.
	Stream bool `query:"stream"`
}

func (in *testIn) streams() bool { return in.Stream }

func (s *Service) test(ctx context.Context, v viewer.Viewer, in *testIn) (*tryout.TestResponse, error) {
	answer, err := s.Test(ctx, v, in.ID)
	return &answer, err
}

func (s *Service) streamTest(
	ctx context.Context,
	v viewer.Viewer,
	in *testIn,
) (func(context.Context, *sse.Events) error, error) {
	c, err := s.saved(ctx, v, in.ID)
	return s.stream(v, c), err
}

type unsavedIn struct {
	// Answer in server-sent events.
	Stream bool `query:"stream"`
	Body   UnsavedConnector
}

// UnsavedConnector are settings to try out. The payload that would make a connector may be sent as it is: what no
// target is asked for is passed over.
type UnsavedConnector struct {
	// Draft flag of the new connector. The test ignores it.
	Draft bool `json:"draft,omitempty"`
	// Business ID of the new connector. The test ignores it.
	BusinessID string `json:"business_id,omitempty"`
	// Display name of the connector. The test ignores it.
	Name string `json:"name,omitempty"`
	// Description of the connector. The test ignores it.
	Description string `json:"description,omitempty"`
	// Labels of the connector, by name. The test ignores it.
	Labels map[string]string `json:"labels,omitempty"`
	// Environment of the system that the connector serves. The test ignores it.
	Environment string `json:"environment,omitempty"`
	// Kinds of records that are read. The test ignores it.
	Purpose string `json:"purpose,omitempty"`
	// Rank of the connector among several sources. The test ignores it.
	AuthorityRank *int `json:"authority_rank,omitempty"`
	connection.Settings
}

func (in *unsavedIn) streams() bool { return in.Stream }

func (s *Service) testUnsaved(ctx context.Context, v viewer.Viewer, in *unsavedIn) (*tryout.TestResponse, error) {
	answer, err := s.TestUnsaved(ctx, v, in.Body.Settings)
	return &answer, err
}

func (s *Service) streamUnsaved(
	ctx context.Context,
	v viewer.Viewer,
	in *unsavedIn,
) (func(context.Context, *sse.Events) error, error) {
	c, err := s.unsaved(ctx, v, in.Body.Settings)
	return s.stream(v, c), err
}

package directory

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/attribute"
)

// schemaRoutes are the routes of the schema of custom attributes.
func (s *Service) schemaRoutes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/identities/schema/attributes", "Get the custom attribute schema", s.readSchema).
			For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("PUT", "/identities/schema/attributes", "Replace the custom attribute schema", s.putSchema).
			For(viewer.Admin).
			Errors(412).
			Describe("Writes through the API must match it. Values from syncs are converted to its types, or omitted " +
				"with a warning in the sync run. Stored values stay until they are written again."),
	}
}

// readSchema is GET of the schema.
func (s *Service) readSchema(ctx context.Context, v viewer.Viewer,
	_ *struct{}) (out *httpapi.One[attribute.Schema], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		schema, err := attribute.FindSchema(ctx, tx)
		out = &httpapi.One[attribute.Schema]{ETag: httpapi.ETag(schema.Version), Body: schema}
		return err
	})
	return out, err
}

// putSchemaIn is the input of putSchema.
type putSchemaIn struct {
	httpapi.IfMatch
	Body attribute.Schema
}

// putSchema is PUT of the schema. An advisory lock per tenant serializes writers, since the row may
// not exist yet and then cannot be locked.
func (s *Service) putSchema(ctx context.Context, v viewer.Viewer,
	in *putSchemaIn) (out *httpapi.One[attribute.Schema], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := pg.Exec(
			ctx,
			tx,
			"lock schema of attributes",
			`select pg_advisory_xact_lock(1523, hashtext(current_tenant()::text))`,
		); err != nil {
			return err
		}
		before, err := attribute.FindSchema(ctx, tx)
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		version, err := attribute.PutSchema(ctx, tx, in.Body)
		open := in.Body.IsOpen()
		in.Body.Open = &open
		out = &httpapi.One[attribute.Schema]{ETag: httpapi.ETag(version), Body: in.Body}
		return err
	})
	return out, err
}

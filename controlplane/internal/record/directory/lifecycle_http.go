package directory

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// lifecycleRoutes are the routes of the lifecycle settings.
func (s *Service) lifecycleRoutes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/settings/lifecycle", "Get lifecycle settings", s.readLifecycle).
			For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("PUT", "/settings/lifecycle", "Replace lifecycle settings", s.putLifecycle).
			For(viewer.Admin).
			Errors(412).
			Describe("Durations are ISO 8601 of weeks, or of days, hours, minutes and seconds. Omitted members get " +
				"their defaults."),
	}
}

// readLifecycle is GET of the lifecycle settings.
func (s *Service) readLifecycle(ctx context.Context, v viewer.Viewer,
	_ *struct{}) (out *httpapi.One[rules.LifecycleSettings], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		l, err := rules.Find(ctx, tx)
		out = &httpapi.One[rules.LifecycleSettings]{ETag: httpapi.ETag(l.Version), Body: l.Settings()}
		return err
	})
	return out, err
}

// putLifecycleIn is the input of putLifecycle.
type putLifecycleIn struct {
	httpapi.IfMatch
	Body rules.LifecycleSettings
}

// putLifecycle is PUT of the lifecycle settings. The row is locked before If-Match is compared.
func (s *Service) putLifecycle(ctx context.Context, v viewer.Viewer,
	in *putLifecycleIn) (out *httpapi.One[rules.LifecycleSettings], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := rules.Lock(ctx, tx)
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		after, err := in.Body.Lifecycle(before)
		if err != nil {
			return err
		}
		after, err = lifecycle.Put(ctx, tx, after)
		out = &httpapi.One[rules.LifecycleSettings]{ETag: httpapi.ETag(after.Version), Body: after.Settings()}
		return err
	})
	return out, err
}

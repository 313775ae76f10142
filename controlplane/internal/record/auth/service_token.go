package auth

import (
	"context"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// serviceHolder is the integration that a service token was made for.
func (s *Service) serviceHolder(_ context.Context, _ claims, _ *http.Request) (viewer.Viewer, error) {
	return viewer.Viewer{}, invalidToken()
}

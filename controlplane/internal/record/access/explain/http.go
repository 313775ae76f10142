package explain

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Routes are the explanations of access.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/entitlements/grants/{id}/explain", "Explain a grant", s.explain).Describe(aboutExplain),
		httpapi.Handle("GET", "/identities/{id}/access-explain", "Explain the access of an identity", s.explainPair).
			Describe(aboutPair),
	}
}

const (
	aboutExplain = "Reasons with their rules, the nesting paths and the first detection. Also the desired and the " +
		"actual state, the cause of a difference, and what would end the access: in plain words and as data."
	aboutPair = "The same explanation for an identity and an entitlement. If there is no grant, it explains why " +
		"not. Callers who may not see such a grant receive 404."
)

type one struct {
	// ID of the grant.
	ID string `path:"id"`
}

// answer is a response without headers.
type answer[T any] struct {
	Body T
}

// explain is GET …/explain of a grant.
func (s *Service) explain(ctx context.Context, v viewer.Viewer, in *one) (*answer[AccessExplanation], error) {
	out, err := s.Explain(ctx, v, in.ID)
	return &answer[AccessExplanation]{Body: out}, err
}

type explainPairIn struct {
	// ID of the identity.
	ID string `path:"id"`
	// Needed.
	EntitlementID string `query:"entitlement_id" format:"uuid"`
}

// explainPair is GET …/access-explain of a person and an entitlement, held or not.
func (s *Service) explainPair(
	ctx context.Context,
	v viewer.Viewer,
	in *explainPairIn,
) (*answer[AccessExplanation], error) {
	out, err := s.ExplainPair(ctx, v, in.ID, in.EntitlementID)
	return &answer[AccessExplanation]{Body: out}, err
}

package correlate

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/bulk"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

const (
	aboutRules = "Matching rules add up to a score of 1 − Π(1 − weight); rules that match because of the same values " +
		"count once. A single candidate with a score of auto_link or more is linked. One with propose or more, or " +
		"several within 0.10 of each other, are proposed for a decision. An owner that the source system itself " +
		"reports takes precedence over all rules. A value that more than 25 people share does not find an owner on " +
		"its own. Similarity alone (trigram, levenshtein, prefix) never links a privileged account."
	aboutPut = "Omitted members get their defaults. The rules take effect with the next sync run of the " +
		"connector, or at once by POST /accounts/correlation/run. To see their effect first, use POST " +
		"/accounts/correlation/preview."
	aboutPreview = "The changes that these rules would make to the accounts of the connector. Nothing is written. If " +
		"rules are omitted, the default rules are used."
)

// Routes are the paths by which rules are written and tried, and by which many accounts are decided at once.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/connectors/{id}/correlation", "Get the correlation settings of a connector",
			s.configuration).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutRules),
		httpapi.Handle("PUT", "/connectors/{id}/correlation", "Set the correlation settings of a connector",
			s.configure).
			For(viewer.Admin).
			Errors(412).
			Describe(aboutRules + "\n\n" + aboutPut),
		httpapi.Handle("POST", "/accounts/correlation/preview", "Preview correlation rules", s.preview).
			For(viewer.Admin).
			Errors(404).
			Describe(aboutPreview),
		httpapi.Handle("POST", "/accounts/correlation/run", "Run correlation", s.correlate).
			For(viewer.Admin).
			Errors(404),
		(&bulk.Service{DB: s.DB, Now: s.Now, Admit: s.AdmitLinks}).Route(),
		httpapi.Handle("POST", "/accounts/{id}/reset-correlation", "Reset the correlation of an account", s.reset).
			For(viewer.Admin).
			Errors(409, 412).
			Describe("Removes the decisions of people and rules about the account, and its former owner."),
		httpapi.Handle("GET", "/settings/orphans", "Get the orphan account settings", s.orphans).
			For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("PUT", "/settings/orphans", "Set the orphan account settings", s.setOrphans).
			For(viewer.Admin).
			Errors(412),
	}
}

type one struct {
	// ID of the connector.
	ID string `path:"id"`
}

// configuration is GET …/correlation.
func (s *Service) configuration(
	ctx context.Context,
	v viewer.Viewer,
	in *one,
) (*httpapi.One[matching.Correlation], error) {
	return configuredOut(s.Configuration(ctx, v, in.ID))
}

type configureIn struct {
	// ID of the connector.
	ID string `path:"id"`
	httpapi.IfMatch
	Body matching.NewCorrelation
}

// configure is PUT …/correlation.
func (s *Service) configure(
	ctx context.Context,
	v viewer.Viewer,
	in *configureIn,
) (*httpapi.One[matching.Correlation], error) {
	return configuredOut(s.Configure(ctx, v, in.ID, in.IfMatch, in.Body))
}

// configuredOut is the response with a connector's settings and its version as ETag.
func configuredOut(c matching.Correlation, version int, err error) (*httpapi.One[matching.Correlation], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[matching.Correlation]{ETag: httpapi.ETag(version), Body: c}, nil
}

// previewIn is the input of preview.
type previewIn struct {
	Body struct {
		// ID of the connector whose accounts are evaluated.
		ConnectorID string `json:"connector_id" format:"uuid"`
		matching.NewCorrelation
	}
}

// preview is POST …/correlation/preview: what unsaved settings would change.
func (s *Service) preview(
	ctx context.Context,
	v viewer.Viewer,
	in *previewIn,
) (*httpapi.One[CorrelationPreview], error) {
	out, err := s.Preview(ctx, v, in.Body.ConnectorID, in.Body.NewCorrelation)
	return &httpapi.One[CorrelationPreview]{Body: out}, err
}

// correlateIn is the input of correlate.
type correlateIn struct {
	Body *struct {
		// Only accounts of this connector.
		ConnectorID string `json:"connector_id,omitempty"`
	}
}

// CorrelationRun is what a run did.
type CorrelationRun struct {
	// Number of accounts by the result of the run.
	Counts matching.CorrelationCounts `json:"counts"`
}

// correlate is POST …/correlation/run, for one connector or all.
func (s *Service) correlate(
	ctx context.Context,
	v viewer.Viewer,
	in *correlateIn,
) (*httpapi.One[CorrelationRun], error) {
	connector := ""
	if in.Body != nil {
		connector = in.Body.ConnectorID
	}
	if connector != "" && !listing.IsID(connector) {
		return nil, fault.New(fault.NotFound, "Connector %s was not found.", connector)
	}
	t, err := s.Correlate(ctx, v, connector)
	return &httpapi.One[CorrelationRun]{Body: CorrelationRun{t}}, err
}

type resetIn struct {
	// ID of the account.
	ID string `path:"id"`
	httpapi.IfMatch
}

// reset is POST …/reset-correlation: the rules decide about the account again.
func (s *Service) reset(ctx context.Context, v viewer.Viewer, in *resetIn) (*httpapi.One[account.Account], error) {
	a, err := s.Reset(ctx, v, in.ID, in.IfMatch)
	return &httpapi.One[account.Account]{ETag: httpapi.ETag(a.Version), Body: a}, err
}

package answer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/storedquery"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// Service serves previews of stored queries. All fields are needed.
type Service struct {
	DB  *pg.DB
	Now func() time.Time
}

const aboutPreview = "Evaluates a stored query for violations that a control could be applied to, as of now. " +
	"Nothing is stored. At most 50 violations are evaluated, the latest first."

// Routes are the paths of previews.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", "/policies/mitigation/preview", "Preview the query of a mitigating control", s.preview).
			For(viewer.Admin).
			Status(200).
			Describe(aboutPreview),
	}
}

// PreviewQuery is a stored query to be previewed.
type PreviewQuery struct {
	// Query to evaluate.
	Query storedquery.Query `json:"query"`
	// Interval of the evidence, as an ISO 8601 duration from P1D to P365D. Data that is older does not count. The
	// default is P30D.
	Cadence string `json:"cadence,omitempty" maxLength:"64" example:"P30D"`
	// IDs of separation-of-duties policies whose violations are evaluated. Empty: all.
	PolicyIDs []string `json:"sod_policy_ids,omitempty" maxItems:"500" format:"uuid"`
	// Severities of violations that are evaluated. Empty: all.
	Severities []string `json:"severities,omitempty" maxItems:"4" enum:"low,medium,high,critical"`
}

// QueryPreview is what a stored query answers today.
type QueryPreview struct {
	// Number of violations that the control could be applied to.
	Violations int `json:"violations"`
	// Number of violations that were evaluated.
	Evaluated int `json:"evaluated"`
	// Number of violations for which the query passed.
	Passed int `json:"passed"`
	// Number of violations for which it failed.
	Failed int `json:"failed"`
	// Number of violations for which it could not be answered.
	Unanswered int `json:"unanswered"`
	// Answers for single violations, up to 20: unanswered ones first, then those that failed.
	Items []QueryPreviewItem `json:"items" nullable:"false"`
}

// QueryPreviewItem is the answer for one violation.
type QueryPreviewItem struct {
	// ID of the violation.
	ViolationID string `json:"violation_id"`
	// Person who violates the policy.
	Identity identity.Reference `json:"identity"`
	// Violated policy.
	Policy identity.Reference `json:"policy"`
	// Answer in words.
	Reason string `json:"reason"`
	// Answer to the query.
	Result Result `json:"result"`
}

const (
	mostPreviewed = 50 // violations that are evaluated: what an interactive request can wait for
	mostItems     = 20
)

type previewIn struct{ Body PreviewQuery }

// preview is POST of a query.
func (s *Service) preview(ctx context.Context, v viewer.Viewer, in *previewIn) (*httpapi.One[QueryPreview], error) {
	cadence, err := in.Body.check()
	if err != nil {
		return nil, err
	}
	out := &httpapi.One[QueryPreview]{}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := storedquery.CheckSystems(ctx, tx, "#/query/connector_ids", in.Body.Query.ConnectorIDs); err != nil {
			return err
		}
		list, total, err := in.Body.violations(ctx, tx)
		if err != nil {
			return err
		}
		targets := make([]Target, len(list))
		for i, t := range list {
			targets[i] = Target{IdentityID: t.IdentityID, PolicyID: t.PolicyID, Sides: t.Sides}
		}
		results, err := Evaluate(ctx, tx, Question{Query: in.Body.Query, Cadence: cadence}, targets, s.Now())
		if err != nil {
			return err
		}
		out.Body = previewOf(list, results)
		out.Body.Violations = total
		return nil
	})
	return out, err
}

// check completes the query, and returns the interval.
func (p *PreviewQuery) check() (time.Duration, error) {
	if p.Cadence == "" {
		p.Cadence = "P30D"
	}
	wrong := p.Query.Complete("#/query")
	cadence, err := span.Parse(p.Cadence)
	if err != nil || cadence < span.Day || cadence > 365*span.Day {
		wrong = append(wrong, fault.Field{Pointer: "#/cadence", Code: "invalid",
			Detail: fmt.Sprintf("%q is not an ISO 8601 duration from P1D to P365D.", p.Cadence)})
	}
	if len(wrong) > 0 {
		return 0, fault.New(fault.Invalid, "The query is invalid: %s", wrong[0].Detail).With(wrong...)
	}
	return cadence, nil
}

// previewed is a violation that is evaluated.
type previewed struct {
	ID         string `db:"id"`
	IdentityID string `db:"identity_id"`
	PolicyID   string `db:"policy_id"`
	Sides      string `db:"sides"`
	Person     string `db:"person"`
	Policy     string `db:"policy"`
	Total      int    `db:"total"`
}

// violations finds the latest violations that a control could be applied to, and counts all of them.
func (p *PreviewQuery) violations(ctx context.Context, tx *pg.Tx) ([]previewed, int, error) {
	const sql = `
		select v.id::text, v.identity_id::text, v.policy_id::text, v.sides, coalesce(i.display_name, '') as person,
		       coalesce(p.name, '') as policy, count(*) over ()::int as total
		  from violation v
		  left join identity i on i.id = v.identity_id
		  left join separation_policy p on p.id = v.policy_id
		 where v.state in ('open', 'mitigated')
		   and (@policies::text[] = '{}' or v.policy_id::text = any(@policies))
		   and (@severities::text[] = '{}' or v.severity = any(@severities))
		 order by v.id desc
		 limit @most`
	list, err := pg.All[previewed](ctx, tx, "find violations to preview", sql, pgx.NamedArgs{
		"policies": notNil(p.PolicyIDs), "severities": notNil(p.Severities), "most": mostPreviewed})
	if err != nil || len(list) == 0 {
		return nil, 0, err
	}
	return list, list[0].Total, nil
}

func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// previewOf counts the answers, and lists those first that need attention.
func previewOf(of []previewed, results []Result) QueryPreview {
	out := QueryPreview{Evaluated: len(results), Items: []QueryPreviewItem{}}
	for i, r := range results {
		switch r.Outcome {
		case storedquery.Passed:
			out.Passed++
		case storedquery.Failed:
			out.Failed++
		default:
			out.Unanswered++
		}
		out.Items = append(out.Items, QueryPreviewItem{ViolationID: of[i].ID,
			Identity: identity.Reference{ID: of[i].IdentityID, Display: of[i].Person},
			Policy:   identity.Reference{ID: of[i].PolicyID, Display: of[i].Policy},
			Reason:   r.Reason(), Result: r})
	}
	rank := map[string]int{storedquery.Unanswered: 0, storedquery.Failed: 1, storedquery.Passed: 2}
	slices.SortStableFunc(out.Items, func(a, b QueryPreviewItem) int {
		return rank[a.Result.Outcome] - rank[b.Result.Outcome]
	})
	out.Items = out.Items[:min(len(out.Items), mostItems)]
	return out
}

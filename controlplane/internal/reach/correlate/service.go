package correlate

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching/explanation"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// Service answers for the rules of correlation and for what is done to many accounts at once. All fields but AdmitLinks
// are needed.
type Service struct {
	DB  *pg.DB
	Now func() time.Time
	// AdmitLinks checks the links of accounts that people make. Nil: nothing is refused.
	AdmitLinks account.Admission
}

// Correlate applies the rules now: to all accounts, or to those of a connector.
func (s *Service) Correlate(
	ctx context.Context,
	v viewer.Viewer,
	connector string,
) (t matching.CorrelationCounts, err error) {
	err = s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error {
		t = matching.CorrelationCounts{}
		subject := audit.Subject{Type: "tenant", ID: v.Tenant}
		if connector != "" {
			c, err := matching.FindConnector(ctx, tx, connector, "")
			if err != nil {
				return err
			}
			subject = audit.Subject{Type: "connector", ID: c.ID, Display: c.Name}
		}
		err := matching.Judge(
			ctx,
			tx,
			matching.Scope{AccountsOf: connector},
			func(p *matching.Plan, list []matching.Judgement) error {
				t.Add(list)
				return p.Store(ctx, tx, matching.Changed(list))
			},
		)
		if err != nil {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "accounts.correlated", Subject: subject, Context: map[string]any{"counts": t}},
		)
	})
	return t, err
}

// CorrelationPreview is what a run by other rules would do to a connector's accounts. The lists hold the first of each
// kind.
type CorrelationPreview struct {
	// ID of the connector whose accounts were evaluated.
	ConnectorID string `json:"connector_id"`
	// Number of accounts by the result that a run would have.
	Counts matching.CorrelationCounts `json:"counts"`
	// Up to 100.
	Gains []CorrelationSample `json:"gains" nullable:"false"`
	// Up to 100.
	Losses []CorrelationSample `json:"losses" nullable:"false"`
	// Up to 100.
	ChangedOwners []CorrelationSample `json:"changed_owners" nullable:"false"`
	// Up to 100.
	Disputed []CorrelationSample `json:"disputed" nullable:"false"`
}

// CorrelationSample is an account that would change.
type CorrelationSample struct {
	// Account that would change.
	Account identity.Reference `json:"account"`
	// Its owner now.
	From *identity.Reference `json:"from"`
	// Its owner then.
	To *identity.Reference `json:"to"`
	// Score of the decision, from 0 to 1.
	Score float64 `json:"score"`
	// Why the account would have this result.
	Reason string `json:"reason"`
	// Identities that were considered as the owner.
	Candidates []explanation.CorrelationCandidate `json:"candidates" nullable:"false"`
	// Result of every rule for each identity that was tried.
	Explanation []explanation.CorrelationTried `json:"match_explanation" nullable:"false"`
}

// maxSamples is how many accounts of each kind a preview shows.
const maxSamples = 100

// Preview returns what Correlate would do to a connector's accounts if it had these settings. It writes nothing.
func (s *Service) Preview(
	ctx context.Context,
	v viewer.Viewer,
	connector string,
	g matching.NewCorrelation,
) (out CorrelationPreview, err error) {
	settings := g.Settings()
	err = s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error {
		if _, err := matching.FindConnector(ctx, tx, connector, ""); err != nil {
			return err
		}
		out = CorrelationPreview{
			ConnectorID:   connector,
			Gains:         []CorrelationSample{},
			Losses:        []CorrelationSample{},
			ChangedOwners: []CorrelationSample{},
			Disputed:      []CorrelationSample{},
		}
		err := matching.Judge(
			ctx,
			tx,
			matching.Scope{AccountsOf: connector, Settings: &settings},
			func(_ *matching.Plan, list []matching.Judgement) error {
				out.Counts.Add(list)
				for _, j := range list {
					out.show(j)
				}
				return nil
			},
		)
		if err != nil {
			return err
		}
		return out.name(ctx, tx)
	})
	return out, err
}

// show adds an account to the samples of its kind.
func (out *CorrelationPreview) show(j matching.Judgement) {
	list := map[matching.Change]*[]CorrelationSample{
		matching.Gained: &out.Gains, matching.Lost: &out.Losses, matching.Moved: &out.ChangedOwners,
		matching.Contested: &out.Disputed}[j.Change]
	if list == nil || len(*list) == maxSamples {
		return
	}
	d := j.Document
	sample := CorrelationSample{
		Account:     reference(j.Subject.ID),
		Score:       d.Score,
		Reason:      d.Reason,
		Candidates:  d.Candidates,
		Explanation: d.Tried,
	}
	if sample.Candidates == nil {
		sample.Candidates = []explanation.CorrelationCandidate{}
	}
	for _, had := range []*matching.ID{j.Subject.Owner, j.Subject.Gone} {
		if had != nil {
			from := reference(*had)
			sample.From = &from
		}
	}
	if j.Verdict.Owner != nil {
		to := reference(j.Verdict.Owner.ID)
		sample.To = &to
	}
	*list = append(*list, sample)
}

// reference is a person by ID; the name is added later.
func reference(x matching.ID) identity.Reference {
	return identity.Reference{ID: uuid.UUID(x).String()}
}

// name gives the samples' accounts and people their names.
func (out *CorrelationPreview) name(ctx context.Context, tx *pg.Tx) error {
	var all []*identity.Reference
	for _, list := range [][]CorrelationSample{out.Gains, out.Losses, out.ChangedOwners, out.Disputed} {
		for i := range list {
			all = append(all, &list[i].Account)
			for _, r := range []*identity.Reference{list[i].From, list[i].To} {
				if r != nil {
					all = append(all, r)
				}
			}
		}
	}
	ids := make([]string, len(all))
	for i, r := range all {
		ids[i] = r.ID
	}
	const sql = `
		select i.id::text, i.display_name from identity i where i.tenant_id = current_tenant() and i.id = any($1)
		 union all
		select a.id::text, ` + account.Display + ` from account a where a.tenant_id = current_tenant()
			and a.id = any($1)`
	names := map[string]string{}
	var who, display string
	if err := pg.Each(
		ctx,
		tx,
		"name accounts and people",
		[]any{&who, &display},
		func() error { names[who] = display; return nil },
		sql,
		ids,
	); err != nil {
		return err
	}
	for _, r := range all {
		r.Display = names[r.ID]
	}
	return nil
}

// Reset forgets what was decided about an account, by people or by rules, and lets the rules decide anew.
func (s *Service) Reset(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (after account.Account, err error) {
	err = s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error {
		before, err := account.Lock(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		if before.Status == "deleted" {
			return fault.Coded(fault.Conflict, "account_deleted", "this account no longer exists in its target system")
		}
		if err := account.ForgetOwner(ctx, tx, id); err != nil {
			return err
		}
		err = matching.Judge(
			ctx,
			tx,
			matching.Scope{Account: id},
			func(p *matching.Plan, list []matching.Judgement) error {
				return p.Store(ctx, tx, matching.Changed(list))
			},
		)
		if err != nil {
			return err
		}
		if after, err = account.Find(ctx, tx, id); err != nil {
			return err
		}
		return account.RecordOwner(ctx, tx, "account.correlation_reset", before, after)
	})
	return after, err
}

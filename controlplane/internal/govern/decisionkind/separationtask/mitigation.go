package separationtask

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/control"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/evidence"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/mitigation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// mitigationApprovals are mitigations that are proposed. Neither who proposed one nor the person concerned decides.
func (s *Service) mitigationApprovals() kind.Kind {
	return kind.Kind{
		Name:    kind.MitigationApproval,
		About:   "proposed mitigations of violations",
		Subject: "mitigation",
		Needed:  `select m.id from mitigation m where m.state = 'proposed'`,
		Over: `select m.id::text, 'the mitigation is ' || m.state
		         from mitigation m
		        where m.id = any(@ids::text[]::uuid[])`,
		Within: 3 * kind.Day,
		Ask:    askApprovals,
		Answer: s.answerApproval,
	}
}

// mitigationEvidence is evidence that is due. The owner of the mitigation provides it.
func (s *Service) mitigationEvidence() kind.Kind {
	return kind.Kind{
		Name:    kind.MitigationEvidence,
		About:   "evidence of mitigations",
		Subject: "mitigation",
		Needed:  `select m.id from mitigation m where m.state in ('evidence_due', 'evidence_overdue')`,
		Over: `select m.id::text, case when m.state = 'active' then 'the evidence was provided'
		            else 'the mitigation is ' || m.state end
		         from mitigation m
		        where m.id = any(@ids::text[]::uuid[])`,
		Ask:    askEvidence,
		Answer: s.answerEvidence,
	}
}

// mitigationReviews are pieces of evidence that a person other than the owner has to review.
func (s *Service) mitigationReviews() kind.Kind {
	return kind.Kind{
		Name:    kind.MitigationReview,
		About:   "reviews of evidence of mitigations",
		Subject: "mitigation_evidence",
		Needed: `select e.id
		           from mitigation_evidence e
		           join mitigation m on m.id = e.mitigation_id
		          where e.verdict = 'pending' and mitigating(m.state)`,
		Over: `select e.id::text, case when e.verdict = 'pending' then 'the mitigation has ended'
		            else 'the evidence was ' || e.verdict end
		         from mitigation_evidence e
		        where e.id = any(@ids::text[]::uuid[])`,
		Within: 7 * kind.Day,
		Ask:    askReviews,
		Answer: s.answerReview,
	}
}

// mitigationFacts are a mitigation, or evidence of one, with whom to ask.
type mitigationFacts struct {
	Key          string         `db:"key"`
	ID           string         `db:"id"`
	State        string         `db:"state"`
	Severity     string         `db:"severity"`
	IdentityID   string         `db:"identity_id"`
	Person       string         `db:"person"`
	PolicyID     string         `db:"policy_id"`
	Policy       string         `db:"policy"`
	ControlID    string         `db:"control_id"`
	Control      string         `db:"control"`
	Procedure    string         `db:"procedure"`
	EvidenceKind string         `db:"evidence_kind"`
	OwnerID      string         `db:"owner_id"`
	Owner        string         `db:"owner"`
	Why          string         `db:"justification"`
	Duration     string         `db:"duration"`
	EndsAt       *time.Time     `db:"ends_at"`
	DueAt        *time.Time     `db:"due_at"`
	LapsesAt     *time.Time     `db:"lapses_at"`
	ViolationID  *string        `db:"violation_id"`
	RequestedBy  decision.Actor `db:"requested_by"`
	Approvers    []string       `db:"approvers"`
	PolicyOwners []string       `db:"policy_owners"`
	OnLapse      string         `db:"on_lapse"`
	QueryReason  string         `db:"query_reason"` // why a stored query gave no evidence, or empty

	// Of evidence.
	Text       string          `db:"text"`
	FileName   *string         `db:"file_name"`
	SHA256     *string         `db:"sha256"`
	URL        *string         `db:"url"`
	ProvidedBy *decision.Actor `db:"provided_by"`
}

// mitigationSQL reads the facts of mitigations; key and evidence are what differs for evidence.
func mitigationSQL(key, columns, from string) string {
	return `
		select ` + key + `::text as key, m.id::text, m.state, m.severity, m.identity_id::text,
		       coalesce(i.display_name, '') as person, m.policy_id::text, coalesce(p.name, '') as policy,
		       m.control_id::text, c.name as control, c.procedure,
		       coalesce(c.evidence ->> 'kind', 'attestation') as evidence_kind, m.owner_id::text,
		       coalesce(o.display_name, '') as owner, m.justification, m.duration, m.ends_at, m.due_at, m.lapses_at,
		       m.violation_id::text, m.requested_by,
		       case when c.approver_ids <> '{}' then c.approver_ids
		            else coalesce(p.owner_ids, '{}') end::text[] as approvers,
		       coalesce(p.owner_ids, '{}')::text[] as policy_owners, c.on_lapse,
		       coalesce((select case when q.kind = 'automatic_query' and q.verdict <> 'accepted' then q.comment end
		                   from mitigation_evidence q
		                  where q.mitigation_id = m.id
		                  order by q.id desc
		                  limit 1), '') as query_reason, ` + columns + `
		  from ` + from + `
		  join mitigating_control c on c.id = m.control_id
		  left join separation_policy p on p.id = m.policy_id
		  left join identity i on i.id = m.identity_id
		  left join identity o on o.id = m.owner_id
		 where ` + key + ` = any(@ids::text[]::uuid[])`
}

const noEvidence = `'' as text, null::text as file_name, null::text as sha256, null::text as url,
	null::jsonb as provided_by`

// question is what all decision tasks about mitigations have in common.
func (f mitigationFacts) question(kindName string) decision.New {
	person := decision.Ref{Type: "identity", ID: f.IdentityID, Display: f.Person}
	policy := decision.Ref{Type: "separation_policy", ID: f.PolicyID, Display: f.Policy}
	about := decision.Ref{Type: "mitigation", ID: f.ID, Display: f.Control + ": " + f.Person}
	at := httpapi.Prefix + "/policies/mitigations/" + f.ID
	links := map[string]string{"mitigation": at, "evidence": at + "/evidence"}
	if f.ViolationID != nil {
		links["violation"] = httpapi.Prefix + "/policies/violations/" + *f.ViolationID
	}
	return decision.New{
		Key:     f.Key,
		Subject: about,
		Source:  policy,
		Context: map[string]any{
			"identity":      person,
			"policy":        policy,
			"control":       decision.Ref{Type: "mitigating_control", ID: f.ControlID, Display: f.Control},
			"owner":         decision.Ref{Type: "identity", ID: f.OwnerID, Display: f.Owner},
			"procedure":     f.Procedure,
			"justification": f.Why,
			"duration":      f.Duration,
			"ends_at":       f.EndsAt,
			"evidence_kind": f.EvidenceKind,
			"requested_by":  f.RequestedBy,
			"links":         links,
		},
		Roles:     kind.Admins,
		NotFor:    []string{f.IdentityID},
		Priority:  kind.Priorities[f.Severity],
		RiskLevel: f.Severity,
		GroupKey:  kindName + "/" + f.PolicyID,
		Links:     []decision.Ref{person, policy},
	}
}

func askApprovals(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	found, err := kind.ReadFacts[mitigationFacts](ctx, tx, mitigationSQL("m.id", noEvidence, "mitigation m"), ids)
	out := make([]decision.New, len(found))
	for i, f := range found {
		q := f.question(kind.MitigationApproval)
		q.Title = fmt.Sprintf("Mitigate %s by %s", f.Policy, f.Person)
		q.Summary = fmt.Sprintf(
			"%s proposes that %s may violate %q for %s. %s carries out the control %q, which compensates for it. %s",
			f.RequestedBy.Display, f.Person, f.Policy, f.Duration, f.Owner, f.Control, f.Why)
		q.Actions = []decision.Action{
			{Key: "approve", Label: "Approve", Style: "positive", Requires: []string{}},
			{Key: "refuse", Label: "Refuse", Style: "negative", Requires: []string{"comment"}},
		}
		q.NotFor = append(q.NotFor, f.RequestedBy.Parties()...)
		kind.Assign(&q, f.Approvers...)
		out[i] = q
	}
	return out, err
}

func (s *Service) answerApproval(ctx context.Context, tx *pg.Tx, a decision.Answered) (err error) {
	if a.Decision.Action == "approve" {
		_, err = mitigation.Approved(ctx, tx, a.Task.Key, a.Decision.Comment, s.Now())
		return err
	}
	_, err = mitigation.Declined(ctx, tx, a.Task.Key, a.Decision.Comment, s.Now())
	return err
}

// otherwise says how evidence is provided that is not a text, by its kind.
var otherwise = map[string]string{
	control.Upload: " Upload a file with the operation that links.evidence names.",
	control.Link:   " Give the address of a record with the operation that links.evidence names.",
	control.Report: " Give a report, as a file or by its address, with the operation that links.evidence names.",
}

func askEvidence(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	found, err := kind.ReadFacts[mitigationFacts](ctx, tx, mitigationSQL("m.id", noEvidence, "mitigation m"), ids)
	out := make([]decision.New, len(found))
	for i, f := range found {
		q := f.question(kind.MitigationEvidence)
		q.Title = "Evidence for " + f.Control
		q.Summary = fmt.Sprintf("Show that %q was carried out for %s.", f.Control, f.Person)
		if f.QueryReason != "" {
			q.Summary = fmt.Sprintf("The automatic evidence that %q was carried out for %s is missing. %s Show it in "+
				"another way.", f.Control, f.Person, f.QueryReason)
			q.Context["query_reason"] = f.QueryReason
		}
		q.DueAt = f.DueAt
		kind.Assign(&q, f.OwnerID)
		if f.State == "evidence_overdue" {
			q.Title, q.Priority, q.DueAt = "Overdue evidence for "+f.Control, "urgent", f.LapsesAt
			q.Summary += " The evidence is late."
			kind.Assign(&q, f.Approvers...)
		}
		if f.LapsesAt != nil {
			q.Summary += " Without evidence the violation is open again on " + decision.FormatTime(*f.LapsesAt) + "."
		}
		q.Actions = []decision.Action{
			{Key: "provide", Label: "Provide evidence", Style: "positive", Requires: []string{"comment"}},
			{Key: "withdraw", Label: "End the mitigation", Style: "negative", Requires: []string{"comment"}},
		}
		if other := otherwise[f.EvidenceKind]; other != "" {
			q.Summary += other
			q.Actions = q.Actions[1:]
		}
		out[i] = q
	}
	return out, err
}

func (s *Service) answerEvidence(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	if a.Decision.Action == "provide" {
		in := evidence.NewMitigationEvidence{Text: a.Decision.Comment}
		_, err := evidence.Provide(ctx, tx, a.Task.Key, in, s.Now())
		return err
	}
	m, err := mitigation.Locked(ctx, tx, a.Task.Key)
	if err != nil {
		return err
	}
	_, err = mitigation.Advance(ctx, tx, m, mitigation.Withdraw, a.Decision.Comment, s.Now())
	return err
}

func askReviews(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	sql := mitigationSQL("e.id", "e.text, e.file_name, e.sha256, e.url, e.provided_by",
		"mitigation_evidence e join mitigation m on m.id = e.mitigation_id")
	found, err := kind.ReadFacts[mitigationFacts](ctx, tx, sql, ids)
	out := make([]decision.New, len(found))
	for i, f := range found {
		q := f.question(kind.MitigationReview)
		q.Title = "Review evidence for " + f.Control
		q.Summary = fmt.Sprintf("%s provided evidence that %q was carried out for %s.", f.ProvidedBy.Display, f.Control,
			f.Person)
		q.Actions = []decision.Action{
			{Key: "accept", Label: "Accept", Style: "positive", Requires: []string{}},
			{Key: "reject", Label: "Reject", Style: "negative", Requires: []string{"comment"}},
		}
		q.NotFor = append(q.NotFor, f.OwnerID)
		q.NotFor = append(q.NotFor, f.ProvidedBy.Parties()...)
		q.Context["text"], q.Context["provided_by"] = f.Text, f.ProvidedBy
		if f.URL != nil {
			q.Context["url"] = *f.URL
		}
		if f.FileName != nil {
			q.Context["file"] = map[string]any{"name": *f.FileName, "sha256": *f.SHA256, "link": httpapi.Prefix +
				"/policies/mitigations/" + f.ID + "/evidence/" + f.Key + "/file"}
		}
		kind.Assign(&q, f.Approvers...)
		out[i] = q
	}
	return out, err
}

func (s *Service) answerReview(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	id, err := evidence.MitigationOf(ctx, tx, a.Task.Key)
	if err != nil {
		return err
	}
	verdict := evidence.Accepted
	if a.Decision.Action == "reject" {
		verdict = evidence.Rejected
	}
	_, err = evidence.Review(ctx, tx, id, a.Task.Key, verdict, a.Decision.Comment, s.Now())
	return err
}

package decisionkind

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// accountFacts are what one needs to know of an account to decide about it.
type accountFacts struct {
	ID          string     `db:"id" json:"id"`
	ConnectorID string     `db:"connector_id" json:"-"`
	Connector   string     `db:"connector" json:"-"`
	Name        string     `db:"name" json:"name"`
	ExternalID  string     `db:"external_id" json:"external_id"`
	Native      *string    `db:"native_identity" json:"native_identity"`
	Email       *string    `db:"email" json:"email"`
	DisplayName *string    `db:"display_name" json:"display_name"`
	Number      *string    `db:"employee_number" json:"employee_number"`
	Type        string     `db:"account_type" json:"account_type"`
	Status      string     `db:"status" json:"status"`
	Managed     string     `db:"managed" json:"managed"`
	Privileged  bool       `db:"privileged" json:"privileged"`
	LastLogin   *time.Time `db:"last_login_at" json:"last_login_at"`
	FirstSeen   time.Time  `db:"first_seen_at" json:"first_seen_at"`
	// Grants is how many grants the account has.
	Grants    int                 `db:"grants" json:"grants"`
	Owner     *identity.Reference `db:"owner" json:"-"`
	OwnerLeft *time.Time          `db:"owner_left" json:"-"`
	// Previous is the last owner, and Unowned since when there is none.
	Previous    *identity.Reference  `db:"previous" json:"-"`
	Unowned     time.Time            `db:"unowned_since" json:"-"`
	Reason      *string              `db:"reason" json:"-"` // of an orphan
	Correlation map[string]any       `db:"correlation" json:"-"`
	People      []identity.Reference `db:"people" json:"-"` // candidates, with their names
}

const accountFactsSQL = `
	select a.id, a.connector_id, c.name as connector, ` + account.Display + ` as name, a.external_id, a.native_identity,
	       a.email, a.display_name, a.employee_number, a.account_type, a.status, a.managed,
	       coalesce(a.privileged, false) or a.account_type in ('privileged', 'break_glass') as privileged,
	       a.last_login_at, a.first_seen_at, (select count(*) from access_grant g where g.account_id = a.id
	       and g.status in ('active', 'ending')) as grants,
	       case when o.id is not null then jsonb_build_object('id', o.id, 'display', o.display_name) end as owner,
	       o.status_changed_at as owner_left, case
	           when was.id is not null then jsonb_build_object('id', was.id, 'display',
	           was.display_name) end as previous, coalesce(a.unowned_since, a.first_seen_at) as unowned_since, ` +
	account.OrphanReason + ` as reason, a.correlation,
	       (select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'display', i.display_name)), '[]')
	          from jsonb_array_elements(coalesce(a.correlation -> 'candidates', '[]')) x
	          join identity i on i.id = (x ->> 'identity_id')::uuid) as people
	  from account a
	  join connector c on c.id = a.connector_id
	  left join identity o on o.tenant_id = a.tenant_id and o.id = a.identity_id
	  left join identity was on was.tenant_id = a.tenant_id and was.id = (a.correlation ->> 'previous_owner')::uuid
	 where a.id = any(@ids::text[]::uuid[])`

func (a accountFacts) ref() decision.Ref {
	return decision.Ref{Type: "account", ID: a.ID, Display: a.Name}
}

// connector refers to the account's system.
func (a accountFacts) connector() decision.Ref {
	return decision.Ref{Type: "connector", ID: a.ConnectorID, Display: a.Connector}
}

// links are the addresses of the account and its grants.
func (a accountFacts) links() map[string]string {
	self := httpapi.Prefix + "/accounts/" + a.ID
	return map[string]string{"account": self, "grants": httpapi.Prefix + "/entitlements/grants?account_id=" + a.ID}
}

// disputes are accounts of which rules cannot tell whose they are.
func (s *Service) disputes() kind.Kind {
	return kind.Kind{
		Name:    kind.AccountCorrelation,
		About:   "disputed accounts",
		Subject: "account",
		Needed: `select a.id from account a where a.correlation_state = 'disputed' and a.status not in ('deleted',
			'disconnected')`,
		Over: `select a.id::text,
		              case when a.status = 'disconnected' then 'its system is not connected any more'
		                   when a.status = 'deleted' then 'the account is not there any more'
		                   when i.id is not null then 'the account has an owner now: ' || i.display_name
		                   when a.correlation_state = 'ignored' then 'somebody accepts the account without an owner'
		                   else 'nobody is proposed any more' end
		         from account a
		         left join identity i on i.id = a.identity_id
		        where a.id = any(@ids::text[]::uuid[])`,
		Within: 7 * kind.Day,
		Ask:    askDisputes,
		Answer: s.answerDispute,
	}
}

// askDisputes makes the decision tasks for disputed accounts.
func askDisputes(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	found, err := kind.ReadFacts[accountFacts](ctx, tx, accountFactsSQL, ids)
	out := make([]decision.New, len(found))
	for i, a := range found {
		out[i] = a.dispute()
	}
	return out, err
}

// dispute asks whose an account is.
func (a accountFacts) dispute() decision.New {
	names := map[string]string{}
	for _, p := range a.People {
		names[p.ID] = p.Display
	}
	candidates := []map[string]any{}
	var said []string
	list, _ := a.Correlation["candidates"].([]any)
	for _, one := range list {
		c, _ := one.(map[string]any)
		id, _ := c["identity_id"].(string)
		name := names[id]
		candidates = append(
			candidates,
			map[string]any{"identity_id": id, "display": name, "score": c["score"], "explanation": c["explanation"],
				"link": httpapi.Prefix + "/identities/" + id},
		)
		score, _ := c["score"].(float64)
		said = append(said, fmt.Sprintf("%s (%.2f%s)", name, score, explained(c["explanation"])))
	}
	why, _ := a.Correlation["reason"].(string)
	q := decision.New{
		Key:     a.ID,
		Subject: a.ref(),
		Source:  a.connector(),
		Title:   fmt.Sprintf("Whose is the account %s of %s?", a.Name, a.Connector),
		Summary: disputed[why] + ": " + strings.Join(said, "; ") + ".",
		Context: map[string]any{
			"account":           a,
			"connector":         a.connector(),
			"reason":            why,
			"candidates":        candidates,
			"match_explanation": a.Correlation["match_explanation"],
			"since":             a.Correlation["decided_at"],
			"links":             a.links(),
		},
		Actions: []decision.Action{
			linking,
			{Key: "none_of_these", Label: "It belongs to none of these", Style: "negative", Requires: []string{}},
			{Key: "ignore", Label: "It is right without an owner", Style: "neutral", Requires: []string{"comment"}},
		},
		Roles:     kind.Admins,
		Priority:  "normal",
		RiskLevel: a.risk(),
		GroupKey:  kind.AccountCorrelation + "/" + a.ConnectorID + "/" + why,
		Links:     []decision.Ref{a.ref(), a.connector()},
	}
	for _, p := range a.People {
		q.Links = append(q.Links, decision.Ref{Type: "identity", ID: p.ID, Display: p.Display})
	}
	return q
}

// linking names the owner of an account.
var linking = decision.Action{
	Key:      "link",
	Label:    "It belongs to this person",
	Style:    "positive",
	Requires: []string{"inputs.identity_id"},
}

// disputed are the reasons for which rules leave an owner to people.
var disputed = map[string]string{
	"ambiguous":        "Several people fit about as well",
	"proposed":         "The score of the best candidate is too low to link the account automatically",
	"privileged_fuzzy": "The account is privileged, and its candidates match only by similarity",
	"":                 "It has to be decided by people",
}

// explained joins the texts of a list: ": a, b". Empty without any.
func explained(list any) string {
	var words []string
	all, _ := list.([]any)
	for _, one := range all {
		if text, is := one.(string); is {
			words = append(words, text)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return ": " + strings.Join(words, ", ")
}

// risk is the risk of the decision task: high for a privileged account, otherwise medium.
func (a accountFacts) risk() string {
	if a.Privileged {
		return "high"
	}
	return "medium"
}

// answerDispute carries a decision about a disputed account out: link it, reject all candidates, or
// ignore it.
func (s *Service) answerDispute(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	var err error
	switch a.Decision.Action {
	case "link":
		return s.link(ctx, tx, a)
	case "none_of_these":
		_, err = account.RejectCandidates(ctx, tx, a.Task.Key, httpapi.IfMatch{}, kind.Reason(a), s.Now())
	default:
		_, err = account.Ignore(ctx, tx, a.Task.Key, httpapi.IfMatch{}, kind.Reason(a), s.Now())
	}
	return err
}

// link names the owner of the account that a task is about.
func (s *Service) link(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	who, err := kind.IdentityID(a.Decision.Inputs, "identity_id")
	if err != nil {
		return err
	}
	if err := s.AdmitLinks.Check(ctx, tx, a.Task.Key, who); err != nil {
		return err
	}
	_, err = account.Link(ctx, tx, a.Task.Key, httpapi.IfMatch{}, who, kind.Reason(a), s.Now())
	return kind.PointIntoInputs(err)
}

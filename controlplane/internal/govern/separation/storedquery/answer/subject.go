package answer

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/storedquery"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Target is a violation that a query is asked about.
type Target struct {
	IdentityID string
	PolicyID   string
	Sides      string // of a policy of the kind matrix; empty: all violations of the policy by the person
}

// key is what the subjects of a target are stored under: violations are the same for all targets of a policy.
func (t Target) key(about string) string {
	if about == storedquery.Violations {
		return t.PolicyID
	}
	return t.IdentityID + "/" + t.PolicyID + "/" + t.Sides
}

// subject is an object that a query looks at.
type subject struct {
	Key        string
	ID         string
	Display    string
	IdentityID string // person whose fields the condition can name
	Person     string
	Connectors []string // systems that the object comes from
	Sides      string   // of violations
	Members    map[string]any
}

// subjectSQL are the statements that read the subjects of targets t (key, identity, policy, sides).
var subjectSQL = map[string]string{
	storedquery.Person: `
		select t.key, i.id::text, coalesce(i.display_name, ''), i.id::text, coalesce(i.display_name, ''),
		       array_remove(array[i.source_connector_id::text], null), '', '{}'::jsonb
		  from target t
		  join identity i on i.id = t.identity
		 order by i.id`,
	storedquery.Manager: `
		select t.key, m.id::text, coalesce(m.display_name, ''), m.id::text, coalesce(m.display_name, ''),
		       array_remove(array[i.source_connector_id::text, m.source_connector_id::text], null), '', '{}'::jsonb
		  from target t
		  join identity i on i.id = t.identity
		  join identity m on m.id = i.manager_id
		 order by m.id`,
	storedquery.Accounts: `
		select t.key, a.id::text, coalesce(a.display_name, a.username, a.external_id), a.identity_id::text,
		       coalesce(i.display_name, ''), array[a.connector_id::text], '',
		       jsonb_build_object('connector_id', a.connector_id, 'username', a.username, 'account_type',
		           a.account_type, 'status', a.status, 'is_disabled', a.is_disabled, 'is_locked', a.is_locked,
		           'mfa_enrolled', a.mfa_enrolled, 'privileged', a.privileged, 'last_login_at', a.last_login_at,
		           'password_last_set_at', a.password_last_set_at)
		  from target t
		  join account a on a.identity_id = t.identity
		                and a.connector_id = any(@connectors::text[]::uuid[])
		                and a.status not in ('deleted', 'disconnected')
		  join identity i on i.id = a.identity_id
		 order by a.id`,
	storedquery.Grants: `
		select t.key, g.id::text, coalesce(nullif(e.display_name, ''), e.name), a.identity_id::text,
		       coalesce(i.display_name, ''), array[g.connector_id::text], '',
		       jsonb_build_object('connector_id', g.connector_id, 'entitlement_id', g.entitlement_id, 'entitlement',
		           e.name, 'status', g.status, 'directness', g.directness, 'privileged', e.privileged, 'risk_level',
		           e.risk_level, 'permanent', g.ends_at is null, 'ends_at', g.ends_at, 'granted_at', g.granted_at,
		           'last_used_at', g.last_used_at)
		  from target t
		  join account a on a.identity_id = t.identity
		  join access_grant g on g.account_id = a.id and holds_access(g.status)
		  join entitlement e on e.id = g.entitlement_id
		  join identity i on i.id = a.identity_id
		 where g.entitlement_id in (select unnest(v.entitlement_ids)
		                              from violation v
		                             where v.identity_id = t.identity
		                               and v.policy_id = t.policy
		                               and t.sides in ('', v.sides)
		                               and v.state <> 'remediated')
		 order by g.id`,
	storedquery.Violations: `
		select t.key, v.id::text, coalesce(i.display_name, ''), v.identity_id::text, coalesce(i.display_name, ''),
		       array_remove(array[i.source_connector_id::text], null), v.sides,
		       jsonb_build_object('state', v.state, 'severity', v.severity, 'grade', v.grade, 'first_seen_at',
		           v.first_seen_at)
		  from (select distinct on (key) * from target) t
		  join violation v on v.policy_id = t.policy and v.state <> 'remediated'
		  join identity i on i.id = v.identity_id
		 order by v.id`,
}

// mostSubjects is how many objects are read for one answer, all targets together. A query over more is unanswered,
// because counting them takes longer than a transaction may.
const mostSubjects = 20_000

// readSubjects reads what a query looks at, by the key of the target. more reports that there is more than can be read.
func readSubjects(ctx context.Context, tx *pg.Tx, q storedquery.Query, targets []Target) (
	found map[string][]*subject,
	more bool,
	err error,
) {
	args := pgx.NamedArgs{"keys": []string{}, "identities": []string{}, "policies": []string{}, "sides": []string{},
		"most": mostSubjects + 1, "connectors": q.ConnectorIDs}
	put := func(name, value string) { args[name] = append(args[name].([]string), value) }
	for _, t := range targets {
		put("keys", t.key(q.About))
		put("identities", t.IdentityID)
		put("policies", t.PolicyID)
		put("sides", t.Sides)
	}
	sql := `
		with target as (
		    select distinct t.key, t.identity, t.policy, t.sides
		      from unnest(@keys::text[], @identities::text[]::uuid[], @policies::text[]::uuid[], @sides::text[])
		           t (key, identity, policy, sides)
		)` + subjectSQL[q.About] + ` limit @most`
	found = map[string][]*subject{}
	var s subject
	var members []byte
	n := 0
	err = pg.Each(ctx, tx, "read what a stored query looks at", []any{&s.Key, &s.ID, &s.Display, &s.IdentityID,
		&s.Person, &s.Connectors, &s.Sides, &members}, func() error {
		one := s
		if err := json.Unmarshal(members, &one.Members); err != nil {
			return fmt.Errorf("members of %s: %w", one.ID, err)
		}
		found[one.Key] = append(found[one.Key], &one)
		n++
		return nil
	}, sql, args)
	return found, n > mostSubjects, err
}

// mayBeNull are members that are known to be empty when they are null. Another member that is null was not reported by
// its source.
var mayBeNull = map[string]bool{"username": true, "ends_at": true}

// reported are the members that a source leaves empty for objects that were never used. They are known to be empty if
// the source reports them for any other object.
var reported = map[string]string{
	"account.last_login_at": `select c.id from unnest(@ids::text[]) c (id) where exists (
		select from account a where a.connector_id = c.id::uuid and a.last_login_at is not null
		       and a.status <> 'deleted')`,
	"account.password_last_set_at": `select c.id from unnest(@ids::text[]) c (id) where exists (
		select from account a where a.connector_id = c.id::uuid and a.password_last_set_at is not null
		       and a.status <> 'deleted')`,
	"grant.last_used_at": `select c.id from unnest(@ids::text[]) c (id) where exists (
		select from access_grant g where g.connector_id = c.id::uuid and g.last_used_at is not null
		       and holds_access(g.status))`,
}

package history

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// names are the display names of records, by kind and id: of people, only those whom the viewer may see.
type names map[string]map[string]string

func (n names) of(kind string, id *string) string {
	if id == nil {
		return ""
	}
	return n[kind][*id]
}

// links are where records can be read.
var links = map[string]string{
	"identity":          "/identities/",
	"account":           "/accounts/",
	"entitlement":       "/entitlements/",
	"grant":             "/entitlements/grants/",
	"role":              "/entitlements/roles/",
	"connector":         "/connectors/",
	"access_request":    "/access-requests/",
	"provisioning_task": "/accounts/provisioning-tasks/",
	"audit_event":       "/audit-events/",
}

func (n names) ref(kind string, id *string) []HistoryRef {
	if id == nil || *id == "" {
		return nil
	}
	r := HistoryRef{Type: kind, ID: *id, Display: n.of(kind, id)}
	if path, known := links[kind]; known {
		r.Link = httpapi.Prefix + path + *id
	}
	return []HistoryRef{r}
}

// namesOf finds what the records are called that events speak of, in one statement.
func namesOf(ctx context.Context, tx *pg.Tx, rows []row) (names, error) {
	ids := map[string][]string{"identity": {}, "account": {}, "entitlement": {}, "role": {}, "connector": {}}
	add := func(kind string, id *string) {
		if id != nil && listing.IsID(*id) {
			ids[kind] = append(ids[kind], *id)
		}
	}
	for _, r := range rows {
		add("identity", r.Data.IdentityID)
		add("account", r.Data.AccountID)
		add("entitlement", r.Data.EntitlementID)
		add("role", r.Data.RoleID)
		add("connector", r.Data.ConnectorID)
		for _, side := range []map[string]any{r.Data.Before, r.Data.After} {
			for _, field := range people {
				if id, is := side[field].(string); is {
					add("identity", &id)
				}
			}
		}
	}
	sql := `
		select 'identity', i.id::text, i.display_name
		    from ` + listing.Readable(tx.Viewer, "identity", "i") + ` where i.id = any(@identity::text[]::uuid[])
		 union all
		select 'account', a.id::text, ` + account.Display + ` from account a where a.id = any(@account::text[]::uuid[])
		 union all
		select 'account', p.account_id::text, coalesce(p.username, p.external_id) from account_past p
		    where p.account_id = any(@account::text[]::uuid[]) and p.ended = 'joined'
		 union all
		select 'entitlement', e.id::text, coalesce(nullif(e.display_name, ''), e.name) from entitlement e
		    where e.id = any(@entitlement::text[]::uuid[])
		 union all
		select 'role', r.id::text, r.name from role r where r.id = any(@role::text[]::uuid[])
		 union all
		select 'connector', c.id::text, c.name from connector c where c.id = any(@connector::text[]::uuid[])`
	args := pgx.NamedArgs{}
	for kind, of := range ids {
		args[kind] = of
	}
	found, err := tx.Query(ctx, sql, args)
	if err != nil {
		return nil, fmt.Errorf("find names: %w", err)
	}
	n := names{}
	var kind, id, called string
	_, err = pgx.ForEachRow(found, []any{&kind, &id, &called}, func() error {
		if n[kind] == nil {
			n[kind] = map[string]string{}
		}
		n[kind][id] = called
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find names: %w", err)
	}
	return n, nil
}

// people are the fields of a record that name another person.
var people = []string{"manager_id", "sponsor_id", "backup_owner_id", "merged_into_id", "previous_identity_id"}

// hideChanges leaves out of changes whom the transaction's viewer may not see.
func hideChanges(ctx context.Context, tx *pg.Tx, changes []HistoryChange) error {
	asked := row{Data: data{Before: map[string]any{}, After: map[string]any{}}}
	for _, c := range changes {
		asked.Data.Before[c.Field], asked.Data.After[c.Field] = c.Before, c.After
	}
	n, err := namesOf(ctx, tx, []row{asked})
	if err != nil {
		return err
	}
	n.hide(changes)
	return nil
}

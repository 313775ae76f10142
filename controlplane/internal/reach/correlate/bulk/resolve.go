package bulk

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// holder is an account as far as linking it needs.
type holder struct {
	Key string // by what it was asked for
	ID  string
	// Status is the account's, State that of its correlation, Owner its present owner.
	Status string
	State  string
	Owner  *string
}

// holderColumns are the columns of holder, but for the key.
const holderColumns = `a.id::text, a.status, a.correlation_state, a.identity_id::text`

// resolvePairs finds out whom each pair means: accounts and people are asked for in sets, one for each way of naming
// them.
func (b BulkLink) resolvePairs(ctx context.Context, tx *pg.Tx) ([]LinkResult, error) {
	if b.ConnectorID != "" {
		if _, err := matching.FindConnector(ctx, tx, b.ConnectorID, ""); err != nil {
			return nil, err
		}
	}
	found, err := b.find(ctx, tx)
	if err != nil {
		return nil, err
	}
	results := make([]LinkResult, len(b.Pairs))
	for i, p := range b.Pairs {
		results[i].Index = i
		found.account(&results[i], p)
		found.owner(&results[i], p)
	}
	return results, nil
}

// found are all accounts and people that pairs may mean, by each way of naming them.
type found struct {
	byID, byExternalID                map[string][]holder
	people, byEmployeeNumber, byEmail map[string][]string
}

// find reads all accounts and people that the pairs name, a query for each way of naming, and locks
// the accounts that are named by ID.
func (b BulkLink) find(ctx context.Context, tx *pg.Tx) (f found, err error) {
	var ids, externals, people, numbers, emails []string
	for _, p := range b.Pairs {
		ids, people = appendID(ids, p.AccountID), appendID(people, p.IdentityID)
		externals, numbers, emails = appendText(
			externals,
			p.ExternalID,
		), appendText(
			numbers,
			p.EmployeeNumber,
		), appendText(
			emails,
			p.Email,
		)
	}
	const byID = `select a.id::text, ` + holderColumns + ` from account a where a.tenant_id = current_tenant()
		and a.id = any($1) for update of a`
	byExternal := `select a.external_id, ` + holderColumns + ` from account a where a.tenant_id = current_tenant()
		and a.external_id = any($1)`
	args := []any{externals}
	if b.ConnectorID != "" {
		byExternal += ` and a.connector_id = $2`
		args = append(args, b.ConnectorID)
	}
	if f.byID, err = holders(ctx, tx, byID, ids); err != nil {
		return f, err
	}
	if f.byExternalID, err = holders(ctx, tx, byExternal+` for update of a`, args...); err != nil {
		return f, err
	}
	if f.people, err = peopleBy(ctx, tx, `i.id = k.key::uuid`, people); err != nil {
		return f, err
	}
	if f.byEmployeeNumber, err = peopleBy(ctx, tx, `i.employee_number = k.key`, numbers); err != nil {
		return f, err
	}
	f.byEmail, err = peopleBy(ctx, tx, `i.email_lc = lower(k.key)`, emails)
	return f, err
}

// appendID adds a text if it is a UUID, in lower case. Others name nothing.
func appendID(list []string, s string) []string {
	if listing.IsID(s) {
		return append(list, strings.ToLower(s))
	}
	return list
}

// appendText adds a text if it is not empty.
func appendText(list []string, s string) []string {
	if s != "" {
		return append(list, s)
	}
	return list
}

// holders runs a query and groups the accounts by what they were asked for.
func holders(ctx context.Context, tx *pg.Tx, sql string, args ...any) (map[string][]holder, error) {
	list, err := pg.AllBy(ctx, tx, "find accounts to link", pgx.RowToStructByPos[holder], sql, args...)
	if err != nil {
		return nil, err
	}
	by := make(map[string][]holder, len(list))
	for _, h := range list {
		by[h.Key] = append(by[h.Key], h)
	}
	return by, nil
}

// peopleBy finds people who can own accounts by keys k.
func peopleBy(ctx context.Context, tx *pg.Tx, on string, keys []string) (map[string][]string, error) {
	sql := `
		select k.key, i.id::text
		  from (select distinct key from unnest($1::text[]) as u (key)) k
		  join identity i
		    on i.tenant_id = current_tenant()
		   and ` + on + `
		   and i.status <> 'archived'`
	by := map[string][]string{}
	var key, who string
	if err := pg.Each(
		ctx,
		tx,
		"find owners",
		[]any{&key, &who},
		func() error { by[key] = append(by[key], who); return nil },
		sql,
		keys,
	); err != nil {
		return nil, err
	}
	return by, nil
}

// account finds the account of a pair, or marks the result as failed: an external ID may be that of
// several connectors.
func (f found) account(r *LinkResult, p LinkPair) {
	var list []holder
	switch {
	case (p.AccountID == "") == (p.ExternalID == ""):
		r.fail("invalid_item", "name the account by either account_id or external_id")
		return
	case p.AccountID != "":
		list = f.byID[strings.ToLower(p.AccountID)]
	default:
		list = f.byExternalID[p.ExternalID]
	}
	switch len(list) {
	case 0:
		r.fail("account_not_found", "there is no such account")
	case 1:
		r.account, r.AccountID = &list[0], list[0].ID
	default:
		r.fail("ambiguous_account", "%d connectors know this external_id; set connector_id", len(list))
	}
}

// owner finds the owner of a pair, by exactly one of the three ways to name one.
func (f found) owner(r *LinkResult, p LinkPair) {
	given := 0
	var list []string
	for _, way := range []struct {
		value string
		by    map[string][]string
	}{{strings.ToLower(p.IdentityID), f.people}, {p.EmployeeNumber, f.byEmployeeNumber}, {p.Email, f.byEmail}} {
		if way.value != "" {
			given++
			list = way.by[way.value]
		}
	}
	if given != 1 {
		r.fail("invalid_item", "name the owner by one of identity_id, employee_number and email")
		return
	}
	r.own(list)
}

// own takes the only person there is.
func (r *LinkResult) own(list []string) {
	switch len(list) {
	case 0:
		r.fail("identity_not_found", "there is no such identity, or it is archived")
	case 1:
		r.IdentityID = list[0]
	default:
		r.fail("ambiguous_identity", "%d people have this value", len(list))
	}
}

// owners finds the owner by the field of the identity, and sources the account's value for it.
var (
	owners = map[string]string{"employee_number": `i.employee_number = k.key`, "email": `i.email_lc = lower(k.key)`,
		"username": `i.username = k.key`, "external_id": `i.external_id = k.key`}
	sources = map[string]string{
		"employee_number": "a.employee_number",
		"email":           "a.email",
		"username":        "a.username",
		"external_id":     "a.identity_external_id",
	}
)

// resolveFilter finds the accounts of the filter and the owner of each by the identity's field.
func (b BulkLink) resolveFilter(ctx context.Context, tx *pg.Tx) ([]LinkResult, error) {
	list, err := b.filtered(ctx, tx)
	if err != nil {
		return nil, err
	}
	if len(list) > maxBulk {
		return nil, fault.Coded(fault.Invalid, "too_many", "the filter matches more than %d accounts; narrow it",
			maxBulk).
			With(fault.Field{Pointer: "#/filter", Code: "too_many", Detail: "narrow it, for example by connector_id"})
	}
	var keys []string
	for _, h := range list {
		keys = appendText(keys, h.Key)
	}
	people, err := peopleBy(ctx, tx, owners[b.IdentityField], keys)
	results := make([]LinkResult, len(list))
	for i := range list {
		r := &results[i]
		r.Index, r.account, r.AccountID = i, &list[i], list[i].ID
		if list[i].Key == "" {
			r.fail("no_value", "the account has no value to find its owner by")
			continue
		}
		r.own(people[list[i].Key])
	}
	return results, err
}

// filtered reads and locks the accounts of the filter, in the order of their IDs, one more than
// allowed: so it shows whether there are too many. By default they are those without an owner.
func (b BulkLink) filtered(ctx context.Context, tx *pg.Tx) ([]holder, error) {
	f := *b.Filter
	if len(f.Correlation) == 0 {
		f.Correlation = []string{matching.Uncorrelated, matching.Disputed}
	}
	var args matching.Args
	sql := `
		select coalesce(` + sources[b.IdentityField] + `, ''), ` + holderColumns + `
		  from account a
		 where a.tenant_id = current_tenant()
		   and a.status not in ('deleted', 'disconnected')
		   and a.correlation_state = any(` + args.Add(f.Correlation) + `)`
	if f.ConnectorID != "" {
		sql += ` and a.connector_id = ` + args.Add(f.ConnectorID)
	}
	if len(f.AccountType) > 0 {
		sql += ` and a.account_type = any(` + args.Add(f.AccountType) + `)`
	}
	sql += ` order by a.id limit ` + strconv.Itoa(maxBulk+1) + ` for update of a`
	return pg.AllBy(ctx, tx, "find accounts to link", pgx.RowToStructByPos[holder], sql, args...)
}

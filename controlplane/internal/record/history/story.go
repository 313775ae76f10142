package history

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/asof"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// story is the subject of a timeline, and which of its events the viewer may see.
type story struct {
	about   string // the tables that sources speak of
	sources map[string][]string
	args    pgx.NamedArgs
	where   []string
	bare    bool // personal data was deleted: the audit log's entries about it are left out
}

// wholly is the condition that the viewer sees all that concerns a person: they are the viewer, or a report, or the
// viewer sees all.
const wholly = `((select sees_all()) or %[1]s = (select viewer_identity()) or exists (select from managed_identity() m
	where m.id = %[1]s))`

// ownersOf are the times at which accounts had owners. %[1]s narrows the accounts, %[2]s the past.
const ownersOf = `
	select a.id as account_id, a.identity_id, a.owner_since as since,
	    'infinity'::timestamptz as until from account a where a.identity_id is not null and %[1]s
	 union all
	select p.account_id, p.identity_id, p.since, p.until from account_owner_past p where %[2]s`

// personStory is about a person and their accounts. Viewers who see them only as owners of something see accounts that
// they see today.
func personStory(ctx context.Context, tx *pg.Tx, id string) (story, error) {
	who, err := identity.Find(ctx, tx, id)
	if err != nil {
		return story{}, err
	}
	s := story{args: pgx.NamedArgs{"person": who.ID, "entitlement": nil}, sources: map[string][]string{
		"record": {
			aboutRecord,
		},
		"state":   {aboutRecord},
		"account": {aboutOwners, aboutAccounts},
		"grant":   {aboutGrants},
		"reason":  {aboutReasons},
		"role": {
			aboutRoles,
		},
		"request":      {aboutRequests},
		"provisioning": {fmt.Sprintf(aboutTasks, tasksOfPerson)},
		"audit":        {aboutEntries},
	}}
	const seen = `select ` + wholly + `, i.minimised_at is not null from identity i where i.id = @person`
	var whole bool
	if err := tx.QueryRow(ctx, fmt.Sprintf(seen, "i.id"), s.args).Scan(&whole, &s.bare); err != nil {
		return s, fmt.Errorf("look at a person's story: %w", err)
	}
	s.args["whole"] = whole
	s.about = `person as materialized (select @person::uuid as id, @whole::boolean as whole),
	holder as materialized (select @person::uuid as id, @whole::boolean as whole),
	owned as materialized (` + fmt.Sprintf(ownersOf, "a.identity_id = @person", "p.identity_id = @person") + `),
	spell as materialized (
	    select o.account_id, o.since, o.until, @whole::boolean as whole
	      from owned o
	     where @whole or o.account_id in (select r.id from ` + listing.Readable(tx.Viewer, "account", "r") + `))`
	if !whole {
		s.about = strings.Replace(s.about, "owned as materialized (", "mine as materialized (", 1)
		s.about = strings.Replace(s.about, "from owned o", "from mine o", 1) +
			`, owned as materialized (select m.* from mine m where m.account_id in (select s.account_id from spell s))`
	}
	return s, nil
}

// accountStory is about an account. The time of an earlier owner is shown to viewers who may see that person.
func accountStory(ctx context.Context, tx *pg.Tx, id string) (story, error) {
	account, err := account.Find(ctx, tx, id)
	if err != nil {
		return story{}, err
	}
	s := story{args: pgx.NamedArgs{"account": account.ID, "entitlement": nil}, sources: map[string][]string{
		"account": {
			aboutOwners,
			aboutAccounts,
		},
		"grant":        {aboutGrants},
		"provisioning": {fmt.Sprintf(aboutTasks, tasksOfAccount)},
		"audit":        {aboutEntries},
	}}
	s.aboutAccount(tx)
	return s, nil
}

// grantStory is about what an account holds, or held, of one entitlement, by whatever rows.
func grantStory(ctx context.Context, tx *pg.Tx, id string) (story, error) {
	missing := fault.New(fault.NotFound, "Grant %s was not found.", id)
	if !listing.IsID(id) {
		return story{}, missing
	}
	sql := `
		select g.account_id::text, g.entitlement_id::text
		  from ` + listing.Readable(tx.Viewer, "access_grant", "g") + `
		 where g.id = @id
		 union all
		(select p.account_id::text, p.entitlement_id::text
		  from access_grant_past p
		  left join account a on a.id = p.account_id
		 where p.grant_id = @id
		   and not exists (select from access_grant g where g.id = p.grant_id)
		   and ` + fmt.Sprintf(wholly, "a.identity_id") + `
		 limit 1)`
	var account, entitlement string
	switch err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"id": id}).Scan(&account, &entitlement); {
	case errors.Is(err, pgx.ErrNoRows):
		return story{}, missing
	case err != nil:
		return story{}, fmt.Errorf("find a grant's story: %w", err)
	}
	s := story{args: pgx.NamedArgs{"account": account, "entitlement": entitlement}, sources: map[string][]string{
		"account": {aboutOwners}, "grant": {aboutGrants}, "reason": {aboutReasons}, "request": {aboutRequests},
		"provisioning": {fmt.Sprintf(aboutTasks, tasksOfAccount)}, "audit": {aboutEntries},
	}}
	s.aboutAccount(tx)
	return s, nil
}

// aboutAccount selects the times of @account: all for viewers who see everything; for others, the times of those owners
// whom they see.
func (s *story) aboutAccount(tx *pg.Tx) {
	s.args["whole"] = tx.Viewer.SeesAll()
	owners := fmt.Sprintf(ownersOf, "a.id = @account", "p.account_id = @account")
	spells := `select @account::uuid as account_id, '-infinity'::timestamptz as since, 'infinity'::timestamptz as until,
		true as whole where (select sees_all())`
	if !tx.Viewer.SeesAll() {
		owners = `select o.* from (` + owners + `) o where o.identity_id in (select r.id from ` + listing.Readable(
			tx.Viewer,
			"identity",
			"r",
		) + `)`
		spells = `select o.account_id, o.since, o.until, ` + fmt.Sprintf(
			wholly,
			"o.identity_id",
		) + ` as whole from owned o`
	}
	s.about = `person as materialized (select null::uuid as id, false as whole where false),
	owned as materialized (` + owners + `),
	spell as materialized (` + spells + `),
	holder as materialized (select distinct o.identity_id as id, ` + fmt.Sprintf(wholly, "o.identity_id") +
		` as whole from owned o)`
}

// narrow applies the filters.
func (s *story) narrow(ctx context.Context, tx *pg.Tx, f Filters, now time.Time) error {
	if f.From != "" {
		from, err := begin(ctx, tx, f.From, now)
		if err != nil {
			return err
		}
		s.where, s.args["from"] = append(s.where, "e.at >= @from"), from
	}
	if f.To != "" {
		to, err := asof.ParseInstant(ctx, tx, "to", f.To, now)
		if err != nil {
			return err
		}
		s.where, s.args["to"] = append(s.where, "e.at <= @to"), to
	}
	if len(f.Kind) > 0 {
		s.where, s.args["kinds"] = append(s.where, "e.kind = any(@kinds)"), f.Kind
		asked := map[string][]string{}
		for _, k := range f.Kind {
			if of, known := s.sources[k]; known {
				asked[k] = of
			}
		}
		s.sources = asked
	}
	return nil
}

// begin reads from: of a day, its beginning in the tenant's time zone.
func begin(ctx context.Context, tx *pg.Tx, text string, now time.Time) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return asof.ParseInstant(ctx, tx, "from", text, now)
	}
	l, err := rules.Find(ctx, tx)
	if err != nil {
		return day, err
	}
	return asof.DayEnd(day.AddDate(0, 0, -1), l.Zone()), nil
}

// sql are the events of the story that are asked for. Sources that two kinds share are there once.
func (s *story) sql() string {
	var all []string
	there := map[string]bool{}
	for _, kind := range []string{"record", "state", "account", "grant", "reason", "role", "request", "provisioning",
		"audit"} {
		for _, source := range s.sources[kind] {
			if !there[source] {
				there[source] = true
				all = append(all, source)
			}
		}
	}
	if len(all) == 0 {
		all = append(all, aboutNothing)
	}
	return `with ` + s.about + `, span as (` + spans + `), reason as (` + reasons + `),
	event (at, id, kind, event, data) as (` + strings.Join(all, "\n union all ") + `)`
}

// aboutNothing is the source of a story that has none of the kinds that are asked for.
const aboutNothing = `select now(), null::uuid, ''::text, ''::text, '{}'::jsonb where false`

// read gives a page of the story, with one event more, and how many events there are.
func (s *story) read(ctx context.Context, tx *pg.Tx, page pg.Page) (events []HistoryEvent, total int64, err error) {
	where := "true"
	if len(s.where) > 0 {
		where = strings.Join(s.where, " and ")
	}
	if err := tx.QueryRow(ctx, s.sql()+` select count(*) from event e where `+where, s.args).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count a story: %w", err)
	}
	s.args["limit"], s.args["offset"] = page.Limit+1, page.Offset
	if len(page.After) == 2 {
		where += " and (e.at, e.id) < (@after_at::timestamptz, @after_id::uuid)"
		s.args["after_at"], s.args["after_id"] = page.After[0], page.After[1]
	}
	found, err := pg.All[row](
		ctx,
		tx,
		"read a story",
		s.sql()+` select e.at, e.id::text, e.kind, e.event, e.data from event e where `+where+`
		order by e.at desc, e.id desc limit @limit offset @offset`,
		s.args,
	)
	if err != nil {
		return nil, 0, err
	}
	events, err = tell(ctx, tx, found, s.bare)
	return events, total, err
}

// whysOf are the reasons of events, in the words of package access.
func whysOf(ctx context.Context, tx *pg.Tx, rows []row) (map[string]grant.GrantReason, error) {
	var ids []string
	for _, r := range rows {
		if r.Data.ReasonID != nil {
			ids = append(ids, *r.Data.ReasonID)
		}
	}
	return grant.ReasonsByID(ctx, tx, ids)
}

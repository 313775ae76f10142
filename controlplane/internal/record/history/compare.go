package history

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/asof"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// HistoryComparison is what two people hold, or one person at two times, side by side.
type HistoryComparison struct {
	// Kind of comparison: people for two people at one time, time for one person at two times.
	Mode string `json:"mode" enum:"people,time"`
	// It in plain words.
	Summary string `json:"summary"`
	// The person; of two times, the earlier.
	First HistorySide `json:"first"`
	// The other person; of two times, the later.
	Second HistorySide `json:"second"`
	// Entitlements held on both sides or on one side only.
	Entitlements HistoryEntitlements `json:"entitlements"`
	// Roles held on both sides or on one side only.
	Roles HistoryComparedRoles `json:"roles"`
	// Where the two records differ: before is the first's, after the second's.
	Record []HistoryChange `json:"record" nullable:"false"`
	// Since when the past is kept. What had ended before is not known.
	HistorySince time.Time `json:"history_since"`
}

// HistorySide is a person at a time.
type HistorySide struct {
	// The person on this side of the comparison.
	Identity identity.Reference `json:"identity"`
	// Time for which this side is shown.
	At time.Time `json:"at"`
	// Whether the person was known here then.
	Known bool `json:"known"`
}

// HistoryEntitlements are entitlements by who holds them. Between two times first_only is what was lost, and
// second_only what was gained.
type HistoryEntitlements struct {
	// Entitlements that both sides hold, as the second side holds them.
	Both []HistoryHolding `json:"both" nullable:"false"`
	// Entitlements that only the first side holds.
	FirstOnly []HistoryHolding `json:"first_only" nullable:"false"`
	// Entitlements that only the second side holds.
	SecondOnly []HistoryHolding `json:"second_only" nullable:"false"`
}

// HistoryHolding is an entitlement that a person held.
type HistoryHolding struct {
	// The entitlement that is held.
	Entitlement identity.Reference `json:"entitlement" db:"entitlement"`
	// ID of the connector of the target system.
	ConnectorID string `json:"connector_id" db:"connector_id"`
	// How the entitlement is held. It is direct if at least one account holds it directly.
	Directness string `json:"directness" db:"directness" enum:"direct,inherited"`
	// Since when it was held in this way.
	Since time.Time `json:"since" db:"since"`
	// IDs of the grants of the entitlement to accounts of the person.
	GrantIDs []string `json:"grant_ids" db:"grant_ids" nullable:"false"`
}

// HistoryComparedRoles are roles by who has them.
type HistoryComparedRoles struct {
	// Roles that both sides have.
	Both []identity.Reference `json:"both" nullable:"false"`
	// Roles that only the first side has.
	FirstOnly []identity.Reference `json:"first_only" nullable:"false"`
	// Roles that only the second side has.
	SecondOnly []identity.Reference `json:"second_only" nullable:"false"`
}

type compareIn struct {
	ID string `path:"id"`
	// Another person.
	With string `query:"with" format:"uuid"`
	// The earlier time: an instant, or the end of a day.
	From string `query:"from" maxLength:"40" example:"2026-05-01"`
	// The later time, or the time at which two people are compared. The default is now.
	To string `query:"to" maxLength:"40" example:"2026-05-31"`
}

type compareOut struct{ Body HistoryComparison }

func (in *compareIn) check() error {
	wrong := func(parameter, why string) error {
		return fault.Coded(fault.Malformed, "invalid_parameter", "%s", why).
			With(fault.Field{Parameter: parameter, Code: "invalid", Detail: why})
	}
	switch {
	case in.With == "" && in.From == "":
		return wrong("with", "name the other person in with, or the start in from")
	case in.With != "" && in.From != "":
		return wrong(
			"from",
			"compare with another person by with, or with an earlier time by from, not both at once; to says when "+
				"two people are compared",
		)
	}
	return nil
}

func (s *Service) compare(ctx context.Context, v viewer.Viewer, in *compareIn) (*compareOut, error) {
	var c HistoryComparison
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		first, second, err := s.sides(ctx, tx, in)
		if err != nil {
			return err
		}
		c, err = compared(ctx, tx, first, second)
		return err
	})
	return &compareOut{c}, err
}

// sides are the two that are compared.
func (s *Service) sides(ctx context.Context, tx *pg.Tx, in *compareIn) (first, second HistorySide, err error) {
	person, err := identity.Find(ctx, tx, in.ID)
	if err != nil {
		return first, second, err
	}
	if err := in.check(); err != nil {
		return first, second, err
	}
	first.Identity = identity.Reference{ID: person.ID, Display: person.DisplayName}
	second.Identity = first.Identity
	if second.At, err = s.instant(ctx, tx, "to", in.To); err != nil {
		return first, second, err
	}
	if in.With == "" {
		if first.At, err = s.instant(ctx, tx, "from", in.From); err == nil && first.At.After(second.At) {
			err = fault.Coded(fault.Malformed, "invalid_parameter", "from is later than to").
				With(fault.Field{Parameter: "from", Code: "invalid", Detail: "give the earlier time as from"})
		}
		return first, second, err
	}
	other, err := identity.Find(ctx, tx, in.With)
	first.At, second.Identity = second.At, identity.Reference{ID: other.ID, Display: other.DisplayName}
	return first, second, err
}

// instant reads a parameter; without it, it is now by the database's clock, which dates what is kept.
func (s *Service) instant(ctx context.Context, tx *pg.Tx, name, text string) (at time.Time, err error) {
	if text != "" {
		return asof.ParseInstant(ctx, tx, name, text, s.Now())
	}
	if err := tx.QueryRow(ctx, `select clock_timestamp()`).Scan(&at); err != nil {
		return at, fmt.Errorf("ask for the time: %w", err)
	}
	return at, nil
}

func compared(ctx context.Context, tx *pg.Tx, first, second HistorySide) (c HistoryComparison, err error) {
	c = HistoryComparison{Mode: "people", First: first, Second: second}
	if first.Identity.ID == second.Identity.ID && !first.At.Equal(second.At) {
		c.Mode = "time"
	}
	if c.HistorySince, err = asof.HistoryStart(ctx, tx); err != nil {
		return c, err
	}
	a, err := sideOf(ctx, tx, &c.First)
	if err != nil {
		return c, err
	}
	b, err := sideOf(ctx, tx, &c.Second)
	if err != nil {
		return c, err
	}
	c.Entitlements.Both, c.Entitlements.FirstOnly, c.Entitlements.SecondOnly = split(
		a.holds,
		b.holds,
		func(h HistoryHolding) string { return h.Entitlement.ID },
	)
	c.Roles.Both, c.Roles.FirstOnly, c.Roles.SecondOnly = split(
		a.roles,
		b.roles,
		func(r identity.Reference) string { return r.ID },
	)
	c.Record = []HistoryChange{}
	if c.First.Known && c.Second.Known {
		c.Record = differences(c.fields(), a.record, b.record)
		if err := hideChanges(ctx, tx, c.Record); err != nil {
			return c, err
		}
	}
	c.Summary = c.inWords()
	return c, nil
}

// fields are those in which records are compared: of two people, those that tell what they do rather than who they are.
func (c *HistoryComparison) fields() []string {
	if c.Mode == "time" {
		return recordFields
	}
	return []string{
		"status",
		"department",
		"manager_id",
		"title",
		"job_code",
		"job_family",
		"employment_type",
		"kind",
		"division",
		"organization",
		"cost_center",
		"location",
		"country",
	}
}

func (c *HistoryComparison) inWords() string {
	both, first, second := len(c.Entitlements.Both), len(c.Entitlements.FirstOnly), len(c.Entitlements.SecondOnly)
	if c.Mode == "time" {
		return fmt.Sprintf(
			"Between %s and %s %s gained %d, lost %d and kept %d entitlements, and gained %d and lost %d roles.",
			c.First.At.UTC().
				Format(time.RFC3339),
			c.Second.At.UTC().Format(time.RFC3339),
			c.First.Identity.Display,
			second,
			first,
			both,
			len(c.Roles.SecondOnly),
			len(c.Roles.FirstOnly),
		)
	}
	return fmt.Sprintf(
		"%s and %s hold %d entitlements both; %d are %s's alone, and %d %s's.",
		c.First.Identity.Display,
		c.Second.Identity.Display,
		both,
		first,
		c.First.Identity.Display,
		second,
		c.Second.Identity.Display,
	)
}

// split sorts what two sides have by who has it. Of what both have, the second's is shown.
func split[T any](a, b []T, key func(T) string) (both, first, second []T) {
	both, first, second = []T{}, []T{}, []T{}
	there := map[string]bool{}
	for _, x := range a {
		there[key(x)] = true
	}
	common := map[string]bool{}
	for _, x := range b {
		if there[key(x)] {
			both, common[key(x)] = append(both, x), true
		} else {
			second = append(second, x)
		}
	}
	for _, x := range a {
		if !common[key(x)] {
			first = append(first, x)
		}
	}
	return both, first, second
}

// side is the state and the access of a person.
type side struct {
	record map[string]any
	holds  []HistoryHolding
	roles  []identity.Reference
}

func sideOf(ctx context.Context, tx *pg.Tx, s *HistorySide) (out side, err error) {
	args := pgx.NamedArgs{"id": s.Identity.ID, "as_of": s.At}
	const record = `select coalesce((select to_jsonb(i) from identity_at(@as_of) i where i.id = @id), 'null')`
	if err := tx.QueryRow(ctx, record, args).Scan(&out.record); err != nil {
		return out, fmt.Errorf("compare records: %w", err)
	}
	s.Known = out.record != nil
	holds := `
		select jsonb_build_object('id', e.id, 'display', coalesce(nullif(e.display_name, ''), e.name)) as entitlement,
		       min(g.connector_id::text) as connector_id, min(g.directness) as directness, min(g.since) as since,
		           array_agg(g.id::text order by g.id) as grant_ids
		  from ` + asof.Grants(tx.Viewer) + `
		  join entitlement e on e.id = g.entitlement_id
		 where g.identity_id = @id
		 group by e.tenant_id, e.id
		 order by coalesce(nullif(e.display_name, ''), e.name), e.id`
	if out.holds, err = pg.All[HistoryHolding](ctx, tx, "compare entitlements", holds, args); err != nil {
		return out, err
	}
	const roles = `
		select r.id::text, r.name
		  from role r
		 where r.id in (select a.role_id from role_assignment a
		                 where a.identity_id = @id and a.state <> 'scheduled' and a.starts_at <= @as_of
		                     and (a.ended_at is null or a.ended_at > @as_of)
		                 union
		                select x.role_id from reason_at(@as_of) x
		                 where x.identity_id = @id and x.role_id is not null and x.effect = 'allow'
		                     and x.state = 'active')
		 order by r.name, r.id`
	out.roles, err = pg.AllBy(ctx, tx, "compare roles", pgx.RowToStructByPos[identity.Reference], roles, args)
	return out, err
}

package trail

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

// Period narrows what is looked at by time.
type Period struct {
	From time.Time `query:"from" doc:"At or after this instant."`
	To   time.Time `query:"to" doc:"Before this instant."`
}

// Filters narrow a list; each one given must hold.
type Filters struct {
	Period
	Action      []string `query:"action" maxItems:"50" doc:"Several by comma; one that ends in .* stands for its whole domain."`
	Category    string   `query:"category" doc:"One of the catalogue's."`
	Outcome     string   `query:"outcome" enum:"success,failure,denied"`
	ActorID     string   `query:"actor_id"`
	ActorType   string   `query:"actor_type" enum:"user,service,agent,system"`
	SubjectType string   `query:"subject_type"`
	SubjectID   string   `query:"subject_id"`
	RequestID   string   `query:"request_id"`
	Q           string   `query:"q" maxLength:"200" doc:"Part of the event's text, without regard to case. On a long log give a period as well."`
}

// narrows reports whether there is a filter beside the period.
func (f Filters) narrows() bool {
	return len(f.Action) > 0 || f.Category+f.Outcome+f.ActorID+f.ActorType+f.SubjectType+f.SubjectID+f.RequestID+f.Q != ""
}

// where is the condition with its arguments. The tenant is named although row security would do: with it the indexes are used from
// their first column on.
func (f Filters) where() (string, pgx.NamedArgs) {
	conditions := []string{"tenant_id = (select current_tenant())"}
	args := pgx.NamedArgs{}
	add := func(condition, name string, value any) {
		conditions, args[name] = append(conditions, condition), value
	}
	if !f.From.IsZero() {
		add("at >= @from", "from", f.From)
	}
	if !f.To.IsZero() {
		add("at < @to", "to", f.To)
	}
	for column, value := range map[string]string{
		"category": f.Category, "outcome": f.Outcome, "actor_id": f.ActorID, "actor_type": f.ActorType,
		"subject_type": f.SubjectType, "subject_id": f.SubjectID, "request_id": f.RequestID,
	} {
		if value != "" {
			add(column+" = @"+column, column, value)
		}
	}
	if len(f.Action) > 0 {
		f.actions(add)
	}
	if f.Q != "" {
		add("position(lower(@q) in lower(event)) > 0", "q", quoted(f.Q))
	}
	return strings.Join(conditions, " and "), args
}

// actions are exact names, or domains.
func (f Filters) actions(add func(condition, name string, value any)) {
	var names, domains []string
	for _, a := range f.Action {
		if domain, all := strings.CutSuffix(a, ".*"); all {
			domains = append(domains, domain)
		} else {
			names = append(names, a)
		}
	}
	add("(action = any(@actions::text[]) or split_part(action, '.', 1) = any(@domains::text[]))", "actions", names)
	add("true", "domains", domains)
}

// quoted is a text as it stands in the event, where some characters are escaped.
func quoted(q string) string {
	b, err := chain.CanonicalValue(q)
	if err != nil || len(b) < 2 {
		return q
	}
	return string(b[1 : len(b)-1])
}

const linkColumns = "seq, event, prev_hash, hash"

func scanLink(row pgx.CollectableRow) (l chain.Link, err error) {
	var event string
	err = row.Scan(&l.Seq, &event, &l.Prev, &l.Hash)
	l.Event = []byte(event)
	return l, err
}

// list reads a page, the newest first, and one row more.
func list(ctx context.Context, tx *pg.Tx, f Filters, page pg.Page) ([]chain.Link, error) {
	where, args := f.where()
	if len(page.After) > 0 {
		seq, err := strconv.ParseInt(page.After[0], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read cursor: %w", err)
		}
		where, args["after"] = where+" and seq < @after", seq
	}
	args["limit"], args["offset"] = page.Limit+1, page.Offset
	sql := `
		select ` + linkColumns + `
		  from audit_event
		 where ` + where + `
		 order by seq desc
		 limit @limit offset @offset`
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		return nil, fmt.Errorf("list audit events: %w", err)
	}
	found, err := pgx.CollectRows(rows, scanLink)
	if err != nil {
		return nil, fmt.Errorf("list audit events: %w", err)
	}
	return found, nil
}

// count is how many match. Numbers have no gaps, so the whole log need not be counted.
func count(ctx context.Context, tx *pg.Tx, f Filters) (n int64, err error) {
	where, args := f.where()
	sql := `
		select count(*)
		  from audit_event
		 where ` + where
	if !f.narrows() && f.From.IsZero() && f.To.IsZero() {
		sql = `
		select coalesce(max(seq) - min(seq) + 1, 0)
		  from audit_event
		 where ` + where
	}
	if err := tx.QueryRow(ctx, sql, args).Scan(&n); err != nil {
		return 0, fmt.Errorf("count audit events: %w", err)
	}
	return n, nil
}

// span is the first and last number of a period, with the hash of the last. Clocks may have been set back, so the period is what lies
// between the first entry in it and the last, whole. Without entries last is 0.
func span(ctx context.Context, tx *pg.Tx, p Period) (first, last int64, err error) {
	where, args := Filters{Period: p}.where()
	sql := `
		select coalesce(min(seq), 0), coalesce(max(seq), 0)
		  from audit_event
		 where ` + where
	if err := tx.QueryRow(ctx, sql, args).Scan(&first, &last); err != nil {
		return 0, 0, fmt.Errorf("find the period: %w", err)
	}
	return first, last, nil
}

// linksAfter reads entries in their order, after a number and up to another.
func linksAfter(ctx context.Context, tx *pg.Tx, after, through int64, limit int) ([]chain.Link, error) {
	const sql = `
		select ` + linkColumns + `
		  from audit_event
		 where tenant_id = (select current_tenant())
		   and seq > $1
		   and seq <= $2
		 order by seq
		 limit $3`
	rows, err := tx.Query(ctx, sql, after, through, limit)
	if err != nil {
		return nil, fmt.Errorf("read audit events: %w", err)
	}
	found, err := pgx.CollectRows(rows, scanLink)
	if err != nil {
		return nil, fmt.Errorf("read audit events: %w", err)
	}
	return found, nil
}

package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

// LinkColumns are the columns that ScanLink reads.
const LinkColumns = "seq, event, prev_hash, hash"

// ScanLink reads an event with its number and hashes.
func ScanLink(row pgx.CollectableRow) (l chain.Link, err error) {
	var event string
	err = row.Scan(&l.Seq, &event, &l.Prev, &l.Hash)
	l.Event = []byte(event)
	return l, err
}

// List reads a page of the events that match, the latest first, with one more if there is one, and how many match. The
// pages of a walk by cursor carry the total of the first page, because what is added meanwhile does not belong to the
// walk.
func List(ctx context.Context, tx *pg.Tx, f Filters, page pg.Page) (links []chain.Link, total int64, err error) {
	before, known := int64(math.MaxInt64), int64(-1)
	if len(page.After) == 2 {
		var bad [2]error
		before, bad[0] = strconv.ParseInt(page.After[0], 10, 64)
		known, bad[1] = strconv.ParseInt(page.After[1], 10, 64)
		if err := errors.Join(bad[:]...); err != nil {
			return nil, 0, fmt.Errorf("read cursor: %w", err)
		}
	}
	if err := f.bounded(ctx, tx); err != nil {
		return nil, 0, err
	}
	sql, args := f.search()
	args["before"], args["known"], args["limit"], args["offset"] = before, known, page.Limit+1, page.Offset
	var found []int64
	if err := tx.QueryRow(ctx, sql, args).Scan(&total, &found); err != nil {
		return nil, 0, fmt.Errorf("search audit events: %w", err)
	}
	links, err = LinksOf(ctx, tx, found)
	return links, total, err
}

// LinksOf reads events by their numbers, the latest first.
func LinksOf(ctx context.Context, tx *pg.Tx, numbers []int64) ([]chain.Link, error) {
	const sql = `
		select ` + LinkColumns + `
		  from audit_event
		 where tenant_id = (select current_tenant())
		   and seq = any($1)
		 order by seq desc`
	return ReadLinks(ctx, tx, sql, numbers)
}

// LinksAfter reads up to limit events in their order, with numbers after one and up to another.
func LinksAfter(ctx context.Context, tx *pg.Tx, after, through int64, limit int) ([]chain.Link, error) {
	const sql = `
		select ` + LinkColumns + `
		  from audit_event
		 where tenant_id = (select current_tenant())
		   and seq > $1
		   and seq <= $2
		 order by seq
		 limit $3`
	return ReadLinks(ctx, tx, sql, after, through, limit)
}

// ReadLinks reads what a query finds. It selects LinkColumns.
func ReadLinks(ctx context.Context, tx *pg.Tx, sql string, args ...any) ([]chain.Link, error) {
	return pg.AllBy(ctx, tx, "read audit events", ScanLink, sql, args...)
}

// Span is the first and last number of a period. Clocks may have been set back, so a period is everything from the
// first event in it to the last. Without events last is 0.
func Span(ctx context.Context, tx *pg.Tx, p Period) (first, last int64, err error) {
	where := Filters{Period: p}.Where()
	sql := `
		select coalesce(min(seq), 0), coalesce(max(seq), 0)
		  from audit_event
		 where ` + where.String()
	if err := tx.QueryRow(ctx, sql, where.Args).Scan(&first, &last); err != nil {
		return 0, 0, fmt.Errorf("find the period: %w", err)
	}
	return first, last, nil
}

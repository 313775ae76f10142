package drift

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
)

// kind is the kind of this package's work, and the group whose lock comparisons hold.
const kind = "drift"

// Sizes and times of the work.
const (
	batch = 250             // accounts that are compared in one transaction
	runs  = 5 * time.Second // how long an account waits whose connector is being synced
)

// Kinds are the work of this package: to compare changed accounts with their templates. One transaction at a time does
// so in a tenant, so that an account is never compared twice at once.
func (s *Service) Kinds() []queue.Kind {
	return []queue.Kind{{
		Name:    kind,
		Title:   "Drift check",
		About:   "Compares changed accounts with their account templates.",
		Subject: "account",
		Display: "drift",
		Batch:   batch,
		Early:   true,
		Work:    s.compare,
	}}
}

// compare compares accounts. Accounts of a connector that is being synced, be it the one that their owner comes from
// too, are half old and half new: they wait for the end of the run.
func (s *Service) compare(ctx context.Context, tx *pg.Tx, items []queue.Item) error {
	busy, err := postponeBusy(ctx, tx, items)
	if err != nil {
		return err
	}
	why := map[string][]string{}
	for _, item := range items {
		if !busy[item.Subject] {
			why[item.Subject] = item.Causes
		}
	}
	if len(why) == 0 {
		return nil
	}
	_, err = s.pass(ctx, tx, why, nil, AcceptedDrift{})
	return err
}

// postponeBusy enqueues the accounts again whose connector is being synced.
func postponeBusy(ctx context.Context, tx *pg.Tx, items []queue.Item) (map[string]bool, error) {
	const sql = `
		with busy as (
		    select distinct a.id
		      from account a
		      join sync_run r
		        on r.tenant_id = a.tenant_id
		       and r.connector_id = a.connector_id
		       and r.status in ('running', 'evaluating', 'applying')
		     where a.tenant_id = current_tenant()
		       and a.id = any($1::text[]::uuid[])
		), later as (
		    insert into work_item (tenant_id, kind, subject, cause, due_at)
		    select current_tenant(), $2, b.id, c.cause, now() + make_interval(secs => $3)
		      from unnest($1::text[]::uuid[], $4::text[]) c (id, cause)
		      join busy b on b.id = c.id
		)
		select id::text from busy`
	var subjects, causes []string
	for _, item := range items {
		for _, cause := range item.Causes {
			subjects, causes = append(subjects, item.Subject), append(causes, cause)
		}
	}
	found, err := pg.All[string](
		ctx,
		tx,
		"find accounts that are being synced",
		sql,
		subjects,
		kind,
		runs.Seconds(),
		causes,
	)
	if err != nil {
		return nil, err
	}
	busy := map[string]bool{}
	for _, id := range found {
		busy[id] = true
	}
	return busy, nil
}

package subscription

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// Listener is the name by which webhooks receive events.
const Listener = "webhook"

// NewID is a fresh id, in the order of time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Find reads a webhook. Its fault is of kind NotFound. locking is empty or "for update of w".
func Find(ctx context.Context, tx *pg.Tx, id, locking string) (Row, error) {
	missing := fault.New(fault.NotFound, "Webhook %s was not found.", id)
	if uuid.Validate(id) != nil {
		return Row{}, missing
	}
	found, err := pg.One[Row](
		ctx,
		tx,
		"find webhook",
		`select `+Columns+` from webhook w where w.tenant_id = current_tenant() and w.id = $1 `+locking,
		id,
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Row{}, missing
	case err != nil:
		return Row{}, err
	}
	return found, nil
}

// MaxWebhooks bounds a tenant's webhooks: every event is compared with each of them.
const MaxWebhooks = 100

// MayAdd is a fault of kind Conflict if the tenant has all the webhooks that it may have. Transactions that ask at the
// same time wait for each other.
func MayAdd(ctx context.Context, tx *pg.Tx) error {
	const turn = `select pg_advisory_xact_lock(hashtextextended('webhooks ' || current_tenant()::text, 0))`
	if err := pg.Exec(ctx, tx, "wait for others who make webhooks", turn); err != nil {
		return err
	}
	var n int
	if err := tx.QueryRow(ctx, `select count(*) from webhook where tenant_id = current_tenant()`).Scan(&n); err != nil {
		return fmt.Errorf("count webhooks: %w", err)
	}
	if n >= MaxWebhooks {
		return fault.Coded(
			fault.Conflict,
			"too_many_webhooks",
			"there are %d webhooks already, as many as a tenant may have; delete one first",
			n,
		)
	}
	return nil
}

// Write inserts or updates the settings of a webhook, and has the events that it wants published.
func Write(ctx context.Context, tx *pg.Tx, ring *seal.Keyring, id string, c Settings, fresh bool) error {
	const insert = `
		insert into webhook (tenant_id, id, name, url, url_sealed, events, filter, headers_sealed, header_names,
		    max_rps, ordered_per_subject, format, owner_ids)
		values (current_tenant(), @id, @name, @url, @whole, @events, @filter, @sealed, @names, @rps, @ordered, @format,
		    @owners)`
	const update = `
		update webhook
		   set name = @name, url = @url, url_sealed = @whole, events = @events, filter = @filter,
		       headers_sealed = @sealed, header_names = @names, max_rps = @rps,
		       ordered_per_subject = @ordered, format = @format, owner_ids = @owners, updated_at = now(),
		           version = version + 1
		 where tenant_id = current_tenant() and id = @id`
	sealed, err := sealHeaders(ctx, tx, ring, id, c.Headers)
	if err != nil {
		return err
	}
	shown, whole, err := sealURL(ctx, tx, ring, id, c)
	if err != nil {
		return err
	}
	var filter any
	if c.Filter != nil && len(c.Filter.Rules) > 0 {
		if filter, err = json.Marshal(c.Filter); err != nil {
			return fmt.Errorf("encode filter: %w", err)
		}
	}
	sql := update
	if fresh {
		sql = insert
	}
	_, err = tx.Exec(
		ctx,
		sql,
		pgx.NamedArgs{
			"id":      id,
			"name":    c.Name,
			"url":     shown,
			"whole":   whole,
			"events":  Some(c.Events),
			"filter":  filter,
			"sealed":  sealed,
			"names":   Some(slices.Sorted(maps.Keys(c.Headers))),
			"rps":     c.MaxRPS,
			"ordered": c.OrderedPerSubject,
			"format":  c.Format,
			"owners":  Some(c.OwnerIDs),
		},
	)
	if pg.Violates(err, "webhook_name_unique") {
		return fault.Coded(fault.Conflict, "duplicate_name", "there is a webhook named %q already", c.Name).
			With(fault.Field{Pointer: "#/name", Code: "duplicate_name", Detail: "choose another name"})
	}
	if err != nil {
		return fmt.Errorf("store webhook: %w", err)
	}
	return RegisterKinds(ctx, tx)
}

// Some is s, and an empty list rather than none.
func Some[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// RegisterKinds has the tenant's events published for all kinds that one of its webhooks wants, enabled or not.
func RegisterKinds(ctx context.Context, tx *pg.Tx) error {
	names, err := pg.All[string](
		ctx,
		tx,
		"read wanted events",
		`select distinct unnest(events) from webhook where tenant_id = current_tenant()`,
	)
	if err != nil {
		return err
	}
	kinds := make([]event.Kind, len(names))
	for i, n := range names {
		kinds[i] = event.Kind(n)
	}
	return event.Want(ctx, tx, Listener, kinds...)
}

// AtOnce is how many deliveries a request ends or deletes at most, which it must do in five seconds. The sweep does the
// rest.
const AtOnce = 10_000

// SetState enables or disables a webhook. Both forget earlier failures; disabling skips what is pending.
func SetState(ctx context.Context, tx *pg.Tx, id, state, reason string) error {
	const sql = `
		update webhook
		   set state = $2, state_reason = $3, state_changed_at = now(), consecutive_failures = 0, exhausted = 0,
		       exhausted_since = null, blocked = 0, warned_at = null, probe_at = null, probes = 0, updated_at = now(),
		           version = version + 1
		 where tenant_id = current_tenant() and id = $1`
	if err := pg.Exec(ctx, tx, "set state of webhook", sql, id, state, reason); err != nil {
		return err
	}
	if state == Enabled {
		return nil
	}
	const skip = `
		update webhook_delivery
		   set state = 'skipped', ended_at = now(), lease_owner = null, lease_until = null
		 where tenant_id = current_tenant()
		   and id in (select id from webhook_delivery where tenant_id = current_tenant() and webhook_id = $1
		       and state = 'pending' limit $2)`
	return pg.Exec(ctx, tx, "skip what waits", skip, id, AtOnce)
}

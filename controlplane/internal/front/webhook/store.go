package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// listener is the name by which webhooks hear of events.
const listener = "webhook"

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// find reads a webhook; it is a fault of kind NotFound when there is none. locking is "" or "for update of w".
func find(ctx context.Context, tx *pg.Tx, id, locking string) (row, error) {
	missing := fault.New(fault.NotFound, "there is no webhook %s", id)
	if uuid.Validate(id) != nil {
		return row{}, missing
	}
	rows, err := tx.Query(
		ctx,
		`select `+columns+` from webhook w where w.tenant_id = current_tenant() and w.id = $1 `+locking,
		id,
	)
	if err != nil {
		return row{}, fmt.Errorf("find webhook: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[row])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return row{}, missing
	case err != nil:
		return row{}, fmt.Errorf("find webhook: %w", err)
	}
	return found, nil
}

// maxWebhooks bounds a tenant's webhooks: every event is held against each of them.
const maxWebhooks = 100

// mayAdd returns a fault of kind Conflict when the tenant has all the webhooks that it may have. Others who ask wait.
func mayAdd(ctx context.Context, tx *pg.Tx) error {
	const turn = `select pg_advisory_xact_lock(hashtextextended('webhooks ' || current_tenant()::text, 0))`
	if _, err := tx.Exec(ctx, turn); err != nil {
		return fmt.Errorf("wait for others who make webhooks: %w", err)
	}
	var n int
	if err := tx.QueryRow(ctx, `select count(*) from webhook where tenant_id = current_tenant()`).Scan(&n); err != nil {
		return fmt.Errorf("count webhooks: %w", err)
	}
	if n >= maxWebhooks {
		return fault.Coded(
			fault.Conflict,
			"too_many_webhooks",
			"there are %d webhooks already, as many as a tenant may have; delete one first",
			n,
		)
	}
	return nil
}

// write inserts or updates a webhook's settings.
func (s *Service) write(ctx context.Context, tx *pg.Tx, id string, c settings, fresh bool) error {
	const insert = `
		insert into webhook (tenant_id, id, name, url, events, filter, headers_sealed, header_names, max_rps,
		    ordered_per_subject, format, owner_ids)
		values (current_tenant(), @id, @name, @url, @events, @filter, @sealed, @names, @rps, @ordered, @format,
		    @owners)`
	const update = `
		update webhook
		   set name = @name, url = @url, events = @events, filter = @filter, headers_sealed = @sealed,
		       header_names = @names, max_rps = @rps,
		       ordered_per_subject = @ordered, format = @format, owner_ids = @owners, updated_at = now(),
		           version = version + 1
		 where tenant_id = current_tenant() and id = @id`
	sealed, err := s.sealHeaders(ctx, tx, id, c.Headers)
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
			"url":     c.URL,
			"events":  some(c.Events),
			"filter":  filter,
			"sealed":  sealed,
			"names":   some(slices.Sorted(maps.Keys(c.Headers))),
			"rps":     c.MaxRPS,
			"ordered": c.OrderedPerSubject,
			"format":  c.Format,
			"owners":  some(c.OwnerIDs),
		},
	)
	if pg.Violates(err, "webhook_name_unique") {
		return fault.Coded(fault.Conflict, "duplicate_name", "there is a webhook named %q already", c.Name).
			With(fault.Field{Pointer: "#/name", Code: "duplicate_name", Detail: "choose another name"})
	}
	if err != nil {
		return fmt.Errorf("store webhook: %w", err)
	}
	return wish(ctx, tx)
}

// some is s, and an empty list rather than none.
func some[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// wish makes the tenant's events be written for all kinds that one of its webhooks wants, enabled or not.
func wish(ctx context.Context, tx *pg.Tx) error {
	rows, err := tx.Query(ctx, `select distinct unnest(events) from webhook where tenant_id = current_tenant()`)
	if err != nil {
		return fmt.Errorf("read wanted events: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("read wanted events: %w", err)
	}
	kinds := make([]event.Kind, len(names))
	for i, n := range names {
		kinds[i] = event.Kind(n)
	}
	return event.Want(ctx, tx, listener, kinds...)
}

// atOnce is how many deliveries a request ends or deletes at most, which it must do in five seconds. What is beyond is
// left to the sweep, which is not bound to them.
const atOnce = 10_000

// setState enables or disables a webhook. A new beginning forgets what went wrong before; what waits for one that is
// disabled is skipped.
func setState(ctx context.Context, tx *pg.Tx, id, state, reason string) error {
	const sql = `
		update webhook
		   set state = $2, state_reason = $3, state_changed_at = now(), consecutive_failures = 0, exhausted = 0,
		       exhausted_since = null, blocked = 0, warned_at = null, probe_at = null, probes = 0, updated_at = now(),
		           version = version + 1
		 where tenant_id = current_tenant() and id = $1`
	if _, err := tx.Exec(ctx, sql, id, state, reason); err != nil {
		return fmt.Errorf("set state of webhook: %w", err)
	}
	if state == enabled {
		return nil
	}
	const skip = `
		update webhook_delivery
		   set state = 'skipped', ended_at = now(), lease_owner = null, lease_until = null
		 where tenant_id = current_tenant()
		   and id in (select id from webhook_delivery where tenant_id = current_tenant() and webhook_id = $1
		       and state = 'pending' limit $2)`
	if _, err := tx.Exec(ctx, skip, id, atOnce); err != nil {
		return fmt.Errorf("skip what waits: %w", err)
	}
	return nil
}

// headersPlace is where a webhook's headers are sealed.
func headersPlace(id string) seal.Place {
	return seal.Place{Table: "webhook", Column: "headers_sealed", Row: id}
}

func secretPlace(id string) seal.Place {
	return seal.Place{Table: "webhook_secret", Column: "sealed", Row: id}
}

func (s *Service) sealHeaders(ctx context.Context, tx *pg.Tx, id string, headers map[string]string) ([]byte, error) {
	if len(headers) == 0 {
		return nil, nil
	}
	plain, err := json.Marshal(headers)
	if err != nil {
		return nil, fmt.Errorf("encode headers: %w", err)
	}
	sealed, err := s.Seal.Seal(ctx, tx, headersPlace(id), plain)
	if err != nil {
		return nil, fmt.Errorf("seal headers: %w", err)
	}
	return sealed, nil
}

func (s *Service) headers(ctx context.Context, tx *pg.Tx, r row) (map[string]string, error) {
	if len(r.Sealed) == 0 {
		return nil, nil
	}
	plain, err := s.Seal.Open(ctx, tx, headersPlace(r.ID), r.Sealed)
	if err != nil {
		return nil, fmt.Errorf("open headers of webhook %s: %w", r.ID, err)
	}
	var headers map[string]string
	if err := json.Unmarshal(plain, &headers); err != nil {
		return nil, errors.New("the sealed headers of webhook " + r.ID + " cannot be read")
	}
	return headers, nil
}

// valid holds for the secrets that sign now.
const valid = `(x.expires_at is null or x.expires_at > now())`

// secretsOf lists the secrets of some webhooks without their values, the newest first.
func secretsOf(ctx context.Context, tx *pg.Tx, ids []string) (map[string][]Secret, error) {
	const sql = `
		select x.webhook_id::text, x.id::text, x.state, x.created_at, x.expires_at
		  from webhook_secret x
		 where x.tenant_id = current_tenant() and x.webhook_id = any($1::uuid[]) and ` + valid + `
		 order by x.created_at desc, x.id desc`
	rows, err := tx.Query(ctx, sql, ids)
	if err != nil {
		return nil, fmt.Errorf("list secrets: %w", err)
	}
	found := map[string][]Secret{}
	var webhook string
	var x Secret
	_, err = pgx.ForEachRow(rows, []any{&webhook, &x.ID, &x.State, &x.CreatedAt, &x.ExpiresAt}, func() error {
		found[webhook] = append(found[webhook], x)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list secrets: %w", err)
	}
	return found, nil
}

// keys are what a webhook's deliveries are signed with now, the newest first.
func (s *Service) keys(ctx context.Context, tx *pg.Tx, id string) ([][]byte, error) {
	const sql = `
		select x.id::text, x.sealed
		  from webhook_secret x
		 where x.tenant_id = current_tenant() and x.webhook_id = $1 and ` + valid + `
		 order by x.created_at desc, x.id desc`
	rows, err := tx.Query(ctx, sql, id)
	if err != nil {
		return nil, fmt.Errorf("read secrets: %w", err)
	}
	type stored struct {
		id     string
		sealed []byte
	}
	found, err := pgx.CollectRows(
		rows,
		func(r pgx.CollectableRow) (x stored, err error) { return x, r.Scan(&x.id, &x.sealed) },
	)
	if err != nil {
		return nil, fmt.Errorf("read secrets: %w", err)
	}
	keys := make([][]byte, len(found))
	for i, x := range found {
		if keys[i], err = s.Seal.Open(ctx, tx, secretPlace(x.id), x.sealed); err != nil {
			return nil, fmt.Errorf("open secret %s: %w", x.id, err)
		}
	}
	return keys, nil
}

// addSecret seals a new secret.
func (s *Service) addSecret(ctx context.Context, tx *pg.Tx, webhook string, key []byte) error {
	id := newID()
	sealed, err := s.Seal.Seal(ctx, tx, secretPlace(id), key)
	if err != nil {
		return fmt.Errorf("seal secret: %w", err)
	}
	const sql = `insert into webhook_secret (tenant_id, id, webhook_id, sealed, created_at) values (current_tenant(),
		$1, $2, $3, clock_timestamp())`
	if _, err := tx.Exec(ctx, sql, id, webhook, sealed); err != nil {
		return fmt.Errorf("keep secret: %w", err)
	}
	return nil
}

// maxRetiring bounds how many old secrets sign beside the new one.
const maxRetiring = 2

// retire lets the active secret of a webhook expire after overlap, and older ones beyond maxRetiring at once.
func retire(ctx context.Context, tx *pg.Tx, webhook string, overlap time.Duration) error {
	const old = `
		update webhook_secret
		   set state = 'retiring', expires_at = now() + make_interval(secs => $2)
		 where tenant_id = current_tenant() and webhook_id = $1 and state = 'active'`
	if _, err := tx.Exec(ctx, old, webhook, overlap.Seconds()); err != nil {
		return fmt.Errorf("retire secret: %w", err)
	}
	const gone = `
		delete from webhook_secret
		 where tenant_id = current_tenant()
		   and webhook_id = $1
		   and (expires_at <= now()
		     or id in (select id from webhook_secret
		                where tenant_id = current_tenant() and webhook_id = $1 and state = 'retiring'
		                order by created_at desc, id desc
		               offset $2))`
	if _, err := tx.Exec(ctx, gone, webhook, maxRetiring); err != nil {
		return fmt.Errorf("delete old secrets: %w", err)
	}
	return nil
}

package subscription

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// headersPlace is where a webhook's headers are sealed.
func headersPlace(id string) seal.Place {
	return seal.Place{Table: "webhook", Column: "headers_sealed", Row: id}
}

func secretPlace(id string) seal.Place {
	return seal.Place{Table: "webhook_secret", Column: "sealed", Row: id}
}

func sealHeaders(
	ctx context.Context,
	tx *pg.Tx,
	ring *seal.Keyring,
	id string,
	headers map[string]string,
) ([]byte, error) {
	if len(headers) == 0 {
		return nil, nil
	}
	plain, err := json.Marshal(headers)
	if err != nil {
		return nil, fmt.Errorf("encode headers: %w", err)
	}
	sealed, err := ring.Seal(ctx, tx, headersPlace(id), plain)
	if err != nil {
		return nil, fmt.Errorf("seal headers: %w", err)
	}
	return sealed, nil
}

// Headers are the headers of a webhook with their values; nil if it has none.
func Headers(ctx context.Context, tx *pg.Tx, ring *seal.Keyring, r Row) (map[string]string, error) {
	if len(r.Sealed) == 0 {
		return nil, nil
	}
	plain, err := ring.Open(ctx, tx, headersPlace(r.ID), r.Sealed)
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

// SecretsOf lists the secrets of some webhooks by their ids, without the values, the latest first.
func SecretsOf(ctx context.Context, tx *pg.Tx, ids []string) (map[string][]Secret, error) {
	const sql = `
		select x.webhook_id::text, x.id::text, x.state, x.created_at, x.expires_at
		  from webhook_secret x
		 where x.tenant_id = current_tenant() and x.webhook_id = any($1::uuid[]) and ` + valid + `
		 order by x.created_at desc, x.id desc`
	found := map[string][]Secret{}
	var webhook string
	var x Secret
	if err := pg.Each(
		ctx,
		tx,
		"list secrets",
		[]any{&webhook, &x.ID, &x.State, &x.CreatedAt, &x.ExpiresAt},
		func() error {
			found[webhook] = append(found[webhook], x)
			return nil
		},
		sql,
		ids,
	); err != nil {
		return nil, err
	}
	return found, nil
}

// Keys are what the deliveries of a webhook are signed with now, the latest first.
func Keys(ctx context.Context, tx *pg.Tx, ring *seal.Keyring, id string) ([][]byte, error) {
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
		if keys[i], err = ring.Open(ctx, tx, secretPlace(x.id), x.sealed); err != nil {
			return nil, fmt.Errorf("open secret %s: %w", x.id, err)
		}
	}
	return keys, nil
}

// AddSecret seals a new secret and stores it as the active one.
func AddSecret(ctx context.Context, tx *pg.Tx, ring *seal.Keyring, webhook string, key []byte) error {
	id := NewID()
	sealed, err := ring.Seal(ctx, tx, secretPlace(id), key)
	if err != nil {
		return fmt.Errorf("seal secret: %w", err)
	}
	const sql = `insert into webhook_secret (tenant_id, id, webhook_id, sealed, created_at) values (current_tenant(),
		$1, $2, $3, clock_timestamp())`
	return pg.Exec(ctx, tx, "keep secret", sql, id, webhook, sealed)
}

// MaxRetiring bounds how many old secrets sign beside the new one.
const MaxRetiring = 2

// Retire lets the active secret of a webhook expire after overlap, and older ones beyond MaxRetiring at once.
func Retire(ctx context.Context, tx *pg.Tx, webhook string, overlap time.Duration) error {
	const old = `
		update webhook_secret
		   set state = 'retiring', expires_at = now() + make_interval(secs => $2)
		 where tenant_id = current_tenant() and webhook_id = $1 and state = 'active'`
	if err := pg.Exec(ctx, tx, "retire secret", old, webhook, overlap.Seconds()); err != nil {
		return err
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
	return pg.Exec(ctx, tx, "delete old secrets", gone, webhook, MaxRetiring)
}

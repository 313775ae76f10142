package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/lease"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// window is how long an answer is kept, from the first try.
const window = 24 * time.Hour

// terms are those of a reservation: how long it stands without a sign of life.
var terms = lease.Terms{Length: time.Minute, Every: 20 * time.Second, Doubt: time.Minute}

// Keeper keeps answers.
type Keeper struct {
	DB   *pg.DB
	Seal Sealer
	Log  *slog.Logger
	Now  func() time.Time
}

// Sealer encrypts the bodies of kept answers. A claim is used once, so it names the row.
type Sealer interface {
	Seal(ctx context.Context, tx *pg.Tx, claim string, plain []byte) ([]byte, error)
	Open(ctx context.Context, tx *pg.Tx, claim string, sealed []byte) ([]byte, error)
}

// Answer is a whole answer: what is kept of it goes out again byte by byte.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Try is a request that has reserved its key.
type Try struct {
	keeper  *Keeper
	v       viewer.Viewer
	subject string
	key     string
	claim   string
	hold    *pg.Hold // nil: what the request does commits by itself
	stop    func()   // ends the signs of life
	over    bool
}

// Begin reserves a viewer's key for a request. It returns a Try, or the answer that the request had before. It returns
// a fault with the code idempotency_in_progress while an earlier try works, and idempotency_key_reused when the key
// belongs to another request. Instants of the lease are the database's.
func (k *Keeper) Begin(ctx context.Context, v viewer.Viewer, key string, fingerprint []byte) (*Try, *Answer, error) {
	t := &Try{keeper: k, v: v, subject: string(v.Kind) + ":" + v.ID, key: key, claim: uuid.NewString(), stop: func() {}}
	var before *Answer
	err := k.DB.As(ctx, v, func(tx *pg.Tx) error {
		reserved, err := t.reserve(ctx, tx, fingerprint)
		if err != nil || reserved {
			return err
		}
		before, err = t.find(ctx, tx, fingerprint)
		return err
	})
	switch {
	case err != nil:
		return nil, nil, err
	case before != nil:
		return nil, before, nil
	}
	crashpoint.Reach("key.reserved")
	return t, nil, nil
}

// reserve takes the key when it is new, when its day is over, or when the process with the same request has died.
func (t *Try) reserve(ctx context.Context, tx *pg.Tx, fingerprint []byte) (bool, error) {
	const sql = `
		insert into kept_answer as k (tenant_id, subject, key, claim, fingerprint, asked_at, lease_until)
		values (current_tenant(), @subject, @key, @claim, @fingerprint, @now, now() + @lease)
		    on conflict (tenant_id, subject, key) do update
		   set claim = excluded.claim, fingerprint = excluded.fingerprint, lease_until = excluded.lease_until,
		       asked_at = case when k.asked_at <= @since then excluded.asked_at else k.asked_at end,
		       status = null, headers = null, answer = null
		 where (k.status is not null or k.lease_until < now())
		   and (k.asked_at <= @since or (k.status is null and k.fingerprint = excluded.fingerprint))`
	now := t.keeper.Now()
	tag, err := tx.Exec(ctx, sql, pgx.NamedArgs{
		"subject":     t.subject,
		"key":         t.key,
		"claim":       t.claim,
		"fingerprint": fingerprint,
		"now":         now,
		"lease":       terms.Length,
		"since":       now.Add(-window),
	})
	if err != nil {
		return false, fmt.Errorf("reserve idempotency key: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// find is the answer of the try that has the key.
func (t *Try) find(ctx context.Context, tx *pg.Tx, fingerprint []byte) (*Answer, error) {
	const sql = `
		select claim::text, fingerprint = $3, status, headers, answer
		  from kept_answer
		 where subject = $1
		   and key = $2`
	var (
		claim           string
		same            bool
		status          *int
		headers, sealed []byte
	)
	err := tx.QueryRow(ctx, sql, t.subject, t.key, fingerprint).Scan(&claim, &same, &status, &headers, &sealed)
	switch {
	case errors.Is(err, pgx.ErrNoRows): // let go in between; the next try gets it
		return nil, inProgress()
	case err != nil:
		return nil, fmt.Errorf("find kept answer: %w", err)
	case !same:
		return nil, fault.Coded(fault.Invalid, "idempotency_key_reused", "The idempotency key was used for another "+
			"request. Each request needs its own key.").
			With(fault.Field{Header: Header, Code: "idempotency_key_reused", Detail: "make a new UUID"})
	case status == nil:
		return nil, inProgress()
	}
	a := &Answer{Status: *status}
	if err := json.Unmarshal(headers, &a.Header); err != nil {
		return nil, fmt.Errorf("read headers of kept answer: %w", err)
	}
	if a.Body, err = t.keeper.Seal.Open(ctx, tx, claim, sealed); err != nil {
		return nil, fmt.Errorf("open kept answer: %w", err)
	}
	return a, nil
}

func inProgress() error {
	f := fault.Coded(
		fault.Conflict,
		"idempotency_in_progress",
		"The first request with this key is still in progress. Try again in a moment.",
	)
	f.RetryAfter = time.Second
	return f
}

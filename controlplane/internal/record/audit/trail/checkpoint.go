package trail

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/trail/signingkey"
)

// A checkpoint is signed each 1000 entries, or 5 minutes after the one before when there are new entries.
const (
	checkpointEach  = 1000
	checkpointAfter = 5 * time.Minute
	checkpointLook  = 5 * time.Second // how soon it is noticed that one is due
)

// stored is a checkpoint as it is kept.
type stored struct {
	Seq  int64     `db:"seq"`
	Hash []byte    `db:"hash"`
	KID  string    `db:"kid"`
	Note string    `db:"note"`
	At   time.Time `db:"at"`
}

type keySet []ed25519.PublicKey

// open checks a checkpoint's signature, and that it says what its row does.
func (k keySet) open(tenant string, p stored) (chain.Checkpoint, error) {
	c, err := chain.OpenCheckpoint(chain.Origin(tenant), p.Note, k...)
	if err != nil || c.Seq != p.Seq || string(c.Hash) != string(p.Hash) {
		return c, &chain.Break{
			Seq:    p.Seq,
			Kind:   chain.Unsigned,
			Detail: "the checkpoint at this entry is not the one that was signed",
		}
	}
	return c, nil
}

func checkpointsBetween(ctx context.Context, tx *pg.Tx, after, through int64) ([]stored, error) {
	const sql = `
		select seq, hash, kid, note, at
		  from audit_checkpoint
		 where tenant_id = current_tenant()
		   and seq > $1
		   and seq <= $2
		 order by seq`
	return pg.All[stored](ctx, tx, "read checkpoints", sql, after, through)
}

// Kinds are the work on the audit log: to sign the checkpoints that are due, also of tenants that are suspended or
// closing, since their logs go on.
func (s *Service) Kinds() []queue.Kind {
	const due = `
		select h.tenant_id::text
		  from audit_head h
		  left join lateral (select c.seq, c.at from audit_checkpoint c where c.tenant_id = h.tenant_id
		      order by c.seq desc limit 1) c on true
		 where h.tenant_id <> all($3::text[]::uuid[])
		   and (h.seq >= coalesce(c.seq, 0) + $1
		        or (h.seq > coalesce(c.seq, 0) and coalesce(c.at, '-infinity') < now() - $2::interval))`
	return []queue.Kind{{
		Name:  "audit_checkpoints",
		Title: "Audit checkpoints",
		About: "Verifies new audit events and signs a checkpoint over them.",
		Part:  s.signDue,
		Due: &queue.Due{
			SQL:   due,
			Args:  func() []any { return []any{checkpointEach, checkpointAfter, s.broken.all()} },
			Every: checkpointLook,
		},
	}}
}

// brokenLogs are tenants whose logs did not verify a short while ago. They are not verified again and again.
type brokenLogs struct {
	mu    sync.Mutex
	found map[string]time.Time
}

func (b *brokenLogs) add(tenant string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.found == nil {
		b.found = map[string]time.Time{}
	}
	b.found[tenant] = time.Now()
}

func (b *brokenLogs) all() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.found, func(_ string, at time.Time) bool { return time.Since(at) >= checkpointAfter })
	return slices.AppendSeq([]string{}, maps.Keys(b.found))
}

// signDue signs the next checkpoint of a tenant's log, and says 1 when more are due. A log that does not verify is not
// signed.
func (s *Service) signDue(ctx context.Context, tenant string) (int, error) {
	signer, publics, err := s.signingKeys(ctx)
	if err != nil {
		return 0, err
	}
	more, err := s.signOne(ctx, viewer.System(tenant), signer, publics, 0)
	var b *chain.Break
	if errors.As(err, &b) {
		s.broken.add(tenant)
		s.reportBreak(ctx, tenant, b)
		return 0, nil
	}
	if err != nil || !more {
		return 0, err
	}
	return 1, nil
}

func (s *Service) reportBreak(ctx context.Context, tenant string, b *chain.Break) {
	s.Log.ErrorContext(
		ctx,
		"the audit log does not verify and is not signed",
		"tenant",
		tenant,
		"seq",
		b.Seq,
		"kind",
		b.Kind,
		"why",
		b.Detail,
	)
}

func (s *Service) signingKeys(ctx context.Context) (signer signingkey.Key, publics keySet, err error) {
	if signer, err = s.Keys.Signer(ctx); err != nil {
		return signer, nil, err
	}
	publics, err = s.Keys.Publics(ctx)
	return signer, publics, err
}

// signThrough signs a checkpoint at an entry, or at the last one when through is 0, and one each 1000 entries on the
// way. Only what continues the checkpoint before is signed: it returns a *chain.Break otherwise.
func (s *Service) signThrough(ctx context.Context, v viewer.Viewer, through int64) error {
	signer, publics, err := s.signingKeys(ctx)
	for more := true; more && err == nil; {
		more, err = s.signOne(ctx, v, signer, publics, through)
	}
	return err
}

// signOne signs one checkpoint in a transaction of its own, and says whether there is more to sign. It waits for
// another process that signs the same log.
func (s *Service) signOne(
	ctx context.Context,
	v viewer.Viewer,
	signer signingkey.Key,
	publics keySet,
	through int64,
) (more bool, err error) {
	const lock = `select pg_advisory_xact_lock(hashtextextended('audit-checkpoint ' || current_tenant()::text, 0))`
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if err := pg.Exec(ctx, tx, "lock the log's checkpoints", lock); err != nil {
			return err
		}
		more, err = s.signNext(ctx, tx, signer, publics, through)
		return err
	})
	return more, err
}

// signNext signs one checkpoint, and reports whether there is more to sign.
func (s *Service) signNext(
	ctx context.Context,
	tx *pg.Tx,
	signer signingkey.Key,
	publics keySet,
	through int64,
) (more bool, err error) {
	if through == 0 {
		e, err := readExtent(ctx, tx)
		if err != nil {
			return false, err
		}
		through = e.head
	}
	verifier, err := fromLastCheckpoint(ctx, tx, publics, through)
	if err != nil || verifier.Seq >= through {
		return false, err
	}
	links, err := filedAfter(ctx, tx, verifier.Seq, through, checkpointEach)
	if err != nil {
		return false, err
	}
	for _, l := range links {
		if err := errors.Join(verifier.Next(l.Link), l.check()); err != nil {
			return false, err
		}
	}
	if len(links) == 0 || (verifier.Seq < through && len(links) < checkpointEach) {
		return false, &chain.Break{
			Seq:    verifier.Seq + 1,
			Kind:   chain.Missing,
			Detail: "it is not there, nor is any later one",
		}
	}
	return verifier.Seq < through, s.keep(ctx, tx, signer, verifier)
}

// fromLastCheckpoint is a verifier that stands at the last checkpoint that does not lie beyond an entry.
func fromLastCheckpoint(ctx context.Context, tx *pg.Tx, publics keySet, through int64) (*chain.Verifier, error) {
	const sql = `
		select seq, hash, kid, note, at
		  from audit_checkpoint
		 where tenant_id = current_tenant()
		   and seq <= $1
		 order by seq desc
		 limit 1`
	rows, err := tx.Query(ctx, sql, through)
	if err != nil {
		return nil, fmt.Errorf("find the last checkpoint: %w", err)
	}
	last, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[stored])
	if errors.Is(err, pgx.ErrNoRows) {
		return chain.From(tx.Viewer.Tenant, 0, chain.Genesis), nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the last checkpoint: %w", err)
	}
	signed, err := publics.open(tx.Viewer.Tenant, last)
	if err != nil {
		return nil, err
	}
	return chain.From(tx.Viewer.Tenant, signed.Seq, signed.Hash), nil
}

func (s *Service) keep(ctx context.Context, tx *pg.Tx, signer signingkey.Key, at *chain.Verifier) error {
	c := chain.Checkpoint{Origin: chain.Origin(tx.Viewer.Tenant), Seq: at.Seq, Hash: at.Hash, At: s.Now()}
	const sql = `
		insert into audit_checkpoint (tenant_id, seq, hash, kid, note)
		values (current_tenant(), $1, $2, $3, $4)
		    on conflict do nothing`
	return pg.Exec(ctx, tx, "keep checkpoint", sql, c.Seq, c.Hash, signer.ID, c.Sign(signer.Private))
}

// Checkpoint is a signed checkpoint as the API shows it.
type Checkpoint struct {
	// Number of the last entry that the checkpoint covers.
	Seq int64 `json:"seq"`
	// Hash of that entry.
	Hash string `json:"hash"`
	// Time of the checkpoint.
	At time.Time `json:"at"`
	// ID of the key that signed the checkpoint.
	KeyID string `json:"key_id"`
	// The signed note itself (C2SP).
	Note string `json:"note"`
}

// VerifyingKey verifies checkpoints.
type VerifyingKey struct {
	// ID of the key.
	KeyID string `json:"key_id"`
	// Signature algorithm of the key.
	Algorithm string `json:"algorithm"`
	// 32 bytes in base64.
	PublicKey []byte `json:"public_key"`
	// The public key in PEM format.
	PEM string `json:"pem"`
	// As other tools for signed notes take it.
	VerifierKey string `json:"verifier_key"`
	// SHA-256 of the key in hexadecimal.
	Fingerprint string `json:"fingerprint"`
	// It signs what comes; the others only verify.
	Active bool `json:"active"`
}

// CheckpointList is a page of checkpoints with the keys for them.
type CheckpointList struct {
	httpapi.List[Checkpoint]
	// Public keys that verify the checkpoints.
	Keys []VerifyingKey `json:"keys" nullable:"false"`
}

type checkpointsOut struct{ Body CheckpointList }

func (s *Service) handleCheckpoints(ctx context.Context, v viewer.Viewer, in *httpapi.Paging) (*checkpointsOut, error) {
	walk, err := s.Cursors.Walk(v, "audit-checkpoints", *in, nil)
	if err != nil {
		return nil, err
	}
	keys, err := s.publicKeys(ctx, v.Tenant)
	if err != nil {
		return nil, err
	}
	var found []Checkpoint
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if err := audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "audit.checkpoints_read", Subject: theLog(tx)},
		); err != nil {
			return err
		}
		found, total, err = listCheckpoints(ctx, tx, walk.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := httpapi.Out(
		walk,
		found,
		total,
		func(c Checkpoint) []string { return []string{strconv.FormatInt(c.Seq, 10)} },
	)
	return &checkpointsOut{CheckpointList{List: out.Body, Keys: keys}}, nil
}

func listCheckpoints(ctx context.Context, tx *pg.Tx, page pg.Page) ([]Checkpoint, int64, error) {
	before := int64(1<<63 - 1)
	if len(page.After) > 0 {
		var err error
		if before, err = strconv.ParseInt(page.After[0], 10, 64); err != nil {
			return nil, 0, fmt.Errorf("read cursor: %w", err)
		}
	}
	var total int64
	if err := tx.QueryRow(ctx, `select count(*) from audit_checkpoint where tenant_id = current_tenant()`).
		Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count checkpoints: %w", err)
	}
	const sql = `
		select seq, encode(hash, 'hex'), at, kid, note
		  from audit_checkpoint
		 where tenant_id = current_tenant()
		   and seq < $1
		 order by seq desc
		 limit $2 offset $3`
	found, err := pg.AllBy(
		ctx,
		tx,
		"list checkpoints",
		pgx.RowToStructByPos[Checkpoint],
		sql,
		before,
		page.Limit+1,
		page.Offset,
	)
	if err != nil {
		return nil, 0, err
	}
	return found, total, nil
}

func (s *Service) publicKeys(ctx context.Context, tenant string) ([]VerifyingKey, error) {
	keys, err := s.Keys.All(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]VerifyingKey, len(keys))
	for i, k := range keys {
		text, err := chain.PEM(k.Public)
		if err != nil {
			return nil, err
		}
		out[i] = VerifyingKey{
			KeyID:       k.ID,
			Algorithm:   "Ed25519",
			PublicKey:   k.Public,
			PEM:         text,
			VerifierKey: chain.VerifierKey(chain.Origin(tenant), k.Public),
			Fingerprint: chain.Fingerprint(k.Public),
			Active:      k.Active,
		}
	}
	return out, nil
}

package trail

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

const (
	batch        = 2000             // entries read at once, each batch in a transaction of its own
	verifyBudget = 40 * time.Second // of one call, which ends within the server's write timeout
)

// Head is the last entry.
type Head struct {
	// Number of the last entry.
	Seq int64 `json:"seq"`
	// Hash of the last entry.
	Hash string `json:"hash"`
}

// Verdict is what verifying the log found.
type Verdict struct {
	// True if no break was found.
	OK bool `json:"ok"`
	// Entries whose hash and place were verified.
	Checked int64 `json:"checked"`
	// Signed checkpoints that they were held against.
	Checkpoints int `json:"checkpoints"`
	// Number of the first entry of the verified range.
	FromSeq int64 `json:"from_seq"`
	// Number of the last entry of the verified range.
	ToSeq int64 `json:"to_seq"`
	// Where to go on when there was not time for all of it; null when there was.
	NextSeq *int64 `json:"next_seq"`
	// First break of the chain. Absent if there is none.
	FirstBreak *chain.Break `json:"first_break,omitempty"`
	// Last entry of the audit log.
	Head Head `json:"head"`
}

// extent is where a log begins and ends, seen at one instant.
type extent struct {
	head       int64
	hash       []byte
	last       int64 // entry that is there
	trimmed    int64 // last entry that retention has dropped
	checkpoint int64 // furthest checkpoint
}

func readExtent(ctx context.Context, tx *pg.Tx) (e extent, err error) {
	const sql = `
		select coalesce(max(h.seq), 0), coalesce((array_agg(h.hash))[1], decode(repeat('00', 32), 'hex')),
		       coalesce((select max(e.seq) from audit_event e where e.tenant_id = current_tenant()), 0),
		       coalesce((select max((e.event::json -> 'context' ->> 'through_seq')::bigint) from audit_event e
		       where e.tenant_id = current_tenant() and e.action = 'audit.trimmed'), 0),
		           coalesce((select max(c.seq) from audit_checkpoint c where c.tenant_id = current_tenant()), 0)
		  from audit_head h
		 where h.tenant_id = current_tenant()`
	if err := tx.QueryRow(ctx, sql).Scan(&e.head, &e.hash, &e.last, &e.trimmed, &e.checkpoint); err != nil {
		return e, fmt.Errorf("read how far the audit log reaches: %w", err)
	}
	return e, nil
}

type verifyIn struct {
	// The first number; 0: the oldest entry.
	FromSeq int64 `query:"from_seq" minimum:"0" default:"0"`
	// The last number; 0: the newest entry.
	ToSeq int64 `query:"to_seq" minimum:"0" default:"0"`
}

type verifyOut struct{ Body Verdict }

func (s *Service) handleVerify(ctx context.Context, v viewer.Viewer, in *verifyIn) (*verifyOut, error) {
	verdict, err := s.Verify(ctx, v, in.FromSeq, in.ToSeq)
	if err != nil {
		return nil, err
	}
	entry := audit.Entry{Action: "audit.verified", Context: map[string]any{
		"from_seq":    verdict.FromSeq,
		"to_seq":      verdict.ToSeq,
		"checked":     verdict.Checked,
		"ok":          verdict.OK,
		"first_break": verdict.FirstBreak,
	}}
	if !verdict.OK {
		entry.Outcome = audit.Failure
		s.Log.ErrorContext(
			ctx,
			"the audit log does not verify",
			"tenant",
			v.Tenant,
			"seq",
			verdict.FirstBreak.Seq,
			"kind",
			verdict.FirstBreak.Kind,
		)
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		entry.Subject = theLog(tx)
		return audit.Record(ctx, tx, entry)
	})
	return &verifyOut{verdict}, err
}

// Verify follows the log from one number to another, 0 meaning its ends. What retention drops meanwhile is no break,
// nor is what a new key signs: then the log is looked at once more.
func (s *Service) Verify(ctx context.Context, v viewer.Viewer, from, to int64) (Verdict, error) {
	for again := false; ; again = true {
		check, err := s.newCheck(ctx, v, from, to)
		if err != nil {
			return Verdict{}, err
		}
		err = check.run(ctx)
		var b *chain.Break
		if err != nil && !errors.As(err, &b) {
			return Verdict{}, err
		}
		if b != nil && !again {
			now, err := s.extent(ctx, v)
			if err != nil {
				return Verdict{}, err
			}
			keys, err := s.Keys.Publics(ctx)
			if err != nil {
				return Verdict{}, err
			}
			if now.trimmed > check.extent.trimmed || len(keys) > len(check.keys) {
				continue
			}
		}
		check.FirstBreak, check.OK = b, b == nil
		return check.Verdict, nil
	}
}

func (s *Service) extent(ctx context.Context, v viewer.Viewer) (e extent, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		e, err = readExtent(ctx, tx)
		return err
	})
	return e, err
}

// check is one pass over the log.
type check struct {
	Verdict
	s        *Service
	v        viewer.Viewer
	extent   extent
	keys     keySet
	verifier *chain.Verifier
	whole    bool // to the very end
}

func (s *Service) newCheck(ctx context.Context, v viewer.Viewer, from, to int64) (*check, error) {
	keys, err := s.Keys.Publics(ctx)
	if err != nil {
		return nil, err
	}
	c := &check{s: s, v: v, keys: keys}
	if c.extent, err = s.extent(ctx, v); err != nil {
		return nil, err
	}
	c.FromSeq, c.ToSeq = max(from, c.extent.trimmed+1), to
	// The head and the entries must agree on the end; whichever reaches further is held to.
	end := max(c.extent.head, c.extent.last)
	if to == 0 || to >= end {
		c.ToSeq, c.whole = end, true
	}
	c.Head = Head{c.extent.head, hex.EncodeToString(c.extent.hash)}
	if c.FromSeq > c.ToSeq+1 {
		return nil, fault.New(fault.Malformed, "from_seq is after to_seq, or after the end of the log.").
			With(fault.Field{Parameter: "from_seq", Code: "invalid", Detail: "at most the log's last number"})
	}
	return c, nil
}

func (c *check) run(ctx context.Context) error {
	started := time.Now()
	err := c.s.DB.As(ctx, c.v, func(tx *pg.Tx) error { return c.begin(ctx, tx) })
	if err != nil {
		return err
	}
	for c.verifier.Seq < c.ToSeq {
		if time.Since(started) > verifyBudget {
			next := c.verifier.Seq + 1
			c.NextSeq, c.ToSeq = &next, c.verifier.Seq
			return nil
		}
		if err := c.s.DB.As(ctx, c.v, func(tx *pg.Tx) error { return c.step(ctx, tx) }); err != nil {
			return err
		}
	}
	if c.whole {
		return c.end()
	}
	return nil
}

// begin finds what the first entry has to continue.
func (c *check) begin(ctx context.Context, tx *pg.Tx) error {
	c.verifier = chain.From(c.v.Tenant, c.FromSeq-1, chain.Genesis)
	if c.FromSeq == 1 {
		return nil
	}
	const sql = `
		select hash from audit_event where tenant_id = current_tenant() and seq = $1
		 union all
		select hash from audit_checkpoint where tenant_id = current_tenant() and seq = $1
		 limit 1`
	err := tx.QueryRow(ctx, sql, c.FromSeq-1).Scan(&c.verifier.Hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return &chain.Break{
			Seq:    c.FromSeq - 1,
			Kind:   chain.Missing,
			Detail: "neither the entry nor a checkpoint of it is there",
		}
	}
	if err != nil {
		return fmt.Errorf("find where to begin: %w", err)
	}
	return c.checkpoints(ctx, tx, c.FromSeq-2, c.FromSeq-1)
}

func (c *check) step(ctx context.Context, tx *pg.Tx) error {
	links, err := filedAfter(ctx, tx, c.verifier.Seq, c.ToSeq, batch)
	if err != nil {
		return err
	}
	if len(links) == 0 {
		return &chain.Break{
			Seq:    c.verifier.Seq + 1,
			Kind:   chain.Missing,
			Detail: "it is not there, nor is any later one",
		}
	}
	if err := c.checkpoints(ctx, tx, c.verifier.Seq, links[len(links)-1].Seq); err != nil {
		return err
	}
	for _, l := range links {
		if err := c.verifier.Next(l.Link); err != nil {
			return err
		}
		if err := l.check(); err != nil {
			return err
		}
		c.Checked++
	}
	return nil
}

// checkpoints holds what is signed about the entries after one number and up to another against them.
func (c *check) checkpoints(ctx context.Context, tx *pg.Tx, after, through int64) error {
	found, err := checkpointsBetween(ctx, tx, after, through)
	if err != nil {
		return err
	}
	for _, p := range found {
		signed, err := c.keys.open(tx.Viewer.Tenant, p)
		if err != nil {
			return err
		}
		c.Checkpoints++
		if signed.Seq == c.verifier.Seq {
			if hex.EncodeToString(signed.Hash) != hex.EncodeToString(c.verifier.Hash) {
				return &chain.Break{
					Seq:    signed.Seq,
					Kind:   chain.Contested,
					Detail: "a signed checkpoint gives it another hash",
				}
			}
			continue
		}
		c.verifier.Expect(signed.Seq, signed.Hash)
	}
	return nil
}

// end holds the last entry against the head and against checkpoints that reach further.
func (c *check) end() error {
	switch {
	case c.extent.head != c.verifier.Seq:
		return &chain.Break{
			Seq:    min(c.extent.head, c.verifier.Seq) + 1,
			Kind:   chain.Missing,
			Detail: "the log's head and its last entry do not agree",
		}
	case hex.EncodeToString(c.verifier.Hash) != c.Head.Hash:
		return &chain.Break{Seq: c.verifier.Seq, Kind: chain.Edited, Detail: "the log's head remembers another hash"}
	case c.extent.checkpoint > c.verifier.Seq:
		return &chain.Break{
			Seq:    c.verifier.Seq + 1,
			Kind:   chain.Truncated,
			Detail: fmt.Sprintf("a checkpoint reaches entry %d", c.extent.checkpoint),
		}
	}
	return c.verifier.End()
}

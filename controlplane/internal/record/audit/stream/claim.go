package stream

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/lease"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

// Limits of a batch.
const (
	maxEntries = 500
	maxBytes   = 1 << 20
)

// due are streams that have something to send and that no process works on, over all tenants.
type due struct {
	Tenant string `db:"tenant_id"`
	ID     string `db:"id"`
}

// due finds streams with entries or checkpoints to send that no process works on, of all tenants.
func (s *Service) due(ctx context.Context) (found []due, err error) {
	const sql = `
		select s.tenant_id::text, s.id::text
		  from audit_stream s
		  join audit_head h on h.tenant_id = s.tenant_id
		 where s.enabled
		   and s.next_at <= now()
		   and ` + lease.Free + `
		   and (h.seq <> s.last_seq
		        or exists (select from audit_checkpoint c where c.tenant_id = s.tenant_id and c.seq > s.last_checkpoint
		            and c.seq <= s.last_seq))
		 order by s.next_at
		 limit 200`
	found, err = pg.FindAcross(ctx, s.DB, pgx.RowToStructByName[due], sql)
	if err != nil {
		return nil, fmt.Errorf("find streams to work on: %w", err)
	}
	return found, nil
}

// batch is what is sent at once, and where the stream stands after it.
type batch struct {
	lease      string
	stream     Stream
	keys       secrets
	messages   []message
	lastSeq    int64
	checkpoint int64
	skipped    int64
	more       bool
}

// errBehind means that the log is shorter than what was sent of it: it was cut off.
var errBehind = errors.New(
	"the log ends before the last entry that was sent; it was cut off, or restored from a backup",
)

// claim takes a stream for as long as a batch may take, and reads what is to be sent. It returns nil when another
// process has it.
func (s *Service) claim(ctx context.Context, tx *pg.Tx, id string) (*batch, error) {
	b := &batch{lease: uuid.NewString()}
	const sql = `
		update audit_stream
		   set lease = $2, lease_until = now() + $3::interval
		 where tenant_id = current_tenant()
		   and id = $1
		   and enabled
		   and next_at <= now()
		   and ` + lease.Free + `
		returning last_checkpoint`
	err := tx.QueryRow(ctx, sql, id, b.lease, s.pace.lease).Scan(&b.checkpoint)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("take audit stream: %w", err)
	}
	if b.stream, err = find(ctx, tx, id, ""); err != nil {
		return nil, err
	}
	if b.keys, err = s.secrets(ctx, tx, id); err != nil {
		return nil, err
	}
	return b, b.read(ctx, tx)
}

// read fills the batch with entries, and the checkpoints that speak of entries sent by then.
func (b *batch) read(ctx context.Context, tx *pg.Tx) error {
	b.lastSeq = b.stream.LastSeq
	const sql = `
		select seq, event, prev_hash, hash
		  from audit_event
		 where tenant_id = current_tenant()
		   and seq > $1
		 order by seq
		 limit $2`
	links, err := pg.AllBy(ctx, tx, "read audit events", func(row pgx.CollectableRow) (l chain.Link, err error) {
		var event string
		err = row.Scan(&l.Seq, &event, &l.Prev, &l.Hash)
		l.Event = []byte(event)
		return l, err
	}, sql, b.lastSeq, maxEntries)
	if err != nil {
		return err
	}
	if len(links) > 0 {
		b.skipped = links[0].Seq - b.lastSeq - 1
	}
	size := 0
	for _, l := range links {
		m, err := messageOf(l, b.stream.Format)
		if err != nil {
			return err
		}
		if size += len(m.line) + 1; size > maxBytes && len(b.messages) > 0 {
			b.more = true
			break
		}
		b.messages, b.lastSeq = append(b.messages, m), l.Seq
	}
	b.more = b.more || len(links) == maxEntries
	return b.readCheckpoints(ctx, tx)
}

// readCheckpoints adds the checkpoints of the entries that were sent. OCSF has nothing for them.
func (b *batch) readCheckpoints(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select seq, kid, note, at
		  from audit_checkpoint
		 where tenant_id = current_tenant()
		   and seq > $1
		   and seq <= $2
		 order by seq
		 limit 100`
	rows, err := tx.Query(ctx, sql, b.checkpoint, b.lastSeq)
	if err != nil {
		return fmt.Errorf("read checkpoints: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var m message
		line := chain.Line{Type: chain.TypeCheckpoint}
		if err := rows.Scan(&b.checkpoint, &line.KeyID, &line.Note, &m.at); err != nil {
			return fmt.Errorf("read checkpoints: %w", err)
		}
		if b.stream.Format != NDJSON {
			continue // the schema knows nothing of the kind
		}
		if err := m.checkpoint(line); err != nil {
			return err
		}
		b.messages = append(b.messages, m)
	}
	return rows.Err()
}

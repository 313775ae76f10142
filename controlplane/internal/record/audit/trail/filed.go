package trail

import (
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/trail/search"
)

// filed is an entry with the columns that it is found by.
type filed struct {
	chain.Link
	at                                                time.Time
	action, category, outcome, actorType, subjectType string
	actorID, subjectID, requestID                     *string

	said       said
	unreadable bool
}

// said are the same in the entry's own text.
type said struct {
	Seq      int64     `json:"seq"`
	TenantID string    `json:"tenant_id"`
	Time     time.Time `json:"time"`
	Action   string    `json:"action"`
	Category string    `json:"category"`
	Outcome  string    `json:"outcome"`
	Actor    struct {
		Type string  `json:"type"`
		ID   *string `json:"id"`
	} `json:"actor"`
	Subject struct {
		Type string  `json:"type"`
		ID   *string `json:"id"`
	} `json:"subject"`
	Context struct {
		RequestID *string `json:"request_id"`
	} `json:"context"`
}

// check holds the columns against the text: an entry that is filed under other words than its own would be found by
// nobody, and one that is filed under another day would be dropped before its time. It returns a *chain.Break.
func (f *filed) check() error {
	if f.unreadable {
		return &chain.Break{Seq: f.Seq, Kind: chain.Unreadable, Detail: "not an entry"}
	}
	s := f.said
	if f.at.Equal(s.Time) && f.action == s.Action && f.category == s.Category && f.outcome == s.Outcome &&
		f.actorType == s.Actor.Type &&
		f.subjectType == s.Subject.Type && same(f.actorID, s.Actor.ID) && same(f.subjectID, s.Subject.ID) &&
		same(f.requestID, s.Context.RequestID) {
		return nil
	}
	return &chain.Break{Seq: f.Seq, Kind: chain.Edited, Detail: "it is filed under other words than its own"}
}

// read takes the text apart, which is most of the work of verifying: a batch is shared between all processors.
func read(batch []filed) {
	var readers sync.WaitGroup
	for part := range slices.Chunk(batch, len(batch)/runtime.GOMAXPROCS(0)+1) {
		readers.Go(func() {
			for i := range part {
				f := &part[i]
				if f.unreadable = json.Unmarshal(f.Event, &f.said) != nil; !f.unreadable {
					f.Link = f.Named(f.said.Seq, f.said.TenantID)
				}
			}
		})
	}
	readers.Wait()
}

func same(a, b *string) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}

// filedAfter reads entries in their order, after a number and up to another, with what they are found by.
func filedAfter(ctx context.Context, tx *pg.Tx, after, through int64, limit int) ([]filed, error) {
	const sql = `
		select ` + search.LinkColumns + `, at, action, category, outcome, actor_type, actor_id, subject_type,
			subject_id,
		     request_id
		  from audit_event
		 where tenant_id = (select current_tenant())
		   and seq > $1
		   and seq <= $2
		 order by seq
		 limit $3`
	found, err := pg.AllBy(ctx, tx, "read audit events", func(row pgx.CollectableRow) (f filed, err error) {
		var event string
		err = row.Scan(
			&f.Seq,
			&event,
			&f.Prev,
			&f.Hash,
			&f.at,
			&f.action,
			&f.category,
			&f.outcome,
			&f.actorType,
			&f.actorID,
			&f.subjectType,
			&f.subjectID,
			&f.requestID,
		)
		f.Event = []byte(event)
		return f, err
	}, sql, after, through, limit)
	if err != nil {
		return nil, err
	}
	read(found)
	return found, nil
}

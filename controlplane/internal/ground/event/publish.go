package event

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Channel is where it is announced that there are new events.
const Channel = "event"

// maxData bounds what an event says beyond its ids, so that a receiver's body stays under 20 KiB.
const maxData = 16 << 10

// Resource is what an event is about.
type Resource struct {
	Type string // identity, request, certification, agent, …
	ID   string // UUID
}

// Event is something that has become true in the transaction that it is published in.
type Event struct {
	Kind     Kind
	Resource Resource
	Version  int      // of the resource; 0: it has none
	Changed  []string // names of the fields that differ; never their values
	// Data are further members for receivers, as a struct or map that encodes to a JSON object: ids, states, references
	// to other systems. No secrets, and nothing that a receiver can read through the API when it needs to.
	Data any
}

// Publish writes an event in the caller's transaction, if a listener in the tenant wants its kind. Its caller
// holds the lock of the resource's row, which is what the order of a resource's events rests on.
func Publish(ctx context.Context, tx *pg.Tx, e Event) error {
	data, err := e.members()
	if err != nil {
		return err
	}
	const sql = `
		with wish as (
			select listener from event_wish where tenant_id = current_tenant() and kind = @kind),
		head as (
			insert into event_head (tenant_id, resource_type, resource_id, sequence)
			select current_tenant(), @type, @id, 1
			 where exists (select from wish)
			    on conflict (tenant_id, resource_type, resource_id) do update set sequence = event_head.sequence + 1
			returning sequence),
		told as (
			insert into event (tenant_id, kind, resource_type, resource_id, sequence, version, changed, data)
			select current_tenant(), @kind, @type, @id, sequence, nullif(@version, 0), @changed, @data
			  from head
			returning id),
		due as (
			insert into event_due (tenant_id, listener, event_id)
			select current_tenant(), wish.listener, told.id
			  from told, wish)
		select pg_notify(@channel, '') from told`
	changed := e.Changed
	if changed == nil {
		changed = []string{}
	}
	_, err = tx.Exec(
		ctx,
		sql,
		pgx.NamedArgs{"kind": string(e.Kind), "type": e.Resource.Type, "id": e.Resource.ID, "version": e.Version,
			"changed": changed, "data": data, "channel": Channel},
	)
	if err != nil {
		return fmt.Errorf("publish %s: %w", e.Kind, err)
	}
	return nil
}

// members is the data as a JSON object. What is too large to be sent is left out, and truncated says so: an event that
// cannot be described completely must not be undone for it.
func (e Event) members() ([]byte, error) {
	if e.Data == nil {
		return []byte(`{}`), nil
	}
	data, err := json.Marshal(e.Data)
	if err != nil {
		return nil, fmt.Errorf("encode data of %s: %w", e.Kind, err)
	}
	if len(data) == 0 || data[0] != '{' {
		return nil, errors.New("the data of an event must encode to a JSON object")
	}
	if len(data) > maxData {
		return []byte(`{"truncated": true}`), nil
	}
	return data, nil
}

// Wanted reports whether a listener in the tenant wants one of the kinds. A statement over many rows asks before it
// prepares what PublishEach needs.
func Wanted(ctx context.Context, tx *pg.Tx, kinds ...Kind) (wanted bool, err error) {
	const sql = `select exists (select from event_wish where tenant_id = current_tenant() and kind = any($1))`
	if err := tx.QueryRow(ctx, sql, names(kinds)).Scan(&wanted); err != nil {
		return false, fmt.Errorf("ask who wants events: %w", err)
	}
	return wanted, nil
}

// PublishEach is Publish for every row of a query, in one statement. The query gives kind, resource_id, version,
// changed (text[]) and data (jsonb), each resource at most once; its arguments are named. It says how many events were
// written.
func PublishEach(ctx context.Context, tx *pg.Tx, resourceType, query string, args pgx.NamedArgs) (n int64, err error) {
	sql := `
		with news as materialized (
			select q.kind, q.resource_id, q.version, q.changed, q.data
			  from (` + query + `) q (kind, resource_id, version, changed, data)
			 where exists (select from event_wish w where w.tenant_id = current_tenant() and w.kind = q.kind)),
		head as (
			insert into event_head (tenant_id, resource_type, resource_id, sequence)
			select current_tenant(), @event_resource, resource_id, 1
			  from news
			    on conflict (tenant_id, resource_type, resource_id) do update set sequence = event_head.sequence + 1
			returning resource_id, sequence),
		told as (
			insert into event (tenant_id, kind, resource_type, resource_id, sequence, version, changed, data)
			select current_tenant(), n.kind, @event_resource, n.resource_id, h.sequence, n.version, n.changed, n.data
			  from news n
			  join head h on h.resource_id = n.resource_id
			returning id, kind),
		due as (
			insert into event_due (tenant_id, listener, event_id)
			select current_tenant(), w.listener, t.id
			  from told t
			  join event_wish w on w.tenant_id = current_tenant() and w.kind = t.kind)
		select count(*), case when count(*) > 0 then pg_notify(@event_channel, '')::text end from told`
	all := maps.Clone(args)
	if all == nil {
		all = pgx.NamedArgs{}
	}
	all["event_resource"], all["event_channel"] = resourceType, Channel
	if err := tx.QueryRow(ctx, sql, all).Scan(&n, nil); err != nil {
		return 0, fmt.Errorf("publish events of each %s: %w", resourceType, err)
	}
	return n, nil
}

func names(kinds []Kind) []string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = string(k)
	}
	return out
}

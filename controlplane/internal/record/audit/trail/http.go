package trail

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/ocsf"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/trail/search"
)

// Event is an entry as the API shows it.
type Event struct {
	// The number as text.
	ID string `json:"id"`
	audit.Event
	// How it is classed in OCSF.
	OCSF ocsf.Class `json:"ocsf"`
}

func shown(l chain.Link) (Event, error) {
	e, err := audit.Parse(l)
	if err != nil {
		return Event{}, fmt.Errorf("audit event %d cannot be read: %w", l.Seq, err)
	}
	return Event{ID: strconv.FormatInt(l.Seq, 10), Event: e, OCSF: ocsf.ClassOf(e.Action, e.Outcome)}, nil
}

type listIn struct {
	httpapi.Paging
	search.Filters
}

func (s *Service) handleList(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Event], error) {
	walk, err := s.Cursors.Walk(v, "audit-events", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	var links []chain.Link
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if links, total, err = search.List(ctx, tx, in.Filters, walk.Page); err != nil {
			return err
		}
		return noteReading(ctx, tx)
	})
	if err != nil {
		return nil, err
	}
	events := make([]Event, len(links))
	for i, l := range links {
		if events[i], err = shown(l); err != nil {
			return nil, err
		}
	}
	return httpapi.Out(
		walk,
		events,
		total,
		func(e Event) []string { return []string{e.ID, strconv.FormatInt(total, 10)} },
	), nil
}

// noteReading records that a user reads the log, unless that was recorded within the last minute: a reader who pages
// through it would otherwise lengthen it with every page.
func noteReading(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select exists (select from audit_event
		                where tenant_id = (select current_tenant())
		                  and actor_id is not distinct from nullif($1, '')
		                  and action = 'audit.read'
		                  and at > now() - interval '1 minute')`
	var lately bool
	if err := tx.QueryRow(ctx, sql, tx.Viewer.ID).Scan(&lately); err != nil {
		return fmt.Errorf("look for an earlier reading: %w", err)
	}
	if lately {
		return nil
	}
	return audit.Record(ctx, tx, audit.Entry{Action: "audit.read", Subject: theLog(tx)})
}

func theLog(tx *pg.Tx) audit.Subject { return audit.Subject{Type: "tenant", ID: tx.Viewer.Tenant} }

type findIn struct {
	// The event's number.
	ID string `path:"id" maxLength:"64"`
}

func (s *Service) handleFind(ctx context.Context, v viewer.Viewer, in *findIn) (*httpapi.One[Event], error) {
	seq, err := strconv.ParseInt(in.ID, 10, 64)
	if err != nil || strconv.FormatInt(seq, 10) != in.ID {
		return nil, fault.New(fault.NotFound, "Audit event %s was not found.", in.ID)
	}
	var out httpapi.One[Event]
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		const sql = `
			select ` + search.LinkColumns + `
			  from audit_event
			 where tenant_id = (select current_tenant())
			   and seq = $1`
		rows, err := tx.Query(ctx, sql, seq)
		if err != nil {
			return fmt.Errorf("find audit event: %w", err)
		}
		link, err := pgx.CollectExactlyOneRow(rows, search.ScanLink)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.New(fault.NotFound, "Audit event %s was not found.", in.ID)
		}
		if err != nil {
			return fmt.Errorf("find audit event: %w", err)
		}
		if out.Body, err = shown(link); err != nil {
			return err
		}
		out.ETag = `"` + out.Body.Hash[:16] + `"`
		return noteReading(ctx, tx)
	})
	return &out, err
}

// ActionLine is a line of the catalog with its class.
type ActionLine struct {
	audit.Action
	// OCSF class, activity and severity of the action.
	OCSF ocsf.Class `json:"ocsf"`
}

type catalogOut struct {
	Body struct {
		Items []ActionLine `json:"items" nullable:"false"`
		Total int          `json:"total"`
	}
}

func (s *Service) handleCatalog(context.Context, viewer.Viewer, *struct{}) (*catalogOut, error) {
	out := &catalogOut{}
	for _, a := range audit.Catalog() {
		out.Body.Items = append(out.Body.Items, ActionLine{a, ocsf.ClassOf(a.Name, audit.Success)})
	}
	out.Body.Total = len(out.Body.Items)
	return out, nil
}

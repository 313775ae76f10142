package trail

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/spreadsheet"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/trail/search"
)

var csvHeader = []string{
	"seq",
	"time",
	"action",
	"category",
	"outcome",
	"actor_type",
	"actor_id",
	"actor",
	"ip",
	"actor_tenant",
	"subject_type",
	"subject_id",
	"subject",
	"reason",
	"request_id",
	"changes",
	"context",
	"hash",
}

func (e *export) writeCSV(ctx context.Context, w io.Writer) error {
	buffer := newBuffered(w)
	out := spreadsheet.New(&buffer.buf)
	if err := out.Write(csvHeader); err != nil {
		return fmt.Errorf("write export: %w", err)
	}
	err := e.each(ctx, func(l chain.Link) error {
		event, err := audit.Parse(l)
		if err != nil {
			return fmt.Errorf("read audit event %d: %w", l.Seq, err)
		}
		row, err := cells(event)
		if err != nil {
			return err
		}
		if err := out.Write(row); err != nil {
			return fmt.Errorf("write export: %w", err)
		}
		if err := out.Flush(); err != nil {
			return err
		}
		return buffer.write(nil)
	})
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return buffer.flush()
}

func cells(e audit.Event) ([]string, error) {
	changes, err := json.Marshal(e.Changes)
	if err != nil {
		return nil, fmt.Errorf("encode changes: %w", err)
	}
	about, err := json.Marshal(e.Context)
	if err != nil {
		return nil, fmt.Errorf("encode context: %w", err)
	}
	var subject audit.Subject
	if e.Subject != nil {
		subject = *e.Subject
	}
	home := ""
	if e.Elsewhere != nil {
		home = e.Elsewhere.ActorTenant
	}
	request, _ := e.Context["request_id"].(string)
	return []string{
		strconv.FormatInt(
			e.Seq,
			10,
		),
		instant(e.Time),
		e.Action,
		string(e.Category),
		string(e.Outcome),
		e.Actor.Type,
		e.Actor.ID,
		e.Actor.Display,
		e.Actor.IP,
		home,
		subject.Type,
		subject.ID,
		subject.Display,
		e.Reason,
		request,
		string(changes),
		string(about),
		e.Hash,
	}, nil
}

// filteredAfter reads entries that match, in their order.
func filteredAfter(
	ctx context.Context,
	tx *pg.Tx,
	f search.Filters,
	after, through int64,
	limit int,
) ([]chain.Link, error) {
	where := f.Where()
	where.Args["after"], where.Args["through"], where.Args["limit"] = after, through, limit
	sql := `
		select ` + search.LinkColumns + `
		  from audit_event
		 where ` + where.String() + `
		   and seq > @after
		   and seq <= @through
		 order by seq
		 limit @limit`
	return search.ReadLinks(ctx, tx, sql, where.Args)
}

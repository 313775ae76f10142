package workqueue

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Service shows the work queue, and retries and deletes dead letters.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Kinds   []queue.Kind
	Jobs    []queue.Job
}

// list is GET of the tenant's work queue.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[WorkItem], error) {
	walk, err := s.Cursors.Walk(v, "work-queue", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	var rows []placed
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		rows, total, err = listing.Fetch[placed](ctx, tx, q, walk.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := httpapi.Out(walk, rows, total, func(p placed) []string { return []string{p.Place, p.ID} }).Body
	items := make([]WorkItem, len(out.Items))
	for i, p := range out.Items {
		items[i] = s.shown(p.WorkItem)
	}
	return &httpapi.ListOut[WorkItem]{Body: httpapi.List[WorkItem]{
		Items: items, Total: out.Total, Limit: out.Limit, Offset: out.Offset, NextCursor: out.NextCursor,
	}}, nil
}

// shown adds what the code says about the item's kind.
func (s *Service) shown(i WorkItem) WorkItem {
	k, _ := s.kind(i.Kind)
	i.Title, i.SubjectType = k.Title, k.Subject
	return i
}

// summary is GET of the numbers by kind and state.
func (s *Service) summary(ctx context.Context, v viewer.Viewer, _ *struct{}) (*httpapi.One[WorkSummary], error) {
	var out WorkSummary
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = s.summarize(ctx, tx)
		return err
	})
	return &httpapi.One[WorkSummary]{Body: out}, err
}

// retry has a dead letter wait again, with all of its subject.
func (s *Service) retry(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[WorkItem], error) {
	var item WorkItem
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if item, err = findDead(ctx, tx, in.ID); err != nil {
			return err
		}
		entry := s.entry("work_item.retried", item)
		if entry.Context["items"], err = queue.Retry(ctx, tx, item.Kind, subject(item)); err != nil {
			return err
		}
		if item, err = find(ctx, tx, in.ID); err != nil {
			return err
		}
		return audit.Record(ctx, tx, entry)
	})
	return &httpapi.One[WorkItem]{Body: s.shown(item)}, err
}

// retryAll has all dead letters of a kind wait again.
func (s *Service) retryAll(ctx context.Context, v viewer.Viewer, in *retryAllIn) (*httpapi.One[RetriedWork], error) {
	var out RetriedWork
	k, known := s.kind(in.Body.Kind)
	if !known {
		const say = "%q is not a kind of work. GET /settings/work-queue/summary lists the kinds."
		f := fault.New(fault.Invalid, say, in.Body.Kind)
		return nil, f.With(fault.Field{Pointer: "#/kind", Code: "unknown_kind", Detail: f.Message})
	}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if out.Retried, err = queue.RetryAll(ctx, tx, k.Name); err != nil || out.Retried == 0 {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{
			Action:  "work_item.retried",
			Subject: audit.Subject{Type: "work_kind", ID: k.Name, Display: k.Title},
			Context: map[string]any{"items": out.Retried},
		})
	})
	return &httpapi.One[RetriedWork]{Body: out}, err
}

// remove deletes a dead letter, with all of its subject.
func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *deleteIn) (*httpapi.None, error) {
	return nil, s.DB.As(ctx, v, func(tx *pg.Tx) error {
		item, err := findDead(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		entry := s.entry("work_item.deleted", item)
		entry.Reason = in.Reason
		if entry.Context["items"], err = queue.Delete(ctx, tx, item.Kind, subject(item)); err != nil {
			return err
		}
		return audit.Record(ctx, tx, entry)
	})
}

// subject is the subject of an item as the queue keeps it.
func subject(i WorkItem) string {
	if i.SubjectID == nil {
		return queue.Nobody
	}
	return *i.SubjectID
}

// entry is what the audit log keeps about a dead letter: with the error, because the item may soon be gone.
func (s *Service) entry(action string, i WorkItem) audit.Entry {
	k, _ := s.kind(i.Kind)
	e := audit.Entry{
		Action:  action,
		Subject: audit.Subject{Type: "work_item", ID: i.ID, Display: k.Title},
		Context: map[string]any{"kind": i.Kind, "attempts": i.Attempts},
	}
	if i.SubjectID != nil {
		e.Context["subject_id"] = *i.SubjectID
	}
	if i.LastError != nil {
		e.Context["error"] = *i.LastError
	}
	return e
}

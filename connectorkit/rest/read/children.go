package read

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	"github.com/grantwright/grantwright/connectorkit/rest/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/rest/extract"
	"github.com/grantwright/grantwright/connectorkit/rest/paging"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// readChildren reads the streams that hang on the records of st, one stream after the other, and then theirs. from says
// where an earlier reader stopped. marked asks for checkpoints inside, which streams without children of their own
// allow.
func (s *session) readChildren(
	ctx context.Context,
	st *stream.Stream,
	records []*stream.ParentRecord,
	from *checkpoint.ChildPosition,
	marked bool,
) error {
	for i, child := range st.Children {
		if !s.needs(child) || from != nil && from.Child != child.Name {
			continue
		}
		keys, err := s.readChild(ctx, child, i, records, from, marked && len(child.Children) == 0)
		if err != nil {
			return err
		}
		if from = nil; len(child.Children) == 0 {
			continue
		}
		if err := s.readChildren(ctx, child, keys, nil, false); err != nil {
			return err
		}
	}
	return nil
}

// childQueue starts the lists of parents in their order, several at once.
type childQueue struct {
	s     *session
	child *stream.Stream
	// Child among its parent's children.
	nth     int
	records []*stream.ParentRecord
	next    int
	// Of the first list.
	from    *paging.State
	running sync.WaitGroup
	// window are the lists that were started and not yet taken, in order.
	window []*paging.Prefetch
}

// take gives the list that comes next, or nil at the end.
func (q *childQueue) take(ctx context.Context) *paging.Prefetch {
	for q.next < len(q.records) && len(q.window) < q.child.Parent.Concurrency {
		index := q.next
		at := q.records[index].For(q.child, q.nth)
		if q.next++; at == nil {
			q.s.incomplete(q.child.Kinds())
			q.s.warn(
				"parent_without_key",
				fmt.Sprintf(
					"a record of %s has no key by which %s could be read",
					q.child.ParentStream.Name,
					q.child.Name,
				),
				"",
			)
			continue
		}
		f := &paging.Prefetch{Index: index, Parent: at, From: q.from, Batches: make(chan paging.Batch, 1)}
		q.from = nil
		q.start(ctx, f)
		q.window = append(q.window, f)
	}
	if len(q.window) == 0 {
		return nil
	}
	f := q.window[0]
	q.window = q.window[1:]
	return f
}

// readChild reads the i-th child stream of every record. Several lists are read at once, but their rows are passed up
// in the order of the parents, so that the same target always gives the same rows in the same order.
func (s *session) readChild(
	ctx context.Context,
	child *stream.Stream,
	i int,
	records []*stream.ParentRecord,
	from *checkpoint.ChildPosition,
	marked bool,
) ([]*stream.ParentRecord, error) {
	ctx, cancel := context.WithCancel(ctx)
	q := &childQueue{s: s, child: child, nth: i, records: records}
	defer q.running.Wait()
	defer cancel()
	q.resumeAt(from)
	rows := s.rowsOf(child)
	absent := 0
	present := q.next
	var (
		keys []*stream.ParentRecord
		gone error
	)
	for f := q.take(ctx); f != nil; f = q.take(ctx) {
		var err error
		if keys, err = s.emitList(ctx, rows, f, q, keys, marked); err != nil {
			return nil, err
		}
		switch {
		case answer.NotFound(f.Err) && f.Out.Pages == 0:
			absent++
			gone = f.Err
			s.work.grants.markIncomplete(f.Parent.OwnKey)
			s.warn(
				"parent_not_found",
				fmt.Sprintf("the target returned no %s of %s", child.Name, f.Parent.Key),
				f.Parent.Key,
			)
			continue
		case f.Err != nil:
			return nil, f.Err
		}
		present++
		s.warnDuplicateKeys(child, f.Out)
		s.work.grants.add(f.Parent.OwnKey, nil, !f.Out.Short)
		if f.Out.Short {
			s.incomplete(child.Kinds())
			s.warn(
				"fewer_than_announced",
				fmt.Sprintf(
					"%s of %s ended before the number of records that the target announced",
					child.Name,
					f.Parent.Key,
				),
				f.Parent.Key,
			)
		}
	}
	s.answered[child] = s.answered[child] || present > 0
	if absent > 0 && !s.answered[child] {
		// Nobody has any: it is the path that is wrong, not the parents that have left meanwhile.
		return nil, gone
	}
	return keys, nil
}

// resumeAt starts where an earlier reader stopped. The page may have other records by now: the key identifies them, and
// where it is gone the records behind it have moved up.
func (q *childQueue) resumeAt(from *checkpoint.ChildPosition) {
	if from == nil {
		return
	}
	q.next = from.Index
	q.from = from.Page
	for i, r := range q.records {
		if from.Key != "" && r.OwnKey == from.Key {
			q.next = i
			return
		}
	}
	if from.Key == "" {
		return
	}
	q.next = min(from.Index, len(q.records))
	q.from = nil
}

// emitList passes up the rows of one list.
func (s *session) emitList(
	ctx context.Context,
	rows *extract.Rows,
	f *paging.Prefetch,
	q *childQueue,
	keys []*stream.ParentRecord,
	marked bool,
) ([]*stream.ParentRecord, error) {
	before := maps.Clone(s.Tally)
	kept := len(keys)
	for b := range f.Batches {
		if b.Again != nil {
			s.warn(
				b.Again.Code,
				fmt.Sprintf("%s of %s is read again from its beginning: %s", rows.St.Name, f.Parent.Key, b.Again.Why),
				f.Parent.Key,
			)
			s.Tally = maps.Clone(before)
			keys = keys[:kept]
			if f.From != nil {
				s.incomplete(rows.St.Kinds()) // what an earlier reader counted of this list is counted twice now
			}
			continue
		}
		s.budget.Refill()
		page, more, err := s.childRows(rows, b.Records, f.Parent, keys)
		if err == nil {
			err = answer.BudgetExceeded(s.budget, rows.St, nil)
		}
		if err != nil {
			return nil, err
		}
		var after func() string
		if keys = more; marked && b.Ends && s.checkpointDue(page.Len()) {
			after = func() string { return s.checkpointWithin(q.place(f, b)) }
		}
		if page.Len() == 0 && page.Page == nil && after == nil {
			continue
		}
		if err := s.emitPage(ctx, page, after); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// Rows and pages after which a checkpoint inside a family is worth its length.
const (
	RowsPerCheckpoint  = 200
	PagesPerCheckpoint = 20
)

// checkpointDue says whether enough was read since the last checkpoint. Both rows and pages count, since some lists
// have many empty pages: the pages are those that the target has answered, with the empty ones behind the last row.
func (s *session) checkpointDue(rows int) bool {
	s.unmarkedRows += rows
	pages := s.snapshot().Pages
	if s.unmarkedRows+(pages-s.markedPages)*(RowsPerCheckpoint/PagesPerCheckpoint) < RowsPerCheckpoint {
		return false
	}
	s.unmarkedRows, s.markedPages = 0, pages
	return true
}

// place is where to go on behind a page of a list.
func (q *childQueue) place(f *paging.Prefetch, b paging.Batch) checkpoint.ChildPosition {
	if b.Next != nil {
		return checkpoint.ChildPosition{Child: q.child.Name, Index: f.Index, Key: f.Parent.OwnKey, Page: b.Next}
	}
	out := checkpoint.ChildPosition{Child: q.child.Name, Index: f.Index + 1}
	if out.Index < len(q.records) {
		out.Key = q.records[out.Index].OwnKey
	}
	return out
}

// childRows turns records below another one into rows.
func (s *session) childRows(
	rows *extract.Rows,
	records []any,
	at *stream.ParentRecord,
	keys []*stream.ParentRecord,
) (v1.SyncResponse, []*stream.ParentRecord, error) {
	page := v1.SyncResponse{Success: true}
	skipped := s.Skipped
	for _, record := range records {
		if flaw, ok := record.(*jsonpath.Flaw); ok {
			s.skipFlawed(rows.St, rows, &page, flaw)
			continue
		}
		key, ok := rows.Add(&page, record, at)
		var err error
		if keys, err = addParent(s.budget, rows.St, keys, record, key, ok, at); err != nil {
			return page, keys, err
		}
	}
	if at.Parent == nil {
		s.work.grants.add(at.OwnKey, page.Grants, s.Skipped == skipped)
	}
	return page, keys, nil
}

// start reads one list on a goroutine of its own.
func (q *childQueue) start(ctx context.Context, f *paging.Prefetch) {
	q.running.Go(func() {
		defer close(f.Batches)
		f.Err = q.s.prefetchList(ctx, q.child, f)
	})
}

// prefetchList reads the list of one parent. A list that turns out to be another one is read once more.
func (s *session) prefetchList(ctx context.Context, child *stream.Stream, f *paging.Prefetch) error {
	from := f.From
	for lenient := false; ; lenient, from = true, nil {
		pg := paging.New(child, s.Cfg)
		pg.Tolerant = lenient
		if err := pg.Resume(from); err != nil {
			return fmt.Errorf("go on with %s: %w", child.Name, err)
		}
		err := s.ReadAhead(ctx, pg, f, s.count)
		var again *paging.RestartError
		if !errors.As(err, &again) {
			return err
		}
		if err := f.Send(ctx, paging.Batch{Again: again}); err != nil {
			return err
		}
	}
}

package rest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// family reads the streams that hang on the records of st, one stream after the other, and then theirs. from says where an
// earlier reader stopped. marked asks for checkpoints inside, which streams without children of their own allow.
func (s *session) family(ctx context.Context, st *stream, records []*ancestor, from *below, marked bool) error {
	for i, child := range st.children {
		if !s.needs(child) || from != nil && from.Child != child.Name {
			continue
		}
		keys, err := s.brood(ctx, child, i, records, from, marked && len(child.children) == 0)
		if err != nil {
			return err
		}
		if from = nil; len(child.children) == 0 {
			continue
		}
		if err := s.family(ctx, child, keys, nil, false); err != nil {
			return err
		}
	}
	return nil
}

// feed is the list of one parent, read ahead by at most two batches.
type feed struct {
	index   int
	at      *ancestor
	from    *pageState
	batches chan batch
	out     listed
	err     error
}

// batch is a part of a page.
type batch struct {
	records []any
	from    *pageState  // where the page begins
	ends    bool        // the page
	header  http.Header // of the first answer of the list, at the end of its page
	out     listed      // so far
	next    *pageState  // where the next page begins; nil at the end of the list
	again   *relist     // the list begins anew; there are no records
}

// queue starts the lists of parents in their order, several at once.
type queue struct {
	s       *session
	child   *stream
	nth     int // child among its parent's children
	records []*ancestor
	next    int
	from    *pageState // of the first list
	running sync.WaitGroup
	window  []*feed
}

// take gives the list that comes next, or nil at the end.
func (q *queue) take(ctx context.Context) *feed {
	for q.next < len(q.records) && len(q.window) < q.child.Parent.Concurrency {
		index := q.next
		at := q.records[index].as(q.child, q.nth)
		if q.next++; at == nil {
			q.s.incomplete(q.child.kinds())
			q.s.warn("parent_without_key", fmt.Sprintf("a record of %s has no key by which %s could be read", q.child.parent.Name, q.child.Name), "")
			continue
		}
		f := &feed{index: index, at: at, from: q.from, batches: make(chan batch, 1)}
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

// brood reads the i-th child stream of every record. Several lists are read at once, but their rows are passed up in the
// order of the parents, so that the same target always gives the same rows in the same order.
func (s *session) brood(ctx context.Context, child *stream, i int, records []*ancestor, from *below, marked bool) ([]*ancestor, error) {
	ctx, cancel := context.WithCancel(ctx)
	q := &queue{s: s, child: child, nth: i, records: records}
	defer q.running.Wait()
	defer cancel()
	q.goOn(from)
	rows, absent, present := s.rowsOf(child), 0, q.next
	var (
		keys []*ancestor
		gone error
	)
	for f := q.take(ctx); f != nil; f = q.take(ctx) {
		var err error
		if keys, err = s.consume(ctx, rows, f, q, keys, marked); err != nil {
			return nil, err
		}
		switch {
		case isNotFound(f.err) && f.out.pages == 0:
			absent++
			gone = f.err
			s.work.held.broken(f.at.own)
			s.warn("parent_not_found", fmt.Sprintf("the target returned no %s of %s", child.Name, f.at.key), f.at.key)
			continue
		case f.err != nil:
			return nil, f.err
		}
		present++
		s.unique(child, f.out)
		s.work.held.add(f.at.own, nil, !f.out.short)
		if f.out.short {
			s.incomplete(child.kinds())
			s.warn("fewer_than_announced", fmt.Sprintf("%s of %s ended before the number of records that the target announced", child.Name, f.at.key), f.at.key)
		}
	}
	s.answered[child] = s.answered[child] || present > 0
	if absent > 0 && !s.answered[child] {
		// Nobody has any: it is the path that is wrong, not the parents that have left meanwhile.
		return nil, gone
	}
	return keys, nil
}

// goOn starts where an earlier reader stopped. The records of the page may be others by now: the key tells, and where it is
// gone the records behind it have moved up.
func (q *queue) goOn(from *below) {
	if from == nil {
		return
	}
	q.next, q.from = from.Index, from.Page
	for i, r := range q.records {
		if from.Key != "" && r.own == from.Key {
			q.next = i
			return
		}
	}
	if from.Key == "" {
		return
	}
	q.next, q.from = min(from.Index, len(q.records)), nil
}

// consume passes up the rows of one list.
func (s *session) consume(ctx context.Context, rows *rows, f *feed, q *queue, keys []*ancestor, marked bool) ([]*ancestor, error) {
	before, kept := maps.Clone(s.Tally), len(keys)
	for b := range f.batches {
		if b.again != nil {
			s.warn(b.again.code, fmt.Sprintf("%s of %s is read again from its beginning: %s", rows.st.Name, f.at.key, b.again.why), f.at.key)
			s.Tally, keys = maps.Clone(before), keys[:kept]
			if f.from != nil {
				s.incomplete(rows.st.kinds()) // what an earlier reader counted of this list is counted twice now
			}
			continue
		}
		s.budget.Refill()
		page, more, err := s.hand(rows, b.records, f.at, keys)
		if err == nil {
			err = tooCostly(s.budget, rows.st, nil)
		}
		if err != nil {
			return nil, err
		}
		var after func() string
		if keys = more; marked && b.ends && s.due(page.Len()) {
			after = func() string { return s.within(q.place(f, b)) }
		}
		if page.Len() == 0 && page.Page == nil && after == nil {
			continue
		}
		if err := s.pass(ctx, page, after); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// Rows and pages after which a checkpoint inside a family is worth its length.
const (
	rowsUntilMark  = 200
	pagesUntilMark = 20
)

func (s *session) due(rows int) bool {
	s.unmarked += rowsUntilMark/pagesUntilMark + rows
	if s.unmarked < rowsUntilMark {
		return false
	}
	s.unmarked = 0
	return true
}

// place is where to go on behind a page of a list.
func (q *queue) place(f *feed, b batch) below {
	if b.next != nil {
		return below{Child: q.child.Name, Index: f.index, Key: f.at.own, Page: b.next}
	}
	out := below{Child: q.child.Name, Index: f.index + 1}
	if out.Index < len(q.records) {
		out.Key = q.records[out.Index].own
	}
	return out
}

// hand turns records below another one into rows.
func (s *session) hand(rows *rows, records []any, at *ancestor, keys []*ancestor) (v1.SyncResponse, []*ancestor, error) {
	page := v1.SyncResponse{Success: true}
	skipped := s.Skipped
	for _, record := range records {
		if flaw, ok := record.(*jsonpath.Flaw); ok {
			s.setAside(rows.st, rows, &page, flaw)
			continue
		}
		key, ok := rows.add(&page, record, at)
		var err error
		if keys, err = adopt(s.budget, rows.st, keys, record, key, ok, at); err != nil {
			return page, keys, err
		}
	}
	if at.up == nil {
		s.work.held.add(at.own, page.Grants, s.Skipped == skipped)
	}
	return page, keys, nil
}

func (q *queue) start(ctx context.Context, f *feed) {
	q.running.Go(func() {
		defer close(f.batches)
		f.err = q.s.feed(ctx, q.child, f)
	})
}

// feed reads the list of one parent. A list that turns out to be another one is read once more.
func (s *session) feed(ctx context.Context, child *stream, f *feed) error {
	from := f.from
	for lenient := false; ; lenient, from = true, nil {
		pg := newPager(child, s.cfg)
		pg.lenient = lenient
		if err := pg.resume(from); err != nil {
			return fmt.Errorf("go on with %s: %w", child.Name, err)
		}
		err := s.feedPages(ctx, pg, f)
		var again *relist
		if !errors.As(err, &again) {
			return err
		}
		if err := f.send(ctx, batch{again: again}); err != nil {
			return err
		}
	}
}

func (s *session) feedPages(ctx context.Context, pg *pager, f *feed) error {
	for {
		var tail []any
		from := pg.state()
		o, err := s.lister.page(ctx, pg, f.at, func(records []any, last bool) error {
			if last {
				tail = records
				return nil
			}
			return f.send(ctx, batch{records: records, from: from})
		})
		if err != nil {
			return err
		}
		s.count()
		f.out.pages++
		more, err := pg.advance(o)
		if err != nil {
			return err
		}
		f.out.of(pg, o)
		b := batch{records: tail, from: from, ends: true, out: f.out}
		if pg.Pages == 1 {
			b.header = o.header
		}
		if more {
			b.next = pg.state()
		}
		if err := f.send(ctx, b); err != nil || !more {
			return err
		}
	}
}

func (f *feed) send(ctx context.Context, b batch) error {
	select {
	case f.batches <- b:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// isNotFound tells whether the target answered 404 or 410.
func isNotFound(err error) bool {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil {
		return false
	}
	return d.Target.HTTP.Status == http.StatusNotFound || d.Target.HTTP.Status == http.StatusGone
}

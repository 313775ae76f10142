package read

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	"github.com/grantwright/grantwright/connectorkit/rest/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/rest/extract"
	"github.com/grantwright/grantwright/connectorkit/rest/paging"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// What a list is read for.
const (
	readRecords = "records"
	readDeleted = "deleted"
	readPresent = "present"
)

// job is one list that a read goes through from its beginning to its end.
type job struct {
	// Whose records it is about.
	st *stream.Stream
	// The list itself.
	list *stream.Stream
	// what says in messages which list it is.
	what string
}

// kinds are those about which the end of the list says something.
func (j job) kinds() []v1.ObjectKind {
	if j.what == readRecords {
		return j.st.Kinds()
	}
	return stream.OwnKinds(j.st)
}

// lists are the lists of this read, in their order. It is the same for a read that is taken over.
func (s *session) lists() []job {
	var out []job
	for _, st := range s.Cfg.Streams {
		if st.ParentStream != nil || st.ListsDeleted || !s.needs(st) {
			continue
		}
		out = append(out, job{st, st, readRecords})
		if !s.Plan[st.Name].Changes {
			continue
		}
		if st.DeletedList != nil {
			out = append(out, job{st, st.DeletedList, readDeleted})
		}
		if st.PresenceList != nil {
			out = append(out, job{st, st.PresenceList, readPresent})
		}
	}
	return out
}

// pageProgress is what belongs to the page that is read, with the streams that hang on its records.
type pageProgress struct {
	// Rows of the page itself.
	own checkpoint.KindCounts
	// Entitlements made from its records.
	made []uint64
	// grants are the scopes of the page's changed records. Nil: the read is a full one.
	grants *grantScopes
}

// rows notes rows of the page itself.
func (w *pageProgress) rows(page v1.SyncResponse) {
	for kind, n := range countPresent(page) {
		w.count(kind, n)
	}
}

// count adds rows of a kind.
func (w *pageProgress) count(kind v1.ObjectKind, n int) {
	t := w.own[kind]
	t.Count += n
	w.own[kind] = t
}

// readList reads one list. A list that turns out to be another one than that which was begun is read once more from its
// beginning.
func (s *session) readList(ctx context.Context, j job) error {
	for {
		err := s.readPages(ctx, j)
		var again *paging.RestartError
		if !errors.As(err, &again) {
			return err
		}
		s.warn(again.Code, fmt.Sprintf("%s is read again from its beginning: %s", j.list.Name, again.Why), "")
		s.restart()
	}
}

// readPages reads a list page by page, from where the position says. The next page is asked for while the rows of one
// are passed up, so that a read takes hardly longer than its target.
func (s *session) readPages(ctx context.Context, j job) error {
	pg := paging.New(j.list, s.Cfg)
	pg.Tolerant = s.Relisted
	if j.what != readPresent {
		pg.Since = s.Plan[j.st.Name].Parameters()
	}
	below := s.Below
	if err := pg.Resume(s.Page); err != nil {
		return fmt.Errorf("go on with %s: %w", j.list.Name, err)
	}
	ahead, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	f := &paging.Prefetch{Batches: make(chan paging.Batch, 1)}
	running.Go(func() {
		defer close(f.Batches)
		f.Err = s.ReadAhead(ahead, pg, f, s.count)
	})
	var keys []*stream.ParentRecord
	rows := s.rowsOf(j.st)
	fresh := true
	// Where cursors expired while other streams were read between the pages, the pages are read in one go.
	gather := s.Relisted && len(j.st.Children) > 0 && j.what == readRecords
	for b := range f.Batches {
		if fresh {
			s.Page = b.From
			s.Below = nil
			s.work = &pageProgress{own: checkpoint.KindCounts{}, grants: s.newGrantScopes(j)}
		}
		fresh = b.Ends
		s.budget.Refill()
		page, more, err := s.listRows(j, rows, b.Records, keys)
		if err == nil {
			err = answer.BudgetExceeded(s.budget, j.st, nil)
		}
		if err != nil {
			return err
		}
		keys = more
		if !b.Ends {
			s.work.rows(page)
			if err := s.emitPage(ctx, page, nil); err != nil {
				return err
			}
			continue
		}
		if err := s.endPage(ctx, j, b, page, keys, below, gather); err != nil {
			return err
		}
		if below = nil; !gather {
			keys = nil
		}
	}
	if err := ctx.Err(); err != nil {
		return err // whatever became of the page that was read ahead
	}
	return f.Err
}

// endPage passes up the last rows of a page and what hangs on its records, with the checkpoint behind it.
func (s *session) endPage(
	ctx context.Context,
	j job,
	b paging.Batch,
	page v1.SyncResponse,
	keys []*stream.ParentRecord,
	from *checkpoint.ChildPosition,
	gather bool,
) error {
	if b.Header != nil {
		s.began(j, b.Header)
	}
	more := b.Next != nil
	if !more {
		s.attestList(j, b.Out)
	}
	after := func() string {
		if gather && more {
			return ""
		}
		return s.checkpointAfter(b.Next)
	}
	s.work.rows(page)
	if len(keys) == 0 || gather && more {
		return s.emitPage(ctx, s.work.grants.attest(page), after)
	}
	if err := s.emitPage(ctx, page, nil); err != nil {
		return err
	}
	if err := s.readChildren(ctx, j.st, keys, from, !gather && !s.Plan[j.st.Name].Changes); err != nil {
		return err
	}
	return s.emitPage(ctx, s.work.grants.attest(v1.SyncResponse{Success: true}), after)
}

// began notes when a list was begun, by the target's clock.
func (s *session) began(j job, h http.Header) {
	if j.what != readRecords || j.st.Changes == nil {
		return
	}
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		date = time.Time{}
	}
	s.mark(j.st).Started(date.UTC())
}

// maxParents bounds how many records other streams may hang on; only their keys are held.
const maxParents = 1000000

// listRows turns records of a list into what they stand for. It adds the keys of those on which other streams hang.
func (s *session) listRows(
	j job,
	rows *extract.Rows,
	records []any,
	keys []*stream.ParentRecord,
) (v1.SyncResponse, []*stream.ParentRecord, error) {
	page := v1.SyncResponse{Success: true, Page: &v1.Page{}}
	switch j.what {
	case readDeleted:
		s.tombstones(j, &page, records)
		return page, nil, nil
	case readPresent:
		s.listPresent(j, &page, records)
		return page, nil, nil
	}
	changes := s.Plan[j.st.Name].Changes
	for _, record := range records {
		if flaw, ok := record.(*jsonpath.Flaw); ok {
			s.skipFlawed(j.st, rows, &page, flaw)
			continue
		}
		own, known := j.st.KeyOf(s.budget, record)
		if j.st.Changes != nil && s.mark(j.st).Observe(s.budget, j.st.Changes, own, record) && changes {
			continue // it came with the read before, or on a page before
		}
		if j.st.Changes.IsDeleted(s.budget, record) {
			rows.Tombstone(&page, record)
			continue
		}
		if s.changed != nil && known {
			s.changed[answer.Hash(own)] = true
		}
		before := len(page.Grants)
		skipped := s.Skipped
		key, ok := rows.Add(&page, record, nil)
		s.work.grants.add(own, page.Grants[before:], s.Skipped == skipped)
		s.work.made = append(s.work.made, rows.MadeLast...)
		var err error
		if keys, err = addParent(s.budget, j.st, keys, record, key, ok, nil); err != nil {
			return page, keys, err
		}
	}
	return page, keys, nil
}

// addParent adds a record's keys where other streams hang on it.
func addParent(
	b *jsonpath.Budget,
	st *stream.Stream,
	keys []*stream.ParentRecord,
	record any,
	key string,
	ok bool,
	at *stream.ParentRecord,
) ([]*stream.ParentRecord, error) {
	if len(st.Children) == 0 {
		return keys, nil
	}
	if len(keys) >= maxParents {
		return keys, &v1.ErrorDetail{
			Class: v1.ClassConfig, Code: "too_many_parents", Phase: st.Name,
			Message: fmt.Sprintf(
				"%s has more than %d records, too many for other streams to hang on",
				st.Name,
				maxParents,
			),
		}
	}
	return append(
		keys,
		&stream.ParentRecord{
			Object:    st.Object,
			OwnKey:    key,
			ChildKeys: stream.ChildKeys(b, st, record, key, ok),
			Parent:    at,
		},
	), nil
}

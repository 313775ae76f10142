package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
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
	st   *stream // whose records it is about
	list *stream // the list itself
	what string
}

// kinds are those about which the end of the list says something.
func (j job) kinds() []v1.ObjectKind {
	if j.what == readRecords {
		return j.st.kinds()
	}
	return ownKinds(j.st)
}

// ownKinds are the kinds that the records of a stream are themselves.
func ownKinds(st *stream) []v1.ObjectKind {
	var out []v1.ObjectKind
	for _, object := range rowsOf(st.Object) {
		out = append(out, rowKinds[object])
	}
	return out
}

var rowKinds = map[string]v1.ObjectKind{
	objectIdentity: v1.Identities, objectAccount: v1.Accounts, objectEntitlement: v1.Entitlements, objectGrant: v1.Grants,
}

// lists are the lists of this read, in their order. It is the same for a read that is taken over.
func (s *session) lists() []job {
	var out []job
	for _, st := range s.cfg.streams {
		if st.parent != nil || st.serves || !s.needs(st) {
			continue
		}
		out = append(out, job{st, st, readRecords})
		if !s.Plan[st.Name].Changes {
			continue
		}
		if st.deleted != nil {
			out = append(out, job{st, st.deleted, readDeleted})
		}
		if st.presence != nil {
			out = append(out, job{st, st.presence, readPresent})
		}
	}
	return out
}

// pageWork is what belongs to the page that is read, with the streams that hang on its records.
type pageWork struct {
	own  tallies  // rows of the page itself
	made []uint64 // entitlements made from its records
	held *holdings
}

// rows notes rows of the page itself.
func (w *pageWork) rows(page v1.SyncResponse) {
	for kind, n := range living(page) {
		w.count(kind, n)
	}
}

func (w *pageWork) count(kind v1.ObjectKind, n int) {
	t := w.own[kind]
	t.Count += n
	w.own[kind] = t
}

// run reads one list. A list that turns out to be another one than that which was begun is read once more from its beginning.
func (s *session) run(ctx context.Context, j job) error {
	for {
		err := s.through(ctx, j)
		var again *relist
		if !errors.As(err, &again) {
			return err
		}
		s.warn(again.code, fmt.Sprintf("%s is read again from its beginning: %s", j.list.Name, again.why), "")
		s.restart()
	}
}

// through reads a list page by page, from where the position says. The next page is asked for while the rows of one are
// passed up, so that a read takes hardly longer than its target.
func (s *session) through(ctx context.Context, j job) error {
	pg := newPager(j.list, s.cfg)
	pg.lenient = s.Relisted
	if j.what != readPresent {
		pg.since = s.Plan[j.st.Name].params()
	}
	below := s.Below
	if err := pg.resume(s.Page); err != nil {
		return fmt.Errorf("go on with %s: %w", j.list.Name, err)
	}
	ahead, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	f := &feed{batches: make(chan batch, 1)}
	running.Go(func() {
		defer close(f.batches)
		f.err = s.feedPages(ahead, pg, f)
	})
	var keys []*ancestor
	rows, fresh := s.rowsOf(j.st), true
	// Where cursors expired while other streams were read between the pages, the pages are read in one go.
	gather := s.Relisted && len(j.st.children) > 0 && j.what == readRecords
	for b := range f.batches {
		if fresh {
			s.Page, s.Below = b.from, nil
			s.work = &pageWork{own: tallies{}, held: s.holdings(j)}
		}
		fresh = b.ends
		s.budget.Refill()
		page, more, err := s.take(j, rows, b.records, keys)
		if err == nil {
			err = tooCostly(s.budget, j.st, nil)
		}
		if err != nil {
			return err
		}
		keys = more
		if !b.ends {
			s.work.rows(page)
			if err := s.pass(ctx, page, nil); err != nil {
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
	return f.err
}

// endPage passes up the last rows of a page and what hangs on its records, with the checkpoint behind it.
func (s *session) endPage(ctx context.Context, j job, b batch, page v1.SyncResponse, keys []*ancestor, from *below, gather bool) error {
	if b.header != nil {
		s.began(j, b.header)
	}
	more := b.next != nil
	if !more {
		s.conclude(j, b.out)
	}
	after := func() string {
		if gather && more {
			return ""
		}
		return s.behind(b.next)
	}
	s.work.rows(page)
	if len(keys) == 0 || gather && more {
		return s.pass(ctx, s.work.held.close(page), after)
	}
	if err := s.pass(ctx, page, nil); err != nil {
		return err
	}
	if err := s.family(ctx, j.st, keys, from, !gather && !s.Plan[j.st.Name].Changes); err != nil {
		return err
	}
	return s.pass(ctx, s.work.held.close(v1.SyncResponse{Success: true}), after)
}

// began notes when a list was begun, by the target's clock.
func (s *session) began(j job, h http.Header) {
	if j.what != readRecords || j.st.incremental == nil {
		return
	}
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		date = time.Time{}
	}
	s.mark(j.st).began(date.UTC())
}

// maxParents bounds how many records other streams may hang on; only their keys are held.
const maxParents = 1000000

// take turns records of a list into what they stand for. It adds the keys of those on which other streams hang.
func (s *session) take(j job, rows *rows, records []any, keys []*ancestor) (v1.SyncResponse, []*ancestor, error) {
	page := v1.SyncResponse{Success: true, Page: &v1.Page{}}
	switch j.what {
	case readDeleted:
		s.tombstones(j, &page, records)
		return page, nil, nil
	case readPresent:
		s.present(j, &page, records)
		return page, nil, nil
	}
	changes := s.Plan[j.st.Name].Changes
	for _, record := range records {
		if flaw, ok := record.(*jsonpath.Flaw); ok {
			s.setAside(j.st, rows, &page, flaw)
			continue
		}
		own, known := j.st.keyOf(s.budget, record)
		if j.st.incremental != nil && s.mark(j.st).see(s.budget, j.st.incremental, own, record) && changes {
			continue // it came with the read before, or on a page before
		}
		if j.st.incremental.deletes(s.budget, record) {
			rows.tombstone(&page, record)
			continue
		}
		if s.changed != nil && known {
			s.changed[hashOf(own)] = true
		}
		before, skipped := len(page.Grants), s.Skipped
		key, ok := rows.add(&page, record, nil)
		s.work.held.add(own, page.Grants[before:], s.Skipped == skipped)
		s.work.made = append(s.work.made, rows.madeLast...)
		var err error
		if keys, err = adopt(s.budget, j.st, keys, record, key, ok, nil); err != nil {
			return page, keys, err
		}
	}
	return page, keys, nil
}

// adopt adds a record's keys where other streams hang on it.
func adopt(b *jsonpath.Budget, st *stream, keys []*ancestor, record any, key string, ok bool, at *ancestor) ([]*ancestor, error) {
	if len(st.children) == 0 {
		return keys, nil
	}
	if len(keys) >= maxParents {
		return keys, &v1.ErrorDetail{
			Class: v1.ClassConfig, Code: "too_many_parents", Phase: st.Name,
			Message: fmt.Sprintf("%s has more than %d records, too many for other streams to hang on", st.Name, maxParents),
		}
	}
	return append(keys, &ancestor{object: st.Object, own: key, record: childKeys(b, st, record, key, ok), up: at}), nil
}

// childKeys are the keys under which the children of st know a record, by the child's place among them.
func childKeys(b *jsonpath.Budget, st *stream, record any, key string, ok bool) []string {
	out := make([]string, len(st.children))
	for i, child := range st.children {
		if child.parentKey == nil {
			if ok {
				out[i] = key
			}
			continue
		}
		v, _ := child.parentKey.First(b, record)
		out[i], _ = textOf(v)
	}
	return out
}

// setAside tells of a record that cannot be passed on. Where its key can be read it counts as still there.
func (s *session) setAside(st *stream, rows *rows, page *v1.SyncResponse, flaw *jsonpath.Flaw) {
	key, _ := st.keyOf(s.budget, flaw.Record)
	kinds := st.kinds()
	if st.Object == objectGrant || len(kinds) > len(ownKinds(st)) {
		key = "" // a grant has no key of its own, and what hangs in the record cannot be told either
	}
	where := "a record"
	if key != "" {
		where = "the record " + cutText(key, 100)
	}
	rows.skip("flawed_record", fmt.Sprintf("%s of %s cannot be passed on and was set aside: %s", where, st.Name, flaw.Why), key, kinds...)
	if key == "" {
		return
	}
	if s.changed != nil {
		return // the list of what is there names it
	}
	s.thereStill(st, page, key)
	if st.parent == nil {
		for _, kind := range ownKinds(st) {
			s.work.count(kind, 1)
		}
	}
}

// thereStill notes records that are in the target, without their content.
func (s *session) thereStill(st *stream, page *v1.SyncResponse, keys ...string) {
	if page.Page == nil {
		page.Page = &v1.Page{}
	}
	for _, kind := range ownKinds(st) {
		if !s.wanted[kind] || len(keys) == 0 {
			continue
		}
		s.add(kind, len(keys))
		at := -1
		for i, p := range page.Page.Present {
			if p.Kind == kind {
				at = i
			}
		}
		if at < 0 {
			page.Page.Present = append(page.Page.Present, v1.Present{Kind: kind})
			at = len(page.Page.Present) - 1
		}
		page.Page.Present[at].ExternalIDs = append(page.Page.Present[at].ExternalIDs, keys...)
	}
}

// tombstones notes records that were deleted.
func (s *session) tombstones(j job, page *v1.SyncResponse, records []any) {
	for _, record := range records {
		key, ok := j.list.keyOf(s.budget, record)
		if _, flawed := record.(*jsonpath.Flaw); flawed || !ok {
			s.warn("record_without_key", fmt.Sprintf("a record of %s has no key that can be read; it was skipped", j.list.Name), "")
			continue
		}
		bury(page, j.st, key)
	}
}

// present notes records that are still there. Those that came as changed are counted already.
func (s *session) present(j job, page *v1.SyncResponse, records []any) {
	keys := make([]string, 0, len(records))
	again := 0
	for _, record := range records {
		if flaw, ok := record.(*jsonpath.Flaw); ok {
			record = flaw.Record
		}
		key, ok := j.list.keyOf(s.budget, record)
		if !ok {
			s.incomplete(ownKinds(j.st))
			s.warn("record_without_key", fmt.Sprintf("a record of %s has no key; nothing is concluded from that list", j.list.Name), "")
			continue
		}
		if s.changed[hashOf(key)] {
			again++
		}
		keys = append(keys, key)
	}
	s.thereStill(j.st, page, keys...)
	for _, kind := range ownKinds(j.st) {
		if s.wanted[kind] {
			s.add(kind, -again)
		}
	}
}

package ldapdir

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/jimlambrt/gldap"

	"github.com/grantwright/grantwright/e2e/targets/ldapdir/schema"
)

// query is a search request, understood.
type query struct {
	base   string // norm
	scope  gldap.Scope
	match  matcher
	want   selection
	limit  int // entries this answer may hold
	paging *gldap.ControlPaging
	from   uint64 // place to go on from
	stamp  uint32 // ties a cookie to its search
}

// refusal is a result code with its text.
type refusal struct {
	code    int
	text    string
	matched string
}

func (r refusal) Error() string { return fmt.Sprintf("%d: %s", r.code, r.text) }

// search answers one search request, or one page of it.
func (s *Server) search(w *gldap.ResponseWriter, r *gldap.Request) {
	done := r.NewSearchDoneResponse(gldap.WithResponseCode(gldap.ResultSuccess))
	m, err := r.GetSearchMessage()
	if err != nil {
		done.SetResultCode(gldap.ResultProtocolError)
		_ = w.Write(done)
		return
	}
	if refused := s.answer(w, r, m, done); refused != nil {
		done.SetResultCode(refused.code)
		done.SetDiagnosticMessage(refused.text)
		done.SetMatchedDN(refused.matched)
	}
	_ = w.Write(done)
}

// answer writes the entries, and puts the next cookie on done.
func (s *Server) answer(
	w *gldap.ResponseWriter,
	r *gldap.Request,
	m *gldap.SearchMessage,
	done *gldap.SearchResponseDone,
) *refusal {
	faults := s.faults.Load()
	if refused := s.mishap(faults); refused != nil {
		return refused
	}
	q, refused := s.understand(m)
	if refused != nil {
		return refused
	}
	if q.paging != nil && q.paging.PagingSize == 0 && len(q.paging.Cookie) > 0 {
		done.SetControls(&gldap.ControlPaging{}) // the client gives up its paged search (RFC 2696 section 3)
		return nil
	}
	candidates, refused := s.candidates(q, r.ConnectionID())
	if refused != nil {
		return refused
	}
	return s.stream(w, r, q, m, candidates, done, faults)
}

// mishap carries out the faults that precede an answer.
func (s *Server) mishap(f *Faults) *refusal {
	n := int(s.searches.Add(1))
	time.Sleep(f.Delay)
	switch {
	case f.BusyEvery > 0 && n%f.BusyEvery == 0:
		return &refusal{code: gldap.ResultBusy, text: "the server is busy"}
	case f.UnavailableEvery > 0 && n%f.UnavailableEvery == 0:
		return &refusal{code: gldap.ResultUnavailable, text: "the server is shutting down"}
	}
	return nil
}

// understand checks the request: names, filter, controls and cookie.
func (s *Server) understand(m *gldap.SearchMessage) (query, *refusal) {
	q := query{scope: m.Scope, want: newSelection(m.Attributes), limit: s.cfg.SizeLimit}
	var err error
	if q.base, err = normalDN(m.BaseDN); err != nil {
		return q, &refusal{code: gldap.ResultInvalidDNSyntax, text: "invalid DN"}
	}
	if q.match, err = compile(m.Filter); err != nil {
		return q, &refusal{code: gldap.ResultProtocolError, text: err.Error()}
	}
	q.stamp = stamp(q.base, m)
	for _, c := range m.Controls {
		switch c := c.(type) {
		case *gldap.ControlPaging:
			q.paging = c
		case *gldap.ControlString:
			if c.Criticality {
				return q, &refusal{
					code: gldap.ResultUnavailableCriticalExtension,
					text: "critical control " + c.ControlType + " is not supported",
				}
			}
		}
	}
	if q.paging == nil {
		return q, nil
	}
	q.limit = min(int(q.paging.PagingSize), s.cfg.MaxPage)
	var refused *refusal
	q.from, refused = openCookie(q.paging.Cookie, q.stamp)
	return q, refused
}

// stamp is a number that differs between searches with different base, scope or filter.
func stamp(base string, m *gldap.SearchMessage) uint32 {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s\x00%d\x00%s", base, m.Scope, m.Filter)
	return h.Sum32()
}

// cookie says where the next page begins. It names an entry's place, not a count: entries that come
// or go between two pages move nobody out of sight.
func cookie(next uint64, stamp uint32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, next), stamp)
}

func openCookie(c []byte, stamp uint32) (uint64, *refusal) {
	if len(c) == 0 {
		return 0, nil
	}
	if len(c) != 12 || binary.BigEndian.Uint32(c[8:]) != stamp {
		return 0, &refusal{code: gldap.ResultUnwillingToPerform, text: "paged results cookie is invalid"}
	}
	return binary.BigEndian.Uint64(c), nil
}

// candidates gives the entries in scope that are yet to be judged, in order.
func (s *Server) candidates(q query, connection int) ([]*entry, *refusal) {
	if q.scope == gldap.BaseObject && q.base == "" {
		return []*entry{s.rootDSE()}, nil
	}
	if q.scope == gldap.BaseObject && q.base == schema.DN {
		return []*entry{subschema()}, nil
	}
	base, all := s.dir.snapshot(q.base)
	if base == nil && q.base != "" {
		return nil, &refusal{code: gldap.ResultNoSuchObject, text: "no such object", matched: s.above(q.base)}
	}
	if !s.mayRead(connection) {
		return nil, &refusal{code: gldap.ResultInsufficientAccessRights, text: "anonymous clients may not read here"}
	}
	if q.scope == gldap.BaseObject {
		return []*entry{base}, nil
	}
	at, _ := position(all, q.from)
	return all[at:], nil
}

// above is the nearest name over one that is missing (matchedDN).
func (s *Server) above(norm string) string {
	for norm != "" {
		_, norm, _ = strings.Cut(norm, ",")
		if e, _ := s.dir.snapshot(norm); e != nil {
			return e.dn
		}
	}
	return ""
}

// stream writes what matches until the limit of the search or page.
func (s *Server) stream(
	w *gldap.ResponseWriter,
	r *gldap.Request,
	q query,
	m *gldap.SearchMessage,
	from []*entry,
	done *gldap.SearchResponseDone,
	f *Faults,
) *refusal {
	if q.scope == gldap.BaseObject {
		f = &Faults{} // what is looked at by name is no list that can be cut
	}
	sent := 0
	for _, e := range from {
		if !inScope(e, q) || q.match(e) != yes {
			continue
		}
		switch {
		case sent == q.limit && q.paging != nil:
			done.SetControls(&gldap.ControlPaging{Cookie: cookie(e.seq, q.stamp)})
			return nil
		case sent == q.limit, m.SizeLimit > 0 && sent == int(m.SizeLimit):
			return &refusal{code: gldap.ResultSizeLimitExceeded, text: "size limit exceeded"}
		case f.SizeAfter > 0 && sent == f.SizeAfter:
			return &refusal{code: gldap.ResultSizeLimitExceeded, text: "size limit exceeded"}
		case f.LimitAfter > 0 && sent == f.LimitAfter:
			return &refusal{code: gldap.ResultAdminLimitExceeded, text: "administrative limit exceeded"}
		}
		if f.EndAfter < 0 || f.EndAfter > 0 && sent == f.EndAfter {
			break
		}
		answer := r.NewSearchResponseEntry(e.dn)
		q.want.write(e, m.TypesOnly, f.veil(answer.AddAttribute))
		if err := w.Write(answer); err != nil {
			return &refusal{code: gldap.ResultUnavailable, text: "the client has gone"}
		}
		sent++
	}
	if q.paging != nil {
		done.SetControls(&gldap.ControlPaging{})
	}
	return nil
}

// veil leaves out the attributes that are hidden.
func (f *Faults) veil(add func(string, []string)) func(string, []string) {
	return func(name string, values []string) {
		if !slices.Contains(f.Hidden, strings.ToLower(name)) {
			add(name, values)
		}
	}
}

// inScope says whether an entry lies where the search looks.
func inScope(e *entry, q query) bool {
	switch q.scope {
	case gldap.BaseObject:
		return true
	case gldap.SingleLevel:
		return e.parent == q.base
	default:
		return q.base == "" || e.norm == q.base ||
			strings.HasSuffix(e.norm, q.base) && e.norm[len(e.norm)-len(q.base)-1] == ','
	}
}

// selection says which attributes the client wants (RFC 4511 section 4.5.1.8, RFC 3673).
type selection struct {
	user, operational bool
	names             map[string]bool
}

func newSelection(attributes []string) selection {
	sel := selection{user: len(attributes) == 0, names: map[string]bool{}}
	for _, a := range attributes {
		switch a {
		case "*":
			sel.user = true
		case "+":
			sel.operational = true
		case "1.1":
		default:
			sel.names[schema.Canonical(a)] = true
		}
	}
	return sel
}

// write hands over the selected attributes of an entry.
func (sel selection) write(e *entry, typesOnly bool, add func(string, []string)) {
	each := func(attributes []attribute, all bool) {
		for _, a := range attributes {
			switch {
			case !all && !sel.names[strings.ToLower(a.name)]:
			case typesOnly:
				add(a.name, nil)
			default:
				add(a.name, a.values)
			}
		}
	}
	each(e.user, sel.user)
	each(e.operational, sel.operational)
}

package full

import (
	"slices"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// keysPerPage is how many entries one page of a sweep names. People are named twice, as identities and as accounts.
const keysPerPage = v1.MaxPresent / 2

// PageEnd runs what is left to do between the pages of a search for o.
func (r *Reader) PageEnd(o read.Objects) func() error {
	entries := 0
	return func() error {
		r.Stats.Pages++
		entries += r.PageSize
		r.ReportAlive(o.Phase, entries)
		return r.FinishPage()
	}
}

// ListKeys reads the keys of all entries and nothing else, so that what is gone is found where the directory
// does not tell. What is proven already is left out.
func (r *Reader) ListKeys() error {
	for _, o := range r.Objects() {
		if len(o.Kinds) == 0 || slices.ContainsFunc(r.ProvenScopes, func(s v1.Scope) bool {
			return s.Kind == o.Kinds[0]
		}) {
			continue
		}
		r.Report(o.Phase, "looking which "+o.Noun+" are still there")
		if err := r.listKeysOf(o); err != nil {
			return err
		}
		r.ProvenScopes = append(r.ProvenScopes, r.Scopes(o.Kinds...)...)
	}
	return nil
}

// listKeysOf reads the keys of people or groups and emits them as present. What the receiver knows
// and does not find among them is gone, if the search ended with success.
func (r *Reader) listKeysOf(o read.Objects) error {
	p := PresentKeys{Reader: r, Objects: o}
	out, err := r.SearchAll(
		r.Ctx, o.Phase, r.SearchRequest(o, o.Whole(), []string{r.IdAttribute}), p.addEntry, r.PageEnd(o),
	)
	if err != nil {
		return err
	}
	if err := p.Flush(); err != nil {
		return err
	}
	for _, k := range o.Kinds {
		r.Counts[k] = p.Count
	}
	r.noteKeyOutcome(o, out)
	if out.Entries == 0 {
		return r.CheckEmpty(o)
	}
	return nil
}

// noteKeyOutcome notes how a sweep went. It proves nothing about members.
func (r *Reader) noteKeyOutcome(o read.Objects, out session.Outcome) {
	if out.Unpaged {
		r.MarkIncomplete(o.Kinds...)
		r.Warnings.Add(
			"paging_unsupported", "",
			"the directory did not answer the search for the keys of "+o.Noun+
				" in pages, so nothing is treated as deleted",
		)
	}
}

// PresentKeys names entries that are still there.
type PresentKeys struct {
	*Reader
	read.Objects
	ids   []string // not yet emitted
	Count int
}

// addEntry adds the key of an entry. One without a key makes the list incomplete: its record may
// exist and would pass for deleted.
func (p *PresentKeys) addEntry(e *wire.Entry) error {
	id := p.KeyOf(e)
	if id == "" {
		p.SkipEntry(e, p.Kinds...)
		return nil
	}
	return p.Add(id)
}

// Add notes a key, and emits a page when enough of them have come.
func (p *PresentKeys) Add(id string) error {
	p.Count++
	p.ids = append(p.ids, id)
	if len(p.ids) >= keysPerPage {
		return p.Flush()
	}
	return nil
}

// Flush emits the keys that have come since the last page.
func (p *PresentKeys) Flush() error {
	if len(p.ids) == 0 {
		return nil
	}
	out := p.NewPage()
	for _, k := range p.Kinds {
		out.Page.Present = append(out.Page.Present, v1.Present{Kind: k, ExternalIDs: p.ids})
	}
	p.ids = nil
	return p.Send(out)
}

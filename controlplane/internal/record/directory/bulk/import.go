package bulk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/attribute"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity/reference"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/pin"
)

// Service imports and exports identities. All fields are needed.
type Service struct {
	DB  *pg.DB
	Now func() time.Time
}

// importAtOnce is how many rows one transaction makes true.
const importAtOnce = 2000

// Imported says what became of an import.
type Imported struct {
	// Mode of the import. preview: nothing was written. apply: the valid rows were imported.
	Mode string `json:"mode" enum:"preview,apply"`
	// Number of rows in the data.
	Rows int `json:"rows"`
	// Number of identities that were created, or would be in a preview.
	Created int `json:"created"`
	// Number of identities that were updated, or would be in a preview.
	Updated int `json:"updated"`
	// Number of rows that change nothing.
	Unchanged int `json:"unchanged"`
	// Number of rows with errors. They were not imported.
	Failed int `json:"failed"`
	// Of every row, in the order of the lines.
	Results []RowTaken `json:"results" nullable:"false"`
}

// RowTaken says what became of one row.
type RowTaken struct {
	// Of the data, from 1; the header of CSV is the first.
	Line int `json:"line"`
	// The external_id in the row. Absent if the row has none.
	ExternalID string `json:"external_id,omitempty"`
	// In a preview: what would become of it.
	Outcome string `json:"outcome" enum:"created,updated,unchanged,failed"`
	// ID of the identity that the row created or matched. In a preview, the ID of a new identity is not final. Absent
	// if failed.
	IdentityID string `json:"identity_id,omitempty"`
	// The fields that differ.
	Changed []string `json:"changed,omitempty"`
	// Members with unknown names.
	Ignored []string `json:"ignored,omitempty"`
	// What is wrong with the row, if outcome is failed.
	Errors []fault.Field `json:"errors,omitempty"`
}

// entry is a row on its way into the store.
type entry struct {
	record
	result        *RowTaken
	before, after identity.Identity
	isNew         bool
	changes       []audit.Change
}

// importer is a running import.
type importer struct {
	service *Service
	preview bool
	result  *Imported
	seen    map[string]int // line by external_id, and by address
	batch   []*entry
}

// Import applies rows, some thousands a transaction: an identity with the external_id is changed in the members of the
// row, otherwise one is created. An invalid row is skipped. An unchanged row is not written, so an interrupted import
// can be sent again.
func (s *Service) Import(ctx context.Context, v viewer.Viewer, mode, format, data string) (*Imported, error) {
	l := &importer{
		service: s,
		preview: mode != "apply",
		result:  &Imported{Mode: mode, Results: []RowTaken{}},
		seen:    map[string]int{},
	}
	// Places of results are kept while more come.
	l.result.Results = make([]RowTaken, 0, min(maxImport, strings.Count(data, "\n")+1))
	err := rows(format, data, func(r record) error {
		if l.result.Rows++; l.result.Rows > maxImport {
			return fault.Coded(fault.Invalid, "too_many_rows", "an import has at most %d rows; those before line %d "+
				"were taken", maxImport, r.line).
				Also("line", r.line)
		}
		l.add(r)
		if len(l.batch) == importAtOnce {
			return l.commit(ctx, v)
		}
		return nil
	})
	if err == nil {
		err = l.commit(ctx, v)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range l.result.Results {
		*map[string]*int{"created": &l.result.Created, "updated": &l.result.Updated, "unchanged": &l.result.Unchanged,
			"failed": &l.result.Failed}[r.Outcome]++
	}
	if l.preview {
		return l.result, nil
	}
	return l.result, s.DB.As(ctx, v, func(tx *pg.Tx) error {
		return audit.Record(
			ctx,
			tx,
			audit.Entry{
				Action:  "identity.imported",
				Subject: audit.Subject{Type: "tenant", ID: v.Tenant},
				Context: map[string]any{
					"rows":      l.result.Rows,
					"created":   l.result.Created,
					"updated":   l.result.Updated,
					"unchanged": l.result.Unchanged,
					"failed":    l.result.Failed,
				},
			},
		)
	})
}

// add validates a row and puts it into the batch.
func (l *importer) add(r record) {
	ignored := r.validate()
	id := r.externalID()
	if first, twice := l.seen[id]; id != "" && twice {
		r.wrong = append(
			r.wrong,
			fault.Field{
				Pointer: "#/external_id",
				Code:    "repeated",
				Detail:  fmt.Sprintf("line %d is about the same", first),
			},
		)
	} else if id != "" {
		l.seen[id] = r.line
	}
	l.result.Results = append(l.result.Results, RowTaken{Line: r.line, ExternalID: id, Ignored: ignored})
	l.batch = append(l.batch, &entry{record: r, result: &l.result.Results[len(l.result.Results)-1]})
}

// fail marks the row as failed.
func (e *entry) fail(fields ...fault.Field) { e.wrong = append(e.wrong, fields...) }

// failWith marks the row as failed if err is a fault of the request. Any other error ends the
// import, and is returned.
func (e *entry) failWith(err error) error {
	var f *fault.Fault
	if !errors.As(err, &f) || f.Kind == fault.Internal || f.Kind == fault.Unavailable {
		return err
	}
	if len(f.Fields) > 0 {
		e.fail(f.Fields...)
	} else {
		e.fail(fault.Field{Code: f.Code, Detail: f.Message})
	}
	return nil
}

// commit applies a batch in one transaction, or previews it.
func (l *importer) commit(ctx context.Context, v viewer.Viewer) error {
	if len(l.batch) == 0 {
		return nil
	}
	err := l.service.DB.As(ctx, v, func(tx *pg.Tx) error {
		for _, e := range l.batch { // a transaction may be tried again
			e.before, e.after, e.isNew, e.changes = identity.Identity{}, identity.Identity{}, false, nil
		}
		if err := l.prepare(ctx, tx); err != nil {
			return err
		}
		if l.preview {
			return nil
		}
		return l.write(ctx, tx)
	})
	switch {
	case pg.Violates(err, "identity_email_unique") || pg.Violates(err, "identity_external_id_unique"):
		for _, e := range l.batch { // another transaction wrote at the same time
			e.fail(
				fault.Field{Code: "conflict", Detail: "the same identity was changed concurrently; send the row again"},
			)
		}
	case err != nil:
		return err
	}
	for _, e := range l.batch {
		e.conclude()
	}
	l.batch = l.batch[:0]
	return nil
}

// conclude writes the outcome of the row into its result: failed, created, updated or unchanged.
func (e *entry) conclude() {
	switch {
	case len(e.wrong) > 0:
		e.result.Outcome, e.result.Errors = "failed", e.wrong
		return
	case e.isNew:
		e.result.Outcome = "created"
	case len(e.changes) > 0:
		e.result.Outcome = "updated"
	default:
		e.result.Outcome = "unchanged"
	}
	if e.result.IdentityID = e.after.ID; !e.isNew {
		for _, c := range e.changes {
			e.result.Changed = append(e.result.Changed, c.Field)
		}
	}
}

// prepare decides for each row which identity it creates or changes, and how.
func (l *importer) prepare(ctx context.Context, tx *pg.Tx) error {
	lifecycle, err := rules.Find(ctx, tx)
	if err != nil {
		return err
	}
	schema, err := attribute.FindSchema(ctx, tx)
	if err != nil {
		return err
	}
	known, err := l.findExisting(ctx, tx)
	if err != nil {
		return err
	}
	clock := lifecycle.Clock(l.service.Now())
	for _, e := range l.batch {
		if len(e.wrong) > 0 {
			continue
		}
		if err := e.failWith(e.apply(known[e.externalID()], clock, tx.Viewer, schema)); err != nil {
			return err
		}
	}
	if err := l.checkAddresses(ctx, tx); err != nil {
		return err
	}
	return l.checkSponsors(ctx, tx)
}

// findExisting are the identities that the rows name, by external_id, locked.
func (l *importer) findExisting(ctx context.Context, tx *pg.Tx) (map[string][]identity.Identity, error) {
	ids := make([]string, 0, len(l.batch))
	for _, e := range l.batch {
		if len(e.wrong) == 0 {
			ids = append(ids, e.externalID())
		}
	}
	sql := `select ` + identity.Columns + ` from identity i where i.tenant_id = current_tenant()
		and i.external_id = any($1) and i.status <> 'archived' order by i.id for update of i`
	found, err := pg.All[identity.Identity](ctx, tx, "find whom an import is about", sql, ids)
	if err != nil {
		return nil, err
	}
	known := map[string][]identity.Identity{}
	for _, i := range found {
		known[i.ExternalID] = append(known[i.ExternalID], i)
	}
	return known, nil
}

// apply computes what the row makes of an existing or a new identity.
func (e *entry) apply(known []identity.Identity, c rules.Clock, v viewer.Viewer, schema attribute.Schema) error {
	if len(known) > 1 {
		return fault.Coded(
			fault.Conflict,
			"ambiguous_external_id",
			"identities of several sources have this external_id",
		)
	}
	e.isNew = len(known) == 0
	kind, _ := e.members["kind"].(string)
	if kind == "" {
		kind = "human"
	}
	if e.isNew {
		e.after = identity.Identity{
			ID:           uuid.Must(uuid.NewV7()).String(),
			ExternalID:   e.externalID(),
			Kind:         kind,
			Standing:     rules.Active,
			StatusSource: "import",
		}
	} else {
		e.before, e.after = known[0], known[0]
	}
	if given, _ := e.members["attributes"].(map[string]any); given != nil {
		schema.ReadText(given)
	}
	body, err := e.patch()
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	if e.isNew {
		if e.after.IdentityFields, err = mergepatch.Apply(identity.IdentityFields{}, body); err != nil {
			return fault.New(fault.Invalid, "the row cannot be read: %v", err)
		}
		if err := e.after.Complete(e.after.ExternalID, kind, identity.IdentityFields{}); err != nil {
			return err
		}
		e.after.Status = c.State(rules.Active, e.after.Dates())
		e.changes, err = audit.Initial(e.after.IdentityFields)
	} else {
		if _, given := e.members["kind"]; !given {
			kind = e.before.Kind
		}
		if kind != e.before.Kind {
			return fault.Coded(fault.Invalid, "read_only_field", "kind cannot be changed after the identity is created")
		}
		if e.after.IdentityFields, err = identity.Patched(e.before, body); err != nil {
			return err
		}
		e.changes, err = audit.Diff(e.before.IdentityFields, e.after.IdentityFields)
	}
	if err != nil {
		return err
	}
	if e.isNew || len(identity.DifferingAttributes(e.before.Attributes, e.after.Attributes)) > 0 {
		e.fail(schema.Check(e.after.Attributes)...)
	}
	if e.isNew {
		return nil
	}
	identity.PinChanges(e.before, &e.after, e.changes, pin.Pin{By: pin.By(v), Kind: "import", At: c.Now})
	if identity.DatesDiffer(e.changes) {
		if e.after.ApplyDates(c, "import"); e.after.Status != e.before.Status {
			e.changes = append(e.changes, identity.StatusChanges(e.before, e.after)...)
		}
	}
	return nil
}

// valid are the rows of the batch that can be written.
func (l *importer) valid() (sound []*entry) {
	for _, e := range l.batch {
		if len(e.wrong) == 0 && (e.isNew || len(e.changes) > 0) {
			sound = append(sound, e)
		}
	}
	return sound
}

// checkAddresses refuses e-mail addresses that another identity, or an earlier row, has.
func (l *importer) checkAddresses(ctx context.Context, tx *pg.Tx) error {
	var asked []string
	for _, e := range l.valid() {
		if e.after.Email != nil && e.after.Kind == "human" {
			asked = append(asked, strings.ToLower(*e.after.Email))
		}
	}
	const sql = `
		select i.email_lc, i.id::text
		  from identity i
		 where i.tenant_id = current_tenant() and i.email_lc = any($1) and i.kind = 'human' and i.status <> 'archived'`
	holder := map[string]string{}
	var address, id string
	if err := pg.Each(
		ctx,
		tx,
		"look for addresses",
		[]any{&address, &id},
		func() error { holder[address] = id; return nil },
		sql,
		asked,
	); err != nil {
		return err
	}
	for _, e := range l.valid() {
		if e.after.Email == nil || e.after.Kind != "human" {
			continue
		}
		key := strings.ToLower(*e.after.Email)
		first, twice := l.seen["@"+key]
		switch other := holder[key]; {
		case other != "" && other != e.after.ID:
			e.fail(fault.Field{Pointer: "#/email", Code: "duplicate_email", Detail: "it is taken"})
		case twice && first != e.line:
			e.fail(
				fault.Field{Pointer: "#/email", Code: "duplicate_email", Detail: fmt.Sprintf("line %d has it", first)},
			)
		default:
			l.seen["@"+key] = e.line
		}
	}
	return nil
}

// checkSponsors refuses rows that name identities that do not exist.
func (l *importer) checkSponsors(ctx context.Context, tx *pg.Tx) error {
	named := map[string]bool{}
	each := func(visit func(e *entry, member, id string)) {
		for _, e := range l.valid() {
			for member, id := range map[string]*string{"sponsor_id": e.after.SponsorID,
				"backup_owner_id": e.after.BackupOwnerID} {
				if id != nil {
					visit(e, member, *id)
				}
			}
		}
	}
	each(func(_ *entry, _, id string) { named[id] = listing.IsID(id) })
	var ids []string
	for id, is := range named {
		if is {
			ids = append(ids, id)
		}
	}
	if len(named) == 0 {
		return nil
	}
	missing, err := reference.Missing(ctx, tx, ids)
	if err != nil {
		return err
	}
	each(func(e *entry, member, id string) {
		if !named[id] || slices.Contains(missing, id) {
			e.fail(fault.Field{Pointer: "#/" + member, Code: "unknown_identity", Detail: "there is no identity " + id})
		}
	})
	return nil
}

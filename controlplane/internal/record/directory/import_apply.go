package directory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/mergepatch"
)

// importAtOnce is how many rows one transaction makes true.
const importAtOnce = 2000

// Imported says what became of an import.
type Imported struct {
	Mode      string     `json:"mode" enum:"preview,apply"`
	Rows      int        `json:"rows"`
	Created   int        `json:"created"`
	Updated   int        `json:"updated"`
	Unchanged int        `json:"unchanged"`
	Failed    int        `json:"failed"`
	Results   []RowTaken `json:"results" nullable:"false" doc:"Of every row, in the order of the lines."`
}

// RowTaken says what became of one row.
type RowTaken struct {
	Line       int           `json:"line" doc:"Of the data, from 1; the header of CSV is the first."`
	ExternalID string        `json:"external_id,omitempty"`
	Outcome    string        `json:"outcome" enum:"created,updated,unchanged,failed" doc:"In a preview: what would become of it."`
	IdentityID string        `json:"identity_id,omitempty"`
	Changed    []string      `json:"changed,omitempty" doc:"The fields that differ."`
	Ignored    []string      `json:"ignored,omitempty" doc:"Members with unknown names."`
	Errors     []fault.Field `json:"errors,omitempty"`
}

// entry is a row on its way into the store.
type entry struct {
	record
	taken         *RowTaken
	before, after Identity
	fresh         bool
	changes       []audit.Change
}

// load is an import while it runs.
type load struct {
	s       *Service
	preview bool
	result  *Imported
	seen    map[string]int // line by external_id, and by address
	batch   []*entry
}

// Import makes rows true, some thousands a transaction: who is known by external_id is changed in what the row says, anybody else is
// made. A row that cannot be is passed over. What is so already is not written, so that an import that broke off can be sent again.
func (s *Service) Import(ctx context.Context, v viewer.Viewer, mode, format, data string) (*Imported, error) {
	l := &load{s: s, preview: mode != "apply", result: &Imported{Mode: mode, Results: []RowTaken{}}, seen: map[string]int{}}
	// Places of results are kept while more come.
	l.result.Results = make([]RowTaken, 0, min(maxImport, strings.Count(data, "\n")+1))
	err := rows(format, data, func(r record) error {
		if l.result.Rows++; l.result.Rows > maxImport {
			return fault.Coded(fault.Invalid, "too_many_rows", "an import has at most %d rows; those before line %d were taken", maxImport, r.line).Also("line", r.line)
		}
		l.take(r)
		if len(l.batch) == importAtOnce {
			return l.flush(ctx, v)
		}
		return nil
	})
	if err == nil {
		err = l.flush(ctx, v)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range l.result.Results {
		*map[string]*int{"created": &l.result.Created, "updated": &l.result.Updated, "unchanged": &l.result.Unchanged, "failed": &l.result.Failed}[r.Outcome]++
	}
	if l.preview {
		return l.result, nil
	}
	return l.result, s.DB.As(ctx, v, func(tx *pg.Tx) error {
		return audit.Record(ctx, tx, audit.Entry{Action: "identity.imported", Subject: audit.Subject{Type: "tenant", ID: v.Tenant},
			Context: map[string]any{"rows": l.result.Rows, "created": l.result.Created, "updated": l.result.Updated, "unchanged": l.result.Unchanged, "failed": l.result.Failed}})
	})
}

// take judges a row and puts it into the batch.
func (l *load) take(r record) {
	ignored := r.judge()
	id := r.externalID()
	if first, twice := l.seen[id]; id != "" && twice {
		r.wrong = append(r.wrong, fault.Field{Pointer: "#/external_id", Code: "repeated", Detail: fmt.Sprintf("line %d is about the same", first)})
	} else if id != "" {
		l.seen[id] = r.line
	}
	l.result.Results = append(l.result.Results, RowTaken{Line: r.line, ExternalID: id, Ignored: ignored})
	l.batch = append(l.batch, &entry{record: r, taken: &l.result.Results[len(l.result.Results)-1]})
}

func (e *entry) fail(fields ...fault.Field) { e.wrong = append(e.wrong, fields...) }

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

// flush makes a batch true in one transaction, or finds out what that would do.
func (l *load) flush(ctx context.Context, v viewer.Viewer) error {
	if len(l.batch) == 0 {
		return nil
	}
	err := l.s.DB.As(ctx, v, func(tx *pg.Tx) error {
		for _, e := range l.batch { // a transaction may be tried again
			e.before, e.after, e.fresh, e.changes = Identity{}, Identity{}, false, nil
		}
		if err := l.settle(ctx, tx); err != nil {
			return err
		}
		if l.preview {
			return nil
		}
		return l.write(ctx, tx)
	})
	switch {
	case pg.Violates(err, "identity_email_unique") || pg.Violates(err, "identity_external_id_unique"):
		for _, e := range l.batch { // somebody else wrote at the same time
			e.fail(fault.Field{Code: "conflict", Detail: "the same identity was changed concurrently; send the row again"})
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

func (e *entry) conclude() {
	switch {
	case len(e.wrong) > 0:
		e.taken.Outcome, e.taken.Errors = "failed", e.wrong
		return
	case e.fresh:
		e.taken.Outcome = "created"
	case len(e.changes) > 0:
		e.taken.Outcome = "updated"
	default:
		e.taken.Outcome = "unchanged"
	}
	if e.taken.IdentityID = e.after.ID; !e.fresh {
		for _, c := range e.changes {
			e.taken.Changed = append(e.taken.Changed, c.Field)
		}
	}
}

// settle finds out what each row makes of whom.
func (l *load) settle(ctx context.Context, tx *pg.Tx) error {
	lifecycle, err := FindLifecycle(ctx, tx)
	if err != nil {
		return err
	}
	schema, err := FindSchema(ctx, tx)
	if err != nil {
		return err
	}
	known, err := l.known(ctx, tx)
	if err != nil {
		return err
	}
	clock := lifecycle.Clock(l.s.Now())
	for _, e := range l.batch {
		if len(e.wrong) > 0 {
			continue
		}
		if err := e.failWith(e.become(known[e.externalID()], clock, tx.Viewer, schema)); err != nil {
			return err
		}
	}
	if err := l.addresses(ctx, tx); err != nil {
		return err
	}
	return l.sponsors(ctx, tx)
}

// known are the people whom the rows are about, by external_id, locked.
func (l *load) known(ctx context.Context, tx *pg.Tx) (map[string][]Identity, error) {
	ids := make([]string, 0, len(l.batch))
	for _, e := range l.batch {
		if len(e.wrong) == 0 {
			ids = append(ids, e.externalID())
		}
	}
	sql := `select ` + columns + ` from identity i where i.tenant_id = current_tenant() and i.external_id = any($1) and i.status <> 'archived' order by i.id for update of i`
	rows, err := tx.Query(ctx, sql, ids)
	if err != nil {
		return nil, fmt.Errorf("find whom an import is about: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[Identity])
	if err != nil {
		return nil, fmt.Errorf("find whom an import is about: %w", err)
	}
	known := map[string][]Identity{}
	for _, i := range found {
		known[i.ExternalID] = append(known[i.ExternalID], i)
	}
	return known, nil
}

// become finds what the row makes of somebody who is known, or of somebody new.
func (e *entry) become(known []Identity, c Clock, v viewer.Viewer, schema Schema) error {
	if len(known) > 1 {
		return fault.Coded(fault.Conflict, "ambiguous_external_id", "identities of several sources have this external_id")
	}
	e.fresh = len(known) == 0
	kind, _ := e.members["kind"].(string)
	if kind == "" {
		kind = "human"
	}
	if e.fresh {
		e.after = Identity{ID: uuid.Must(uuid.NewV7()).String(), ExternalID: e.externalID(), Kind: kind, Standing: Active, StatusSource: "import"}
	} else {
		e.before, e.after = known[0], known[0]
	}
	if given, _ := e.members["attributes"].(map[string]any); given != nil {
		schema.read(given)
	}
	body, err := e.patch()
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	if e.fresh {
		if e.after.IdentityFields, err = mergepatch.Apply(IdentityFields{}, body); err != nil {
			return fault.New(fault.Invalid, "the row cannot be read: %v", err)
		}
		if err := e.after.complete(e.after.ExternalID, kind, IdentityFields{}); err != nil {
			return err
		}
		e.after.Status = c.State(Active, e.after.Dates())
		e.changes, err = mergepatch.Initial(e.after.IdentityFields)
	} else {
		if _, given := e.members["kind"]; !given {
			kind = e.before.Kind
		}
		if kind != e.before.Kind {
			return fault.Coded(fault.Invalid, "read_only_field", "kind is set when an identity is made and stays")
		}
		if e.after.IdentityFields, err = patchedFields(e.before, body); err != nil {
			return err
		}
		e.changes, err = mergepatch.Diff(e.before.IdentityFields, e.after.IdentityFields)
	}
	if err != nil {
		return err
	}
	if e.fresh || len(differing(e.before.Attributes, e.after.Attributes)) > 0 {
		e.fail(schema.Check(e.after.Attributes)...)
	}
	if e.fresh {
		return nil
	}
	pinChanges(e.before, &e.after, e.changes, Pin{By: pinnedBy(v), Kind: "import", At: c.Now})
	if datesDiffer(e.changes) {
		if e.after.follow(c, "import"); e.after.Status != e.before.Status {
			e.changes = append(e.changes, statusChange(e.before, e.after)...)
		}
	}
	return nil
}

// sound are the rows of the batch that can be written.
func (l *load) sound() (sound []*entry) {
	for _, e := range l.batch {
		if len(e.wrong) == 0 && (e.fresh || len(e.changes) > 0) {
			sound = append(sound, e)
		}
	}
	return sound
}

// addresses refuses what somebody else has, in the store or in an earlier row.
func (l *load) addresses(ctx context.Context, tx *pg.Tx) error {
	var asked []string
	for _, e := range l.sound() {
		if e.after.Email != nil && e.after.Kind == "human" {
			asked = append(asked, strings.ToLower(*e.after.Email))
		}
	}
	const sql = `
		select i.email_lc, i.id::text
		  from identity i
		 where i.tenant_id = current_tenant() and i.email_lc = any($1) and i.kind = 'human' and i.status <> 'archived'`
	rows, err := tx.Query(ctx, sql, asked)
	if err != nil {
		return fmt.Errorf("look for addresses: %w", err)
	}
	holder := map[string]string{}
	var address, id string
	if _, err := pgx.ForEachRow(rows, []any{&address, &id}, func() error { holder[address] = id; return nil }); err != nil {
		return fmt.Errorf("look for addresses: %w", err)
	}
	for _, e := range l.sound() {
		if e.after.Email == nil || e.after.Kind != "human" {
			continue
		}
		key := strings.ToLower(*e.after.Email)
		first, twice := l.seen["@"+key]
		switch other := holder[key]; {
		case other != "" && other != e.after.ID:
			e.fail(fault.Field{Pointer: "#/email", Code: "duplicate_email", Detail: "it is taken"})
		case twice && first != e.line:
			e.fail(fault.Field{Pointer: "#/email", Code: "duplicate_email", Detail: fmt.Sprintf("line %d has it", first)})
		default:
			l.seen["@"+key] = e.line
		}
	}
	return nil
}

// sponsors refuses rows that name people who do not exist.
func (l *load) sponsors(ctx context.Context, tx *pg.Tx) error {
	named := map[string]bool{}
	each := func(visit func(e *entry, member, id string)) {
		for _, e := range l.sound() {
			for member, id := range map[string]*string{"sponsor_id": e.after.SponsorID, "backup_owner_id": e.after.BackupOwnerID} {
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
	missing, err := missingPeople(ctx, tx, ids)
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

type importIn struct {
	Mode string `query:"mode" enum:"preview,apply" doc:"preview tells what would become of each row; apply does it. Before the body's."`
	Body struct {
		Mode   string `json:"mode,omitempty" enum:"preview,apply" doc:"The default is preview."`
		Format string `json:"format,omitempty" enum:"ndjson,csv" default:"ndjson"`
		Data   string `json:"data" minLength:"1" doc:"The lines."`
	}
}

func (s *Service) importPeople(ctx context.Context, v viewer.Viewer, in *importIn) (*httpapi.One[*Imported], error) {
	mode := in.Mode
	for _, other := range []string{in.Body.Mode, "preview"} {
		if mode == "" {
			mode = other
		}
	}
	done, err := s.Import(ctx, v, mode, in.Body.Format, in.Body.Data)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[*Imported]{Body: done}, nil
}

package evidence

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/storedquery/answer"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// columns are the columns of MitigationEvidence.
const columns = `e.id, e.due_at, e.kind, e.text, e.file_name, e.media_type, e.size, e.sha256, e.url, e.provided_by,
	e.provided_at, e.result, e.verdict, e.reviewed_by, e.reviewed_at, e.comment, e.version`

// query is the list of the evidence of a mitigation, the latest first.
func query(mitigationID string) *listing.Query {
	q := &listing.Query{Columns: columns, From: "mitigation_evidence e", ID: "e.id",
		Order: listing.Order{Column: "e.id", Type: "uuid", Desc: true}}
	q.Where("e.mitigation_id = @mitigation::uuid", pgx.NamedArgs{"mitigation": mitigationID})
	return q
}

// find reads one piece of evidence of a mitigation. Its fault is of kind NotFound.
func find(ctx context.Context, tx *pg.Tx, mitigationID, id, locking string) (MitigationEvidence, error) {
	missing := fault.New(fault.NotFound, "Evidence %s was not found.", id)
	if !listing.IsID(id) {
		return MitigationEvidence{}, missing
	}
	found, err := pg.One[MitigationEvidence](ctx, tx, "find evidence", `select `+columns+`
		from mitigation_evidence e where e.mitigation_id = $1 and e.id = $2`+locking, mitigationID, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, missing
	}
	return found, err
}

// content reads the file of evidence.
func content(ctx context.Context, tx *pg.Tx, id string) ([]byte, error) {
	return pg.One[[]byte](ctx, tx, "read file of evidence",
		`select e.content from mitigation_evidence e where e.id = $1`, id)
}

// MitigationOf is the ID of the mitigation that evidence belongs to. Its fault is of kind NotFound.
func MitigationOf(ctx context.Context, tx *pg.Tx, id string) (string, error) {
	of, err := pg.One[string](ctx, tx, "find mitigation of evidence",
		`select e.mitigation_id::text from mitigation_evidence e where e.id = $1`, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fault.New(fault.NotFound, "Evidence %s was not found.", id)
	}
	return of, err
}

// hide removes examples about people whom the viewer does not see from the answers to stored queries of a mitigation.
func hide(ctx context.Context, tx *pg.Tx, person string, list []MitigationEvidence) error {
	if tx.Viewer.SeesAll() {
		return nil
	}
	ids := []string{}
	for _, e := range list {
		if e.Result != nil {
			for _, x := range e.Result.Examples {
				ids = append(ids, x.Identity.ID)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	seen, err := pg.All[string](ctx, tx, "find people whom the viewer sees",
		`select i.id::text from visible_identity() i where i.id = any($1::text[]::uuid[])`, ids)
	if err != nil {
		return err
	}
	seen = append(seen, person)
	for i, e := range list {
		if e.Result == nil {
			continue
		}
		all := len(e.Result.Examples)
		kept := slices.DeleteFunc(e.Result.Examples, func(x answer.Example) bool {
			return !slices.Contains(seen, x.Identity.ID)
		})
		list[i].HiddenExamples = all - len(kept)
		list[i].Result.Examples = kept
	}
	return nil
}

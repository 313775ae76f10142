package directory

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Department is a department that identities name, and how many identities do so.
type Department struct {
	// Name of the department, as the identities contain it.
	Name string `json:"name"`
	// Identities of this department that are not archived.
	Identities int64 `json:"identities"`
}

// Departments are the departments that a search has found, the largest first.
type Departments struct {
	// Departments, the one with the most identities first.
	Items []Department `json:"items" nullable:"false" maxItems:"50"`
}

const aboutDepartments = "At most 50, those with the most identities first. They are suggestions for the filter " +
	"`department_like` of the list of identities."

// departmentsIn is the input of departments.
type departmentsIn struct {
	// Words, each of which is part of the department's name, without regard to case, accents and order.
	Q string `query:"q" maxLength:"200"`
}

// departments is GET of the names of departments.
func (s *Service) departments(ctx context.Context, v viewer.Viewer,
	in *departmentsIn) (*httpapi.One[Departments], error) {
	out := &httpapi.One[Departments]{}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out.Body.Items, err = findDepartments(ctx, tx, in.Q)
		return err
	})
	return out, err
}

// findDepartments finds departments of the people whom the viewer sees, the largest first.
func findDepartments(ctx context.Context, tx *pg.Tx, q string) ([]Department, error) {
	return pg.All[Department](ctx, tx, "find departments", `select i.department as name, count(*) as identities
		  from `+listing.Listed(tx.Viewer, "identity", "i")+`
		 where i.department <> '' and i.status <> 'archived' and `+listing.Matches("i.department")+`
		 group by i.department
		 order by count(*) desc, i.department
		 limit 50`, pgx.NamedArgs{"q": q})
}

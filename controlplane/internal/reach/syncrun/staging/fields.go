package staging

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/pin"
)

// OtherFields are the fields of a person that a source writes, beside the e-mail address and the display name.
var OtherFields = slices.DeleteFunc(
	slices.Clone(pin.SourceFields),
	func(f string) bool { return f == "email" || f == "display_name" },
)

// PersonFields are all fields of a person that a source writes.
var PersonFields = append([]string{"email", "display_name"}, OtherFields...)

// FilledFields lists the fields that the run fills for at least one person.
func FilledFields(ctx context.Context, tx *pg.Tx, run string) ([]string, error) {
	var asked strings.Builder
	for i, f := range PersonFields {
		if i > 0 {
			asked.WriteString(", ")
		}
		fmt.Fprintf(&asked, "case when bool_or(%s is not null) then '%s' end", f, f)
	}
	sql := `
		select array_remove(array[` + asked.String() + `], null)
		  from stage_identity
		 where tenant_id = current_tenant()
		   and run_id = $1
		   and not deleted`
	names := []string{}
	if err := tx.QueryRow(ctx, sql, run).Scan(&names); err != nil {
		return nil, fmt.Errorf("fields that the source fills: %w", err)
	}
	return names, nil
}

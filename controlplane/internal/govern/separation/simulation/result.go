package simulation

import (
	"context"
	"encoding/json"
	"io"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// What a change means for a violation.
const (
	changeNew       = "new"
	changeClosed    = "closed"
	changeUnchanged = "unchanged"
)

// SeparationSimulationResult is one violation in the result of a simulation.
type SeparationSimulationResult struct {
	// ID of the result.
	ID string `json:"id" db:"id"`
	// What the simulated change means for the violation. new: the change causes it. closed: the change ends it.
	// unchanged: it exists before and after the change.
	Change string `json:"change" db:"change" enum:"new,closed,unchanged"`
	// Person who violates the policy.
	Identity identity.Reference `json:"identity" db:"identity"`
	// Department of the person. Empty if there is none.
	Department string `json:"department" db:"department"`
	// ID of the policy. Null if it is not saved.
	PolicyID *string `json:"policy_id" db:"policy_id"`
	// Name of the policy in the simulation.
	Policy string `json:"policy" db:"policy"`
	// Labels of the sides that the person performs.
	Sides []string `json:"sides" db:"sides" nullable:"false"`
	// How much of the violation is fact.
	Grade string `json:"grade" db:"grade" enum:"latent,potential,exercised_one,exercised_both,inside_role"`
}

// ResultFilters narrow the result of a simulation. All given filters must match.
type ResultFilters struct {
	// Violations with one of these changes. Separate values with commas.
	Change []string `query:"change" enum:"new,closed,unchanged"`
	// Violations of the policy.
	PolicyID string `query:"policy_id" format:"uuid"`
	// Violations by the person.
	IdentityID string `query:"identity_id" format:"uuid"`
	// Violations by people of the department. The name must match exactly.
	Department string `query:"department" maxLength:"200"`
	// Violations of one of these grades. Separate values with commas.
	Grade []string `query:"grade" enum:"latent,potential,exercised_one,exercised_both,inside_role"`
	// Words in the names of the person and the policy. All must match; case, accents and order do not matter.
	Q string `query:"q" maxLength:"200"`
	// Sort field. A leading - sorts in descending order.
	Sort string `query:"sort" default:"person" enum:"person,policy,-person,-policy"`
}

var resultOrders = map[string]listing.Order{
	"person": {Column: "coalesce(i.display_name, '')", Type: "text"},
	"policy": {Column: "r.policy", Type: "text"},
}

const (
	resultColumns = `r.id, r.change, jsonb_build_object('id', r.identity_id, 'display', coalesce(i.display_name, ''))
	as identity, coalesce(i.department, '') as department, r.policy_id, r.policy, r.sides, r.grade`
	resultTables = `separation_simulation_result r left join identity i on i.id = r.identity_id`
)

// query is the list of the violations that the filters select.
func (f ResultFilters) query(simulationID string) (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, resultOrders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: resultColumns, From: resultTables, ID: "r.id", Order: order}
	q.Where(f.conditions(simulationID))
	q.Search(f.Q, "i.display_name", "r.policy")
	return q, nil
}

// conditions are the conditions of the filters, without the search for words.
func (f ResultFilters) conditions(simulationID string) (string, pgx.NamedArgs) {
	sql, args := "r.simulation_id = @simulation::uuid", pgx.NamedArgs{"simulation": simulationID}
	for column, id := range map[string]string{"policy_id": f.PolicyID, "identity_id": f.IdentityID} {
		if id != "" {
			sql += " and r." + column + " = @" + column + "::uuid"
			args[column] = id
		}
	}
	for column, values := range map[string][]string{"change": f.Change, "grade": f.Grade} {
		if len(values) > 0 {
			sql += " and r." + column + " = any(@" + column + ")"
			args[column] = values
		}
	}
	if f.Department != "" {
		sql += " and i.department = @department"
		args["department"] = f.Department
	}
	return sql, args
}

// After is the position of a violation in the order of the list.
func (f ResultFilters) After(r SeparationSimulationResult) []string {
	if f.Sort == "policy" || f.Sort == "-policy" {
		return []string{r.Policy, r.ID}
	}
	return []string{r.Identity.Display, r.ID}
}

// write writes the violations that the filters select, one on each line, in the order in which they were found.
func (f ResultFilters) write(ctx context.Context, tx *pg.Tx, simulationID string, w io.Writer) error {
	sql, args := f.conditions(simulationID)
	if f.Q != "" {
		sql += " and " + listing.Matches("i.display_name", "r.policy")
		args["q"] = f.Q
	}
	rows, err := tx.Query(ctx, "select "+resultColumns+" from "+resultTables+" where "+sql+" order by r.id", args)
	if err != nil {
		return err
	}
	defer rows.Close()
	encoder := json.NewEncoder(w)
	for rows.Next() {
		r, err := pgx.RowToStructByName[SeparationSimulationResult](rows)
		if err != nil {
			return err
		}
		if err := encoder.Encode(r); err != nil {
			return err
		}
	}
	return rows.Err()
}

package table

import (
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// Hit policies.
const (
	All   = "all"   // every row that matches assigns its access
	First = "first" // the first row that matches assigns its access
)

// Limits of a table.
const (
	MaxColumns  = 20
	MaxRows     = 2000
	maxResults  = 50   // roles of one row, and entitlements of one row
	maxElements = 200  // of one cell
	maxCell     = 4096 // bytes of one cell
	maxComment  = 500  // characters
)

// DecisionTable assigns access by rows instead of a single condition.
type DecisionTable struct {
	// Rows that assign access to a person who matches several: all of them, or the first one. The default is all.
	HitPolicy string `json:"hit_policy" required:"false" enum:"all,first"`
	// Fields of the person that the cells of the rows are compared with, such as department or attributes.site.
	Columns []string `json:"columns" required:"false" nullable:"false" minItems:"1" maxItems:"20" example:"[\"department\",\"location\"]"`
	// Rows in their order. Null in lists and in versions: retrieve the policy, or export the table.
	Rows []DecisionTableRow `json:"rows" required:"false" maxItems:"2000"`
}

// DecisionTableRow is a row of a decision table.
type DecisionTableRow struct {
	// A cell for each column: * for any value, a value, a prefix that ends with *, or a list of these with | between
	// them. A backslash makes the next character a part of the value.
	Cells []string `json:"cells" nullable:"false" maxItems:"20" example:"[\"Nursing|Surgery\",\"Be*\"]"`
	// IDs of the roles that the row assigns.
	RoleIDs []string `json:"role_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	// IDs of the entitlements that the row assigns.
	EntitlementIDs []string `json:"entitlement_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	// Comment for other editors. Empty if there is none.
	Comment string `json:"comment" required:"false" maxLength:"500"`
}

// Schema is that of a decision table, or null.
func (DecisionTable) Schema(r huma.Registry) *huma.Schema {
	type plain DecisionTable
	s := *huma.SchemaFromType(r, reflect.TypeFor[plain]())
	s.Nullable = true
	return &s
}

// Results are the roles and entitlements that any row assigns, each once, in order.
func (t *DecisionTable) Results() (roles, entitlements []string) {
	roles, entitlements = []string{}, []string{}
	for _, r := range t.Rows {
		roles, entitlements = append(roles, r.RoleIDs...), append(entitlements, r.EntitlementIDs...)
	}
	return distinct(roles), distinct(entitlements)
}

// distinct sorts a list, each element once. It is never nil, which JSON would write as null.
func distinct(list []string) []string {
	sorted := append([]string{}, list...)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// SameResults reports whether two rows assign the same. The rows are complete.
func (r DecisionTableRow) SameResults(o DecisionTableRow) bool {
	return slices.Equal(r.RoleIDs, o.RoleIDs) && slices.Equal(r.EntitlementIDs, o.EntitlementIDs)
}

// assignsAllOf reports whether the row assigns everything that another one does.
func (r DecisionTableRow) assignsAllOf(o DecisionTableRow) bool {
	lacks := func(list []string) func(string) bool {
		return func(id string) bool { return !slices.Contains(list, id) }
	}
	return !slices.ContainsFunc(o.RoleIDs, lacks(r.RoleIDs)) &&
		!slices.ContainsFunc(o.EntitlementIDs, lacks(r.EntitlementIDs))
}

package decisiontable

// DecisionTableCheck is what a check of a decision table has found.
type DecisionTableCheck struct {
	// Fields that the columns compare.
	Columns []string `json:"columns" nullable:"false"`
	// Number of people whom the table is about: those in the states of the policy who meet its condition and its
	// constraints.
	People int `json:"people"`
	// Number of these people who match a row.
	Matched int `json:"matched"`
	// Number of these people who match no row.
	Unmatched int `json:"unmatched"`
	// The first 20 people who match no row.
	UnmatchedSample []DecisionTablePerson `json:"unmatched_sample" nullable:"false"`
	// Values of the people who match no row, with the most people first, at most 100.
	Missing []DecisionTableMissing `json:"missing" nullable:"false"`
	// Number of different values of people who match no row.
	MissingCount int `json:"missing_count"`
	// Rows in their order.
	Rows []DecisionTableRowCheck `json:"rows" nullable:"false"`
	// Pairs of rows that assign different access and that the same people match, with the most people first, at most
	// 200.
	Contradictions []DecisionTableContradiction `json:"contradictions" nullable:"false"`
	// Number of these pairs.
	ContradictionCount int `json:"contradiction_count"`
	// Number of people who match rows that assign different access.
	Contradicted int `json:"contradicted"`
	// The first 20 of these people.
	ContradictedSample []DecisionTablePerson `json:"contradicted_sample" nullable:"false"`
	// Values and prefixes of cells that no person has who has not left, at most 500.
	UnknownValues []DecisionTableUnknownValue `json:"unknown_values" nullable:"false"`
	// Number of these values.
	UnknownValueCount int `json:"unknown_value_count"`
	// Roles and entitlements of rows that do not exist, or can no longer be assigned, at most 500.
	UnknownResults []DecisionTableUnknownResult `json:"unknown_results" nullable:"false"`
}

// DecisionTablePerson is a person with what the columns compare.
type DecisionTablePerson struct {
	// ID of the identity.
	IdentityID string `json:"identity_id"`
	// Display name of the person.
	Display string `json:"display"`
	// Value of the person for each column. Empty: the person has none.
	Values []string `json:"values" nullable:"false"`
	// Numbers of the rows that the person matches, counted from 1.
	Rows []int `json:"rows" nullable:"false"`
}

// DecisionTableMissing are people with the same values, whom no row matches.
type DecisionTableMissing struct {
	// Cells of a row that would match them.
	Cells []string `json:"cells" nullable:"false"`
	// Number of people.
	People int `json:"people"`
}

// DecisionTableRowCheck is what was found of a row.
type DecisionTableRowCheck struct {
	// Number of the row, counted from 1.
	Row int `json:"row"`
	// The row in words.
	Sentence string `json:"sentence" example:"department is Nursing, and location begins with Be"`
	// Number of people who match the row.
	Matched int `json:"matched"`
	// Number of people to whom the row applies. With the hit policy first, these are people who match no earlier row.
	Applied int `json:"applied"`
	// used: the row applies to people. unmatched: no person matches it now. overridden: people match it, and all of
	// them match earlier rows. shadowed: another row leaves it without effect for any person.
	State string `json:"state" enum:"used,unmatched,overridden,shadowed"`
	// Number of the row that leaves this one without effect. Null unless it is shadowed.
	ShadowedBy *int `json:"shadowed_by"`
}

// DecisionTableContradiction is a pair of rows that assign different access, and that the same people match.
type DecisionTableContradiction struct {
	// Number of the row, counted from 1.
	Row int `json:"row"`
	// Number of the later row.
	OtherRow int `json:"other_row"`
	// Number of people who match both.
	People int `json:"people"`
}

// DecisionTableUnknownValue is a value that no person has.
type DecisionTableUnknownValue struct {
	// Field of the column.
	Column string `json:"column"`
	// Value or prefix, as in the cell.
	Value string `json:"value"`
	// Numbers of the rows that name it, counted from 1, at most 20.
	Rows []int `json:"rows" nullable:"false"`
	// Similar values that people have.
	Suggestions []string `json:"suggestions" nullable:"false"`
}

// DecisionTableUnknownResult is a role or an entitlement that a row cannot assign.
type DecisionTableUnknownResult struct {
	// Number of the row, counted from 1.
	Row int `json:"row"`
	// ID of the role or the entitlement.
	ID string `json:"id"`
	// unknown_resource: it does not exist. not_grantable: it can no longer be assigned.
	Code string `json:"code" enum:"unknown_resource,not_grantable"`
	// Explanation of the problem.
	Detail string `json:"detail"`
}

// Sizes of what is shown.
const (
	mostSample   = 20
	mostMissing  = 100
	mostPairs    = 200
	mostCounted  = 20_000 // pairs that are counted; further ones are not
	mostPerValue = 40     // rows of one person whose pairs are counted
	mostUnknown  = 500
	mostSuggest  = 5000 // values that suggestions are looked for in
	mostRowsOf   = 20
)

package template

import ()

// The attributes that every connector knows by these names, and writes where its target keeps them.
const (
	MemberUsername       = "username"
	MemberEmail          = "email"
	MemberDisplayName    = "display_name"
	MemberFirstName      = "first_name"
	MemberLastName       = "last_name"
	MemberEmployeeNumber = "employee_number"

	FieldContainer = "container"
)

// Codes of what keeps an account from being made.
const (
	CodeMissing   = "missing_attribute"  // something about the person is not known
	CodeFailed    = "expression_failed"  // the expression cannot be evaluated for them
	CodeWrongType = "wrong_type"         // it gives something that cannot be written
	CodeNoName    = "no_username"        // nothing is left of the name
	CodeTaken     = "username_taken"     // another account has the name, and the rule has no other
	CodeExhausted = "username_exhausted" // so are all that the rule knows
)

// AttributeProblem is an attribute that cannot be made of a person.
type AttributeProblem struct {
	// Name of the attribute: username, container, or the target of an attribute.
	Field string `json:"field"`
	// Code of the problem. missing_attribute: a value of the person is not known. expression_failed: the expression
	// cannot be evaluated. wrong_type: its result cannot be written. no_username: no valid characters are left.
	// username_taken: the name is taken, and the rule allows no other. username_exhausted: all names that the rule
	// allows are taken.
	Code string `json:"code" enum:"missing_attribute,expression_failed,wrong_type,no_username,username_taken,username_exhausted"`
	// Explanation of the problem for people.
	Message string `json:"message"`
	// What the expression reads of the person and is not known.
	Missing []string `json:"missing" nullable:"false"`
}

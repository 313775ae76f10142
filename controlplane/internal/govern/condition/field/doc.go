// Package field has the fields of identities that conditions ask for, their kinds, and the operators for each kind. It
// owns no table, and knows no condition.
//
// A field has a label, by which sentences name it, and the values that there are where they are few. Custom attributes
// and labels are found by their prefix. Suggest helps who wrote a name that there is not.
//
// Package condition parses rules by it, and package grammar sentences.
//
// Example: Find("attributes.shift") is a field of the kind Custom with the label "attribute shift"; Suggest gives
// department for "dept".
package field

// Package attribute describes the custom attributes of identities: their types, allowed values and which are required.
// It owns the table identity_schema.
//
// Without a schema, any attribute is stored as it comes. The API and imports refuse attributes that the schema does
// not allow (Schema.Check). Sync runs convert the values of sources (Schema.Coerce) and omit those that do not fit.
//
// Example: with {"name": "badge", "type": "number"}, an import cell "0815" is stored as 815 and a source value "none"
// is omitted with a warning in the sync run.
package attribute

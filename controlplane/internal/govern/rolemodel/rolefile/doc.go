// Package rolefile exports roles as a YAML file and imports it, so that roles can be managed by code. It owns no table.
//
// Names in a file are resolved to ids (resolve.go); what is wrong is reported with its line. An import is planned twice
// in savepoints: once to see which roles are risky, once for the impact of the others. Then all roles are written, or
// none. A change of a role of high risk becomes its draft. Package rolemodel serves its routes.
//
// Example: importing a file with one changed role and one unknown entitlement writes nothing, and the fault names the
// line of the entitlement.
package rolefile

// Package wording has the subjects and texts of notifications: those of the catalog, and those that a tenant wrote
// itself, in any language.
//
// Syntax. A field in braces, such as {title}, is replaced by its value. A brace is written twice for itself. Nothing
// else has a meaning: there are no conditions, and a value is never read as a field. Check names unknown fields with
// their places.
//
// Languages. A person reads the tenant's text in their language, such as de-CH, else in de, else in English, else the
// text of the catalog.
//
// Tables. notification_template.
package wording

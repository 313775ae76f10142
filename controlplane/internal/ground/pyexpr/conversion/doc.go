// Package conversion turns the fields of a source record into values of Python, and the result of an expression into
// what JSON has.
//
// Its callers are package pyexpr and, through pyexpr.Record, the packages that evaluate expressions for a record.
// Values of a record are shared by all expressions that read it and are frozen; an expression that changes what it
// reads gets copies. Sizes and nesting are limited in both directions.
//
//	rec := conversion.NewRecord(map[string]any{"uid": "jdoe", "level": 3.0})
//	rec.Field("level") // int64(3), true: JSON does not tell 3 from 3.0
package conversion

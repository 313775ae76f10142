// Package formatting writes values in the three ways of Python: by a format specification, as format and f-strings
// do; by a template with fields, as str.format does; and by the % operator of a text.
//
// Its callers are the compiled expressions of package pyexpr and package library/text. Widths and precisions are
// charged to the Thread before the text is made, however large they are. Objects of other packages that read
// specifications in their own way are object.Formatter, such as dates.
//
//	formatting.Format(t, 3.14159, ".2f")                    // "3.14"
//	formatting.Percent(t, "%05d", int64(42))                // "00042"
//	formatting.Template(t, "{0}-{n}", args, named, attr)    // args[0], a hyphen, and named("n")
package formatting

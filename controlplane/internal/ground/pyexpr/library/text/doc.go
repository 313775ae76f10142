// Package text declares what an expression does with text: the types str and bytes with their methods, the builtins
// repr, ascii, format, chr and ord, the modules string and unicodedata, and the helpers lower, strip, replace, split,
// join, normalize, unaccent and escape_dn.
//
// It is imported for its declarations, by package pyexpr; the expressions that use it are evaluated there:
//
//	unaccent('Jürg')               // 'Jurg'
//	'Jürg'.upper()                 // 'JÜRG', the method of str
//	lower(record['mail'])          // the helper: None for None
//
// Every function charges the bytes of a new text before it makes it, and reading of a long one as steps.
package text

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

type (
	thread = object.Thread
	value  = object.Value
	values = []object.Value
)

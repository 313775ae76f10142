// Package pattern declares the module re of Python, with the types of its patterns and matches, and the helpers
// re_sub, re_match and re_extract.
//
// It is imported for its declarations, by package pyexpr; patterns are compiled and run by package regex. A program
// remembers the patterns it has compiled, and charges the same again for each use, so that every record of a run
// costs the same. For example:
//
//	re_extract(r'(\d+)', 'E-4711')            // '4711'
//	re.sub(r'(\w+) (\w+)', r'\2, \1', value)  // 'Doe, Jane' for 'Jane Doe'
package pattern

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

type (
	thread = object.Thread
	value  = object.Value
	values = []object.Value
)

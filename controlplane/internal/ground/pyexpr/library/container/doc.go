// Package container declares what an expression does with several values: the types list, tuple, range, dict, set and
// frozenset with their methods, the builtins len, all, any, sum, min, max, sorted, iter, next, enumerate, reversed,
// zip, map and filter, and the helpers coalesce, map_value, first and get.
//
// It is imported for its declarations, by package pyexpr. A list or a dict of the record is frozen: methods that
// would change it raise a TypeError. For example:
//
//	sorted({'b': 1, 'a': 2})               // ['a', 'b']
//	get(record, 'manager.mail', '')        // '' where the path ends too soon
package container

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

type (
	thread = object.Thread
	value  = object.Value
	values = []object.Value
)

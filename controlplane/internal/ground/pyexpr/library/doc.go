// Package library holds the names that an expression finds: how functions, types and modules of Python are declared,
// and how they and the attributes of values are looked up.
//
// The functions themselves are declared by the packages below this folder while they are initialized: text, number,
// container, pattern and datetime. None of them imports another one. Only what is asked about values of every kind is
// declared here: object, type, isinstance, callable and hash.
//
// Package pyexpr imports all of them and calls Names, Method and Attr; package hint lists Names and MethodsOf.
// Nothing is declared after initialization, so that evaluations read the declarations at the same time without a
// lock.
//
// For example, text declares that every str has a method removeprefix with one argument by position:
//
//	library.AddMethod(library.Str, "removeprefix", "prefix/", func(t *thread, a values) value {
//		prefix := library.TextArg(t, a[1], "removeprefix() argument")
//		return library.NewText(t, strings.TrimPrefix(a[0].(string), prefix))
//	})
package library

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

type (
	thread = object.Thread
	value  = object.Value
	values = []object.Value
)

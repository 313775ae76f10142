// Package object holds the values of Python: numbers, text, bytes and containers, how they are hashed, looked up,
// iterated over and written as text. Package operator below it has the operators, package formatting the ways to
// format.
//
// None is nil, and bool, int64, float64 and string stand for themselves; an int beyond 64 bits is a *big.Int, which
// is never one that an int64 could hold. Kinds that this package does not know implement Object and the interfaces
// that follow it.
//
// What an operation costs is charged to a Thread before it is done. A Thread that has used up its steps, bytes,
// nesting or time panics with *Exceeded, and an exception of Python is a panic with *Raised; package pyexpr turns
// both into errors. For example, d[key] = value of a dict:
//
//	d := &object.Dict{}
//	t.Put(d, "uid", int64(7)) // charges one entry, or raises a TypeError for a key that has no hash
package object

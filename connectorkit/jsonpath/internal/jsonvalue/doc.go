// Package jsonvalue decodes JSON values that may be flawed: members of one name, text that is no Unicode, a NUL,
// numbers beyond any range, and nesting too deep. The value is decoded as far as possible, and the first flaw is
// named, so that one such record does not cost the whole document.
//
//	v, flaw := jsonvalue.Decode([]byte(`{"a":1,"a":2}`), 0) // flaw names the member that is there twice
package jsonvalue

// Package jsonbody helps to explain answers that are not the JSON that was expected.
//
//	first, err := jsonbody.FirstByte(in) // '<' for a web page
package jsonbody

// Package jsonscan reads JSON from targets that is larger, deeper or more flawed than it should be. Two bytes of JSON
// can become a hundred bytes of memory, so a bound of bytes alone does not bound what an answer costs.
//
// Measure and Scanner count values and levels before anything is decoded, Reader passes a document on until it exceeds
// its bounds, and Shallow replaces what is nested too deep. Decode decodes values that may be flawed: members of one
// name, text that is no Unicode, a NUL, numbers beyond any range. It decodes as far as possible and names the first
// flaw, so that one such record does not cost the whole document. Only Decode checks syntax, and only as far as it has
// to.
//
//	values, depth := jsonscan.Measure([]byte(`{"a":[1,2]}`))  // 3 and 2
//	v, flaw := jsonscan.Decode([]byte(`{"a":1,"a":2}`), 0)    // flaw names the member that is there twice
package jsonscan

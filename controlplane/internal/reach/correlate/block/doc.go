// Package block finds the accounts that a person may own without comparing everybody with everybody. It is pure.
//
// The accounts' values are put into an Index for each rule, and people are looked up in it as they stream by: by equal
// values, by trigram similarity, or by edit distance. A value that more than 25 people share finds no one, since a
// department is no key.
//
//	x := NewDistanceIndex(1)
//	x.Add("miller", 7) // account 7
//	x.Seal()
//	x.Find("millar", func(e *Entry) { … }) // the entry of account 7
//
// Only package matching uses it.
package block

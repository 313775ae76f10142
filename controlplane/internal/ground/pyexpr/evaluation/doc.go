// Package evaluation runs what package pyexpr compiles an expression to: nodes, which are closures over their parts,
// and frames, which hold the variables of a scope. It has what a node does at run time: calls, functions made by
// lambda, comprehensions, displays and unpacking.
//
// Its caller is the compiler of package pyexpr, which turns each piece of the tree into a Node. Nodes keep no state,
// so several goroutines may run them at the same time, each with a Frame and a Thread of its own.
//
//	one := evaluation.Node(func(*evaluation.Frame) object.Value { return int64(1) })
//	items := evaluation.Fill(&evaluation.Frame{Thread: t}, []evaluation.Item{{Node: one}}) // [1]
package evaluation

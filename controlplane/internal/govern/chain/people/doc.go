// Package people reads what chains need to know of people: who holds a role of the tenant, who can answer, who decides
// an open task, and whether somebody meets the condition that a stage waits for. It owns no table and writes nothing.
//
// Package chain calls it while it opens stages and resolves them anew.
//
// Example: a stage waits for {"field": "manager", "op": "in_tree", "value": "boss"}. Meets says true from the moment at
// which the beneficiary reports up to boss.
package people

// Package progress shows the stages of chains as the API has them: who was asked, by which way, what they answered and
// when, and what happened. It reads the tables of package chain and writes nothing.
//
// Of a stage that is still to come it shows who is expected to be asked. A slot whose task was reassigned shows who has
// it now.
//
// Package request shows stages at the items of a request by it.
//
// Example: Stages gives two stages for an item: one approved by the manager yesterday, one open since, due on Monday.
package progress

// Package template is the template of an account: the rules that make its username, attributes, container and
// credential from the facts of a person.
//
// Subject.Template gives the template that a connector has by default, by engine, vendor and purpose.
// AccountTemplate.Over lays the stored settings over it, AccountTemplate.Compile reads its expressions and reports what
// is wrong with each, and UniqueRule turns a stem into the first free username.
//
// Example: the stem "jdoe" with the suffix number gives jdoe, jdoe2, jdoe3; jdoe@example.com gives
// jdoe2@example.com.
package template

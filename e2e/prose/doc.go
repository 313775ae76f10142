// Package prose checks the texts that users read: are they plain English in the terms of docs/glossary.md?
//
// It takes the texts out of the sources: documents in Markdown, string literals of Go (errors, hints, operation
// summaries, struct tags of OpenAPI, log lines, command help), texts of the console, comments of database objects, and
// the texts of sector packs. Each text is held against the rules in rules.go. There is no list of exemptions: a text
// that a rule reports is rewritten, or the rule is corrected.
//
// Callers: e2e/cmd/prose prints every finding with file and line; e2e/cmd/measure counts them.
//
// For example, "Tell how a connector fares" as the summary of an operation gives one finding of the rule
// "summary-verb", because a summary begins with a verb such as List, Retrieve or Get.
package prose

// Package history answers what was: the timeline of a person, an account and a grant in plain words, and who had what on a date.
package history

// Package source turns the files of an upload into texts, within limits: it unpacks ZIP archives, and decodes UTF-8,
// UTF-16 and Windows-1252.
//
// Example: an upload with rules.zip gives a text for each file in it, named such as rules.zip/duties.csv.
package source

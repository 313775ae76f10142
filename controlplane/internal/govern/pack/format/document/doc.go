// Package document puts the YAML files of a sector pack together into one tree, and remembers the file and line of each
// part of it.
//
// YAML is read without anchors, aliases, merge keys and tags, and within limits of size and depth. Dates stay texts.
// Package format calls Read.
//
// Example: roles/ward-nurse.yaml becomes the next element of the list roles, and the place of #/roles/3 is the first
// line of that file.
package document

// Package romanize writes names of people in the letters of ASCII, for user names. It owns no table and knows nothing
// of people.
//
//	romanize.ASCII("Jürgen Größe", true) // Juergen Groesse
package romanize

// Package contract holds the API's description against public tools: a linter, a comparison with the description of the
// last release (released.json), and a generator whose client must compile and work.
package contract

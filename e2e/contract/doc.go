// Package contract checks the API's description with public tools: a linter, a comparison with the description of the
// last release (released.json), and a generator whose client must compile and work.
package contract

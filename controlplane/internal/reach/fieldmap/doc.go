// Package fieldmap keeps what a look at a connector's target showed (a snapshot of its schema, with samples) and what
// is done with each field that was seen (the mappings). It proposes mappings, tries them on records of the target, and
// copies them from another connector. What mappings mean is the subject of package mapping; when they apply, of package
// syncrun.
package fieldmap

package pyexpr

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/conversion"
	// Each of these declares its part of what an expression finds by name in package library.
	_ "github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library/container"
	_ "github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library/datetime"
	_ "github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library/number"
	_ "github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library/pattern"
	_ "github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library/text"
)

// Record is the source record that an expression reads as record. It is converted once for all expressions that are
// evaluated with it, and used by one goroutine at a time.
type Record = conversion.Record

// OutputLimit is the code of the Error for a result that is too large.
const OutputLimit = conversion.OutputLimit

// NewRecord makes a record of the fields of a source, which must not change while the record is used. An expression
// sees them in the order of their names.
func NewRecord(fields map[string]any) *Record { return conversion.NewRecord(fields) }

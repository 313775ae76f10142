package answer

import (
	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	"github.com/grantwright/grantwright/connectorkit/target"
)

const (
	BatchSize      = 500      // records handed on at a time
	readBytes      = 64 << 10 // of an answer at a time; not less than what Response.JSON buffers by itself
	maxRecordBytes = 16 << 20 // of JSON, of one record
	// Of JSON, of a record that becomes one row. What fits here may still be too long for the control plane.
	maxRowBytes = 512 << 10

	// Bounds of objects, lists and their elements, each of which takes more memory than its few bytes of JSON.
	maxRowValues    = 10_000  // in a record that becomes one row
	maxRecordValues = 400_000 // in a record of which lists become rows of their own
	maxWholeValues  = 500_000 // in an answer that is held whole
	MaxBatchValues  = 100_000 // in the records of one batch, after which the next one begins
)

// limits bound what an answer costs in memory.
func limits(st *stream.Stream) jsonpath.Limits {
	limits := jsonpath.Limits{
		Record: maxRecordBytes, Document: target.DefaultMaxBody, Aside: maxRowBytes,
		Values: maxRowValues, Whole: maxWholeValues,
	}
	if len(st.Expansions) > 0 {
		limits.Aside = 0
		limits.Values = maxRecordValues // what is long becomes rows of its own
	}
	return limits
}

// CountValues counts the objects, lists and their elements in a record.
func CountValues(record any) int {
	n := 1
	switch v := record.(type) {
	case *jsonpath.Flaw:
		return CountValues(v.Record)
	case []any:
		for _, e := range v {
			n += CountValues(e)
		}
	case map[string]any:
		for _, e := range v {
			n += CountValues(e)
		}
	}
	return n
}

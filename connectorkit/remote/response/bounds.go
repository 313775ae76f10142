package response

import ()

// The media types of an answer: one document, or a document a line.
const (
	MediaJSON   = "application/json"
	MediaNDJSON = "application/x-ndjson"
)

// Bounds of an answer, or of one line of it. A value of two bytes of JSON takes a hundred bytes of memory and more, so
// values and records are counted beside the bytes.
const (
	MaxValues  = 1_000_000 // objects, lists and their elements
	MaxRecords = 50_000
)

// Records that do not fit are set aside. When there are more than these, it is likelier that the service is broken than
// the records.
const (
	MostSkipped = 1000
	FewSkipped  = 5
)

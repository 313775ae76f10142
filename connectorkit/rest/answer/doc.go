// Package answer decodes one answer of a list.
//
// # Purpose
//
// Decode reads the records of an answer as they arrive, so that an answer of any length takes the memory of one record.
// It bounds bytes, values and the cost of JSONPath queries, finds errors that an answer of status 200 carries in its
// body, and notes what paging needs: how many records came, their digest, and values around them such as a cursor.
// Where a stream has no record_selector, the list is detected by the usual member names.
//
// # States
//
// The package keeps none; DuplicateKeys gathers what one list has shown.
//
// # Callers
//
// paging for each page, and the connection test and discovery of the connector for one page.
//
// # Example
//
//	page, err := answer.Decode(ctx, st, resp, func(record any) error { return take(record) })
//	// page.Records counts them; page.Pick(st.Picks.Total) is the number that the target announces.
package answer

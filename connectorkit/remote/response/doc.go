// Package response reads what a service of the custom connector answers: one JSON document, or a line of a stream of
// them. The answer is hostile input. Bytes, values, records and nesting are bounded before they are held, members are
// checked one by one, and errors name the place and never repeat a value.
//
// Parse reads a Response and leaves its records undecoded. Response.Records then decodes one record after another into
// a Page; a record that does not fit the protocol is set aside as a BadRecord with its place, and counted. The run goes
// on as long as no more than a small share is set aside.
package response

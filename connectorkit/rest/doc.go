// Package rest is the generic REST connector: it reads any HTTP API that answers JSON, as its streams describe it. A stream
// says which request lists records, where they stand in the answer, how one page leads to the next and what a record becomes.
//
// Without streams the connector finds its way by itself: it looks for the list of records in the answer of base_url, follows
// the links of the target to further pages and takes every record for a person with an account.
//
// Pages are decoded as they arrive, so that an answer of any length takes the memory of one batch of records. Streams that
// hang on the records of another are read with several requests at once, but their rows come in the order of the parents.
//
// What the target is changed by are templates of the setting writes: one request for each kind of change, whose placeholders
// stay values wherever they stand, and reads to look before and after. A change is sent once; an answer that does not come
// leaves its outcome unknown.
package rest

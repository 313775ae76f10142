// Package predict says what separation-of-duties policies would say about changed access of one person, under
// /policies/separation-of-duties/predict. It owns no table and writes nothing.
//
// Who may request access for a person may predict for them: the person, their managers, administrators and service
// tokens.
//
// Example: {"identity_id": "…", "add": [{"entitlement_id": "…"}], "remove": ["…"]} answers whether a person could move
// from one group to another, and with which effect a request would meet.
package predict

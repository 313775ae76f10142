// Package replay answers a repeated write with the answer it had the first time. A client that sends an Idempotency-Key
// with a write may send it again when it got no answer: what the write did is done once, and its answer is kept for a
// day.
//
// A key is first reserved, in a transaction of its own, so that a second try learns at once that the first still works.
// What the request does, and its answer, are then one commit: a crash at any point loses neither and doubles neither.
package replay

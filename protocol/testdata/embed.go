// Package testdata holds what an author in any language can test against: golden envelopes of protocol v1, one JSON
// document a file, and transcripts of the wire between control plane and agent.
//
// A transcript is a file of JSON lines, each one event in order:
//
//	{"dir":"a2c","frame":{...}}               a frame from the agent to the control plane ("c2a": the other way)
//	{"dir":"c2a","close":{"code":4403}}       that end closes the connection
//	{"cut":true}                              the connection breaks; the agent connects again
//
// In a frame, "*" stands for any value, "*now" for a time, "*id" for a fresh id and "*n:5" for a number (5 where one
// must be sent); "$name" stands for one value wherever it stands in the transcript: the first to say it decides. The
// body of a proof depends on the nonce of the challenge before it, so an agent that plays a transcript signs anew.
// Members that a transcript does not name may be there or not.
package testdata

import "embed"

// Files holds v1/*.json and transcripts/*.jsonl.
//
//go:embed v1/*.json transcripts/*.jsonl
var Files embed.FS

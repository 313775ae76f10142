package api

import (
	"encoding/json"
	"time"
)

// Hold is a kind of change that was too large to apply unseen.
type Hold struct {
	Kind       string    `json:"kind"`
	Rule       string    `json:"rule"`
	Allowed    int64     `json:"allowed"`
	Observed   int64     `json:"observed"`
	Population int64     `json:"population"`
	Cause      string    `json:"cause"`
	State      string    `json:"state"`
	Held       int64     `json:"held"`
	ExpiresAt  time.Time `json:"expires_at"`
}

// Holding is what a run holds; a decision about it names the digest.
type Holding struct {
	Items  []Hold `json:"items"`
	Held   int64  `json:"held"`
	Digest string `json:"digest"`
}

// Share is how many changes have a value in common.
type Share struct {
	Value *string `json:"value"`
	Count int64   `json:"count"`
}

// Group are the changes of one kind.
type Group struct {
	Guard       *string  `json:"guard"`
	Object      string   `json:"object"`
	Change      string   `json:"change"`
	Count       int64    `json:"count"`
	Held        int64    `json:"held"`
	Departments []Share  `json:"departments"`
	Fields      []Share  `json:"fields"`
	Samples     []Change `json:"samples"`
}

// Diff is what a run changes, in groups.
type Diff struct {
	Status string  `json:"status"`
	Total  int64   `json:"total"`
	Held   int64   `json:"held"`
	Groups []Group `json:"groups"`
	Holds  []Hold  `json:"holds"`
}

// Change is one thing that a run makes different.
type Change struct {
	Object     string          `json:"object"`
	Change     string          `json:"change"`
	ExternalID string          `json:"external_id"`
	Guard      *string         `json:"guard"`
	Fields     []string        `json:"fields"`
	Before     json.RawMessage `json:"before"`
	After      json.RawMessage `json:"after"`
	Department *string         `json:"department"`
	State      string          `json:"state"`
}

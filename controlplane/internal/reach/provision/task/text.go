package task

import (
	"github.com/google/uuid"
)

// NewID is an id for a new record. Ids sort by the time at which they were made.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// TextOf is an optional text; empty where there is none.
func TextOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// OptionalText is a text; nil where it is empty.
func OptionalText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

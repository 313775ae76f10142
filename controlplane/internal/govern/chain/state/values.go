package state

import (
	"time"

	"github.com/google/uuid"
)

// NewID makes the id of a slot or task; ids rise with time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// NonNil is never nil: columns of lists are not null.
func NonNil[T any](of []T) []T {
	if of == nil {
		return []T{}
	}
	return of
}

// Pointer is a pointer to an instant.
func Pointer(t time.Time) *time.Time { return &t }

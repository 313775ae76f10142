package httpapi

import (
	"slices"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/etag"
)

// One is a single resource with its ETag.
type One[T any] struct {
	ETag    string `header:"ETag"`
	Ignored string `header:"Ignored-Fields"`
	Body    T
}

// Created is a new resource with its address.
type Created[T any] struct {
	Location string `header:"Location"`
	ETag     string `header:"ETag"`
	Ignored  string `header:"Ignored-Fields"`
	Body     T
}

// None is an answer without a body.
type None struct{}

// ETag is the strong entity tag of a version.
func ETag(version int) string { return `"` + strconv.Itoa(version) + `"` }

// IfMatch is the precondition of a write. Embed it in the input struct.
type IfMatch struct {
	// The ETag you have seen: the write happens only when it is still the current one.
	Match string `header:"If-Match"`
}

// Check holds the precondition against the current version. Weak tags never match (RFC 9110 section 13.1.1).
func (m IfMatch) Check(version int) error {
	if m.Match == "" {
		return nil
	}
	tags, all, err := etag.Parse("If-Match", m.Match)
	if err != nil || all || slices.Contains(tags, ETag(version)) {
		return err
	}
	return fault.New(
		fault.Precondition,
		"The resource has changed since you read it. Its ETag is now %s.",
		ETag(version),
	)
}

// IfNoneMatch is the precondition of a write that must not meet anything. Embed it in the input struct.
type IfNoneMatch struct {
	// With * the write happens only when there is nothing yet.
	NoneMatch string `header:"If-None-Match"`
}

// Check holds the precondition against what is there: its version, or nil.
func (m IfNoneMatch) Check(version *int) error {
	if m.NoneMatch == "" {
		return nil
	}
	tags, all, err := etag.Parse("If-None-Match", m.NoneMatch)
	if err != nil || version == nil ||
		(!all && !slices.Contains(tags, ETag(*version)) && !slices.Contains(tags, "W/"+ETag(*version))) {
		return err
	}
	return fault.New(fault.Precondition, "The resource already exists.")
}

package syntax

import (
	"bytes"
	"strings"
)

// IsTrue reads a boolean as directories write them.
func IsTrue(b []byte) bool { return strings.EqualFold(string(b), "true") }

// IsFalse reads a boolean as directories write them.
func IsFalse(b []byte) bool { return bytes.EqualFold(b, []byte("false")) }

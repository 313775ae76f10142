package seal

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a text that must not be printed: every way of printing it says [secret]. Reveal gives the text itself, at
// the one place that needs it.
type Secret string

const masked = "[secret]"

// Reveal is the text itself.
func (s Secret) Reveal() string { return string(s) }

// String hides the text.
func (s Secret) String() string { return masked }

// GoString hides the text from %#v.
func (s Secret) GoString() string { return masked }

// Format hides the text from every verb: %x would otherwise print the bytes.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, masked) }

// LogValue hides the text from logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(masked) }

// MarshalText hides the text from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(masked), nil }

// MarshalJSON hides the text from answers.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + masked + `"`), nil }

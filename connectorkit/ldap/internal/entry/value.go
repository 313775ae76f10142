package entry

import (
	"encoding/base64"
	"time"
	"unicode/utf8"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
)

// Value makes of a raw value what a record carries: text, {"$bin": base64}, or nil for a time that says never.
func (a *Attribute) Value(b []byte) any {
	switch a.Format {
	case AsFiletime:
		if t, ok := syntax.ParseFiletime(string(b)); ok {
			return t.Format(time.RFC3339Nano)
		}
		if IsNever(b) {
			return nil
		}
	case AsTime:
		if t, ok := syntax.ParseGeneralizedTime(string(b)); ok {
			return t.Format(time.RFC3339Nano)
		}
	case AsGUID:
		if s, ok := syntax.FormatGUID(b); ok {
			return s
		}
	case AsSID:
		if s, ok := syntax.FormatSID(b); ok {
			return s
		}
	case AsBinary:
		return binaryValue(b)
	}
	if IsText(b) {
		return string(b)
	}
	return binaryValue(b)
}

// IsNever reports whether a FILETIME is one that stands for no time (MS-ADTS section 2.2.16 and accountExpires).
func IsNever(b []byte) bool { return string(b) == "0" || string(b) == "9223372036854775807" }

// binaryValue is the form of bytes in a record: {"$bin": base64}, which JSON can carry.
func binaryValue(b []byte) any {
	return map[string]any{"$bin": base64.StdEncoding.EncodeToString(b)}
}

// IsText reports whether a value is text and not binary: UTF-8 without control characters other than white space.
func IsText(b []byte) bool {
	plain := true
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7F {
			return false
		}
		plain = plain && c < utf8.RuneSelf
	}
	return plain || utf8.Valid(b)
}

// KeyText is an entry's immutable key as text; empty where the value cannot be one.
func KeyText(flavor string, f Format, b []byte) string {
	switch {
	case flavor == settings.FlavorEDir && len(b) == 16 && f == asText:
		// eDirectory shows its GUID in the order of its bytes.
		return syntax.FormatUUID(b)
	case f == AsGUID:
		s, _ := syntax.FormatGUID(b)
		return s
	case f == AsSID:
		s, _ := syntax.FormatSID(b)
		return s
	case IsText(b):
		return string(b)
	}
	if s, ok := syntax.FormatGUID(b); ok {
		return s
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

package staging

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// Limits of a record. What is beyond is set aside with the reason, and the run goes on.
const (
	maxKey        = 1024      // bytes of an external_id
	maxText       = 64 << 10  // bytes of one value
	maxRecord     = 256 << 10 // bytes of a record's raw attributes
	maxAttributes = 500
)

// Rejected is a record, or a value of one, that cannot be used. Its message names fields, never values.
type Rejected struct {
	// Object is the kind of record, ExternalID its key, Field the source field.
	Object, ExternalID, Code, Message, Field string
	Whole                                    bool // nothing of the record is used
	// Digest identifies the record, so that one that is read again is reported once.
	Digest []byte
}

// keyed checks the record's key.
func (o *Batch) keyed(table int, id string, record any) bool {
	switch {
	case id == "":
		o.reject(table, "", record, "missing_key", "the record has no external_id", "external_id")
	case len(id) > maxKey:
		o.reject(
			table,
			id,
			record,
			"key_too_long",
			fmt.Sprintf("an external_id may have at most %d bytes", maxKey),
			"external_id",
		)
	case !Storable(id):
		o.reject(table, id, record, "invalid_text", "the key holds the character NUL or is not UTF-8", "external_id")
	default:
		return true
	}
	return false
}

// noAttributes is the JSON of an empty object, made once.
var noAttributes = raw("{}")

// raw is JSON that is written as it is.
type raw = json.RawMessage

// reject sets a record aside whole. A digest distinguishes it from others without a key, so that one
// that is read twice is reported once.
func (o *Batch) reject(table int, id string, record any, code, message, field string) {
	b, err := json.Marshal(record)
	if err != nil {
		b = fmt.Append(b, record)
	}
	sum := sha256.Sum256(b)
	id = reportedID(id)
	o.Rejected = append(o.Rejected, Rejected{
		Object:     objectNames[table],
		ExternalID: strings.ToValidUTF8(id[:min(len(id), 64)], ""),
		Code:       code,
		Message:    message,
		Field:      field,
		Whole:      true,
		Digest:     sum[:16],
	})
}

// reportedID is a record's name as errors tell it. Keys of grants are not checked before.
func reportedID(id string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(id[:min(len(id), maxKey)], "\x00", ""), "")
}

// attributes is the JSON of a record's attributes; ok is false if there are too many, they are too
// large, or cannot be written as JSON. Then the whole record is set aside.
func (o *Batch) attributes(table int, id string, record any, m map[string]any) (raw, bool) {
	if len(m) == 0 {
		return noAttributes, true
	}
	if len(m) > maxAttributes {
		o.reject(
			table,
			id,
			record,
			"too_many_attributes",
			fmt.Sprintf("a record may have at most %d attributes", maxAttributes),
			"",
		)
		return nil, false
	}
	b, err := json.Marshal(m)
	switch {
	case err != nil:
		o.reject(table, id, record, "invalid_attributes", "the attributes cannot be written as JSON", "")
		return nil, false
	case len(b) > maxRecord:
		o.reject(
			table,
			id,
			record,
			"record_too_large",
			fmt.Sprintf("a record's attributes may have at most %d bytes", maxRecord),
			"",
		)
		return nil, false
	case hasNUL(m):
		o.reject(table, id, record, "invalid_text", "an attribute holds the character NUL", "")
		return nil, false
	}
	return b, true
}

// hasNUL says whether a text anywhere in a value has the character NUL, which PostgreSQL cannot
// store.
func hasNUL(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.IndexByte(v, 0) >= 0
	case []any:
		for _, e := range v {
			if hasNUL(e) {
				return true
			}
		}
	case map[string]any:
		for k, e := range v {
			if strings.IndexByte(k, 0) >= 0 || hasNUL(e) {
				return true
			}
		}
	}
	return false
}

// hashAt is the place of the hash in the rows of each stage.
var hashAt = [4]int{3, 3, 3, 2}

// put checks the row's texts, fills in its id and hash, and keeps it.
func (o *Batch) put(table int, id string, record any, row []any) {
	o.scratch = o.scratch[:0]
	for _, v := range row {
		text, ok := hashable(v)
		if !ok {
			o.reject(
				table,
				id,
				record,
				"invalid_text",
				"a value is longer than 64 KiB, holds the character NUL or is not UTF-8",
				"",
			)
			return
		}
		// Kind and length before the text, so that no two rows of different values give the same bytes.
		o.scratch = append(o.scratch, kindOf(v))
		o.scratch = binary.AppendUvarint(o.scratch, uint64(len(text)))
		o.scratch = append(o.scratch, text...)
	}
	sum := sha256.Sum256(o.scratch)
	row[0] = binaryUUID(uuid.Must(uuid.NewV7()))
	row[hashAt[table]] = sum[:16]
	o.rows[table] = append(o.rows[table], row)
}

// kindOf distinguishes an absent value from a present one, for the hash of a row.
func kindOf(v any) byte {
	if v == nil {
		return 0
	}
	return 1
}

// hashable is a value's text for the hash; ok is false where the value cannot be stored.
func hashable(v any) (text string, ok bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case raw:
		return string(v), true
	case string:
		return v, Storable(v)
	case *string:
		if v == nil {
			return "", true
		}
		return "=" + *v, Storable(*v)
	case *bool:
		if v == nil {
			return "", true
		}
		return fmt.Sprint(*v), true
	case bool:
		return fmt.Sprint(v), true
	case *int:
		if v == nil {
			return "", true
		}
		return fmt.Sprint(*v), true
	case *time.Time:
		if v == nil {
			return "", true
		}
		return v.UTC().Format(time.RFC3339Nano), true
	case []string:
		for _, s := range v {
			if !Storable(s) {
				return "", false
			}
		}
		return strings.Join(v, "\x00"), true
	}
	return fmt.Sprint(v), true
}

// Storable reports whether a text fits into a column: UTF-8 without NUL, and not longer than a value may be.
func Storable(s string) bool {
	return len(s) <= maxText && strings.IndexByte(s, 0) < 0 && utf8.ValidString(s)
}

// NullIfEmpty is a text as a nullable column has it.
func NullIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// accountType is the connector's hint if it is a known type, and otherwise unknown.
func accountType(hint string) string {
	switch hint {
	case "person", "privileged", "service", "shared", "system", "bot", "ai_agent", "break_glass":
		return hint
	}
	return "unknown"
}

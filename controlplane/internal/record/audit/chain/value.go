package chain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// CanonicalValue writes a decoded value, of the types that a decoder with UseNumber makes, as Canonical does.
func CanonicalValue(value any) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(1024)
	err := writeValue(&out, value)
	return out.Bytes(), err
}

// writeValue writes a value that is read already in canonical form.
func writeValue(out *bytes.Buffer, value any) error {
	switch v := value.(type) {
	case nil:
		out.WriteString("null")
	case bool:
		out.WriteString(strconv.FormatBool(v))
	case string:
		writeString(out, v)
	case json.Number:
		return writeNumber(out, v)
	case []any:
		return writeValues(out, v)
	case map[string]any:
		return writeMap(out, v)
	default:
		return fmt.Errorf("a %T is no JSON value", value)
	}
	return nil
}

// writeValues writes an array.
func writeValues(out *bytes.Buffer, values []any) error {
	out.WriteByte('[')
	for i, v := range values {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := writeValue(out, v); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	return nil
}

// writeMap writes an object, sorted like writeObject.
func writeMap(out *bytes.Buffer, m map[string]any) error {
	out.WriteByte('{')
	for i, name := range slices.SortedFunc(maps.Keys(m), compareUTF16) {
		if i > 0 {
			out.WriteByte(',')
		}
		writeString(out, name)
		out.WriteByte(':')
		if err := writeValue(out, m[name]); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

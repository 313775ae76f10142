package jsonbody

import (
	"bufio"
	"bytes"
	"encoding/json"
)

// FirstByte skips white space and a byte order mark.
func FirstByte(in *bufio.Reader) (byte, error) {
	if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\xEF\xBB\xBF")) {
		_, _ = in.Discard(3)
	}
	for {
		b, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, in.UnreadByte()
		}
	}
}

// FieldOf names the field that an error of decoding is about.
func FieldOf(e *json.UnmarshalTypeError) string {
	if e.Field == "" {
		return "another kind of value"
	}
	return "another kind of " + e.Field
}

package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Strict decodes one JSON object, or list of objects, and refuses members that the Go type does not have. Numbers
// without a type become json.Number. The error names the member that is unknown or of another type; it is written to be
// shown behind the name of the setting.
func Strict(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	err := dec.Decode(into)
	var typ *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &typ) && typ.Field == "":
		return errors.New("must be a JSON object")
	case errors.As(err, &typ):
		return fmt.Errorf("%s must not be a JSON %s", typ.Field, typ.Value)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("must be a JSON object")
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("unknown member %s", name)
	}
	return err
}

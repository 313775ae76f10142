package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// What can be wrong with a frame. CloseCode returns how to end the connection for each.
var (
	ErrMalformed = errors.New("malformed frame")
	ErrTooLarge  = errors.New("frame too large")
	ErrVersion   = errors.New("frame version not supported")
)

// maxDepth bounds how deep a frame may nest.
const maxDepth = 100

// maxExact is the greatest whole number that every JSON reader keeps exactly.
const maxExact = 1 << 53

// Encode writes f with body in its place. A body that is encoded already (json.RawMessage) is taken as it is, and with
// a nil body f.Body is. V is filled in. It fails with ErrTooLarge beyond HardMaxFrame.
func Encode(f Frame, body any) ([]byte, error) { return Append(nil, f, body) }

// Append is Encode into dst's spare room. The body is encoded once, straight into place.
func Append(dst []byte, f Frame, body any) ([]byte, error) {
	if body == nil && f.Body != nil {
		body = f.Body
	}
	f.V, f.Body, f.TS = Version, nil, f.TS.UTC()
	head, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("encode %s frame: %w", f.Type, err)
	}
	if body == nil {
		return append(dst, head...), nil
	}
	start := len(dst)
	buf := bytes.NewBuffer(append(dst, head[:len(head)-1]...))
	buf.WriteString(`,"body":`)
	if err := appendBody(buf, body); err != nil {
		return nil, fmt.Errorf("encode body of %s frame: %w", f.Type, err)
	}
	buf.WriteByte('}')
	if n := buf.Len() - start; n > HardMaxFrame {
		return nil, fmt.Errorf(
			"%w: a %s frame of %d bytes, at most %d are allowed",
			ErrTooLarge,
			f.Type,
			n,
			HardMaxFrame,
		)
	}
	return buf.Bytes(), nil
}

// appendBody writes a frame's body. Raw JSON is written as it is.
func appendBody(buf *bytes.Buffer, body any) error {
	if raw, ok := body.(json.RawMessage); ok {
		buf.Write(raw)
		return nil
	}
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return err
	}
	buf.Truncate(buf.Len() - 1) // the encoder's line break
	return nil
}

// Decode reads the envelope of msg in one pass and leaves Body raw, as a part of msg. max bounds the message in bytes;
// 0 means DefaultMaxFrame. Unknown members are ignored, unknown types are the caller's business (see Type.Known). The
// body is checked for its extent, its numbers and its depth only: DecodeBody checks the rest.
func Decode(msg []byte, max int) (Frame, error) {
	if max <= 0 {
		max = DefaultMaxFrame
	}
	if len(msg) > max {
		return Frame{}, fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrTooLarge, len(msg), max)
	}
	if !utf8.Valid(msg) {
		return Frame{}, fmt.Errorf("%w: not UTF-8", ErrMalformed)
	}
	f, err := decodeEnvelope(&scanner{msg: msg})
	switch {
	case err != nil:
		return Frame{}, err
	case f.V != Version:
		return Frame{}, fmt.Errorf("%w: %d", ErrVersion, f.V)
	case f.Type == "":
		return Frame{}, fmt.Errorf("%w: no type", ErrMalformed)
	}
	return f, nil
}

// DecodeBody reads the frame's body into a value of type T. Unknown members are ignored.
func DecodeBody[T any](f Frame) (T, error) {
	var body T
	if len(f.Body) == 0 {
		return body, fmt.Errorf("%w: a %s frame without a body", ErrMalformed, f.Type)
	}
	if err := json.Unmarshal(f.Body, &body); err != nil {
		return body, fmt.Errorf("%w: body of %s: %w", ErrMalformed, f.Type, err)
	}
	return body, nil
}

// CloseCode is the code that a connection is closed with because of err.
func CloseCode(err error) int {
	switch {
	case errors.Is(err, ErrTooLarge):
		return CloseTooLarge
	case errors.Is(err, ErrVersion):
		return CloseVersion
	default:
		return CloseProtocol
	}
}

// Known says whether this version of the protocol has frames of type t.
func (t Type) Known() bool { return slices.Contains(types, t) }

// types are all known types of frame.
var types = []Type{
	TypeHello,
	TypeChallenge,
	TypeProof,
	TypeWelcome,
	TypeHeartbeat,
	TypeOffer,
	TypeAccept,
	TypeReject,
	TypeProgress,
	TypeChunk,
	TypeAck,
	TypeResult,
	TypeTaskCancel,
	TypeError,
	TypeGoaway,
	TypeDrain,
	TypeEcho,
}

// decodeEnvelope reads the members of a frame without decoding its body. A member that comes twice
// is malformed.
func decodeEnvelope(s *scanner) (Frame, error) {
	var f Frame
	seen := map[string]bool{}
	err := s.object(func(key string, value []byte) error {
		// Two members of one name are how one reader is made to see something else than another.
		if seen[key] {
			return fmt.Errorf("%w: member %q twice", ErrMalformed, key)
		}
		seen[key] = true
		if err := f.set(key, value); err != nil {
			return fmt.Errorf("%w: member %q: %w", ErrMalformed, key, err)
		}
		return nil
	})
	return f, err
}

// set takes over one member. Unknown ones are ignored, as the protocol demands.
func (f *Frame) set(key string, value []byte) error {
	switch key {
	case "v":
		return setInt(&f.V, value)
	case "type":
		return setString((*string)(&f.Type), value)
	case "id":
		return setString(&f.ID, value)
	case "re":
		return setString(&f.Re, value)
	case "task":
		return setString(&f.Task, value)
	case "run":
		return setString(&f.Run, value)
	case "attempt":
		return setInt(&f.Attempt, value)
	case "seq":
		return setInt(&f.Seq, value)
	case "ts":
		return setTime(&f.TS, value)
	case "trace":
		return setString(&f.Trace, value)
	case "opt":
		return json.Unmarshal(value, &f.Opt)
	case "body":
		if string(value) != "null" {
			f.Body = value
		}
	}
	return nil
}

// setInt reads a whole number.
func setInt(to *int, value []byte) error {
	n, err := strconv.Atoi(string(value))
	*to = n
	return err
}

// setString reads a text of at most 512 bytes, which no member of the envelope exceeds.
func setString(to *string, value []byte) error {
	if len(value) > 512 {
		return errors.New("longer than 512 bytes")
	}
	return json.Unmarshal(value, to)
}

// setTime reads a time in RFC 3339.
func setTime(to *time.Time, value []byte) error { return json.Unmarshal(value, to) }

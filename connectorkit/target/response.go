package target

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/connectorkit/jsonscan"
	"github.com/grantwright/grantwright/connectorkit/target/internal/jsonbody"
	"github.com/grantwright/grantwright/connectorkit/target/internal/transfer"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Response is the answer of a target. Its Body is decompressed and bounded, and fails with *v1.ErrorDetail.
type Response struct {
	Status int
	Header http.Header
	URL    string // with nothing secret in it
	Body   io.Reader

	client  *Client
	method  string
	phase   string
	host    string
	ctx     context.Context // of this exchange: its cause identifies a stalled read
	excerpt []byte          // the first bytes read so far
	close   func() error

	messageAt func(answer any) string // of the request
}

// keepBytes is more than what an excerpt shows, so that a secret at the edge is seen whole by the scrubber.
const keepBytes = 2 * excerptBytes

func (r *Response) keep(p []byte) {
	if room := keepBytes - len(r.excerpt); room > 0 {
		r.excerpt = append(r.excerpt, p[:min(room, len(p))]...)
	}
}

// Drain reads a short rest of the body, so that the connection can be used again after Close.
func (r *Response) Drain() { _, _ = io.CopyN(io.Discard, r.Body, 64<<10) }

// Close ends the exchange. It waits for nothing.
func (r *Response) Close() {
	_ = r.close() // reading is over; there is no one to report to
}

// JSON gives a decoder on the body, with numbers kept as json.Number, after making sure that the answer is
// JSON: a web page or XML in its place is an error with code not_json that shows what came.
func (r *Response) JSON() (*json.Decoder, error) {
	in := bufio.NewReaderSize(r.Body, 32<<10)
	first, err := jsonbody.FirstByte(in)
	var detail *v1.ErrorDetail
	if errors.As(err, &detail) {
		return nil, detail
	}
	if errors.Is(err, io.EOF) {
		return nil, r.fault(v1.ClassTargetFault, "empty_body",
			fmt.Sprintf("%s %s answered %s with an empty body instead of JSON", r.method, r.URL, r.statusLine()),
			notJSONHint)
	}
	kind := r.mediaType()
	if first == '<' || strings.Contains(kind, "html") || !strings.ContainsRune(`{["-0123456789tfn`, rune(first)) {
		return nil, r.notJSON(kind)
	}
	dec := json.NewDecoder(in)
	dec.UseNumber()
	return dec, nil
}

const notJSONHint = "The address is probably that of a web page, a login page or a proxy in between. Check " +
	"base_url and its path."

func (r *Response) notJSON(kind string) *v1.ErrorDetail {
	// The excerpt should show the page, not the few bytes looked at so far.
	_, _ = io.CopyN(io.Discard, r.Body, keepBytes)
	if kind == "" {
		kind = "something else"
	}
	return r.fault(v1.ClassConfig, "not_json",
		fmt.Sprintf("%s %s answered %s with %s instead of JSON", r.method, r.URL, r.statusLine(), r.client.clean(kind)),
		notJSONHint)
}

func (r *Response) mediaType() string {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		kind, _, _ = strings.Cut(r.Header.Get("Content-Type"), ";")
	}
	return strings.ToLower(strings.TrimSpace(kind))
}

func (r *Response) statusLine() string {
	if text := http.StatusText(r.Status); text != "" {
		return fmt.Sprintf("%d %s", r.Status, text)
	}
	return fmt.Sprint(r.Status)
}

// Result is what a test step shows of this answer. The excerpt holds what was read so far.
func (r *Response) Result() *v1.HTTPResult {
	h := r.Head()
	if utf8.Valid(r.excerpt) || len(r.excerpt) >= keepBytes {
		h.BodyExcerpt, h.Truncated = r.client.excerpt(r.excerpt)
	} else {
		h.BodyExcerpt = fmt.Sprintf("(%d bytes that are no text)", len(r.excerpt))
	}
	return h
}

// Head is the answer without its body.
func (r *Response) Head() *v1.HTTPResult {
	return &v1.HTTPResult{
		Method: r.method, URL: r.URL, Status: r.Status, Reason: http.StatusText(r.Status),
		ContentType: r.client.clean(r.Header.Get("Content-Type")), Headers: r.client.allowed(r.Header),
	}
}

// Fault makes an error about this answer: the class and code are the caller's, the target's words are attached.
func (r *Response) Fault(class v1.ErrorClass, code, message, hint string) *v1.ErrorDetail {
	return r.fault(class, code, message, hint)
}

func (r *Response) fault(class v1.ErrorClass, code, message, hint string) *v1.ErrorDetail {
	return &v1.ErrorDetail{
		Class: class, Code: code, Message: message, Hint: hint, Phase: r.phase, Retryable: class == v1.ClassTransient,
		Target: &v1.Target{Kind: "http", Host: r.host, HTTP: r.Result()},
	}
}

// Explain turns an error met while decoding the body into a *v1.ErrorDetail: broken JSON, or the body's own trouble.
func (r *Response) Explain(err error) error {
	var (
		detail *v1.ErrorDetail
		syntax *json.SyntaxError
		typ    *json.UnmarshalTypeError
		beyond *jsonscan.Error
		s      stopped
	)
	switch {
	case err == nil, errors.As(err, &detail), errors.As(err, &s):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return r.fault(v1.ClassTransient, "json_cut",
			fmt.Sprintf("the answer of %s %s ends in the middle of its JSON", r.method, r.URL),
			"The target or something on the way cut the answer short. Smaller pages may help.")
	case errors.As(err, &beyond):
		return r.fault(v1.ClassTargetFault, "answer_too_large",
			fmt.Sprintf("the answer of %s %s cannot be read: %v", r.method, r.URL, beyond),
			"Ask for less in one request.")
	case errors.As(err, &typ):
		return r.fault(
			v1.ClassTargetFault,
			"unexpected_json",
			fmt.Sprintf(
				"the answer of %s %s has a %s where %s is expected",
				r.method,
				r.URL,
				typ.Value,
				jsonbody.FieldOf(typ),
			),
			notJSONHint,
		)
	case errors.As(err, &syntax):
		return r.fault(v1.ClassTargetFault, "bad_json",
			fmt.Sprintf("the answer of %s %s is not valid JSON near byte %d", r.method, r.URL, syntax.Offset),
			notJSONHint)
	}
	return r.fault(
		v1.ClassTargetFault, "bad_json",
		fmt.Sprintf("the answer of %s %s cannot be read: %s", r.method, r.URL, r.client.clean(err.Error())),
		notJSONHint,
	)
}

// cut explains why a body broke off.
func (r *Response) cut(err error) *v1.ErrorDetail {
	if errors.Is(context.Cause(r.ctx), transfer.ErrIdle) {
		return r.fault(v1.ClassTransient, "timeout", fmt.Sprintf("the answer of %s %s stalled", r.method, r.URL),
			"The target stopped sending in the middle of its answer. Smaller pages or a longer timeout_s may help.")
	}
	if errors.Is(context.Cause(r.ctx), transfer.ErrSlow) {
		return r.fault(v1.ClassTransient, "body_too_slow",
			fmt.Sprintf("the answer of %s %s comes too slowly", r.method, r.URL),
			"The target sends its answer in drips. Smaller pages or a longer page_timeout_s may help.")
	}
	var corrupt flate.CorruptInputError
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt) {
		return r.fault(
			v1.ClassTargetFault, "bad_compression",
			fmt.Sprintf("the answer of %s %s cannot be decompressed", r.method, r.URL), "",
		)
	}
	d := r.client.explain(err, r.host, Request{Method: r.method, Phase: r.phase})
	if d.Class == v1.ClassTransient && d.Target != nil {
		d.Code, d.Target.HTTP = "body_cut", r.Result()
		d.Message = fmt.Sprintf("the answer of %s %s broke off in the middle", r.method, r.URL)
		d.Hint = "The target or something on the way cut the answer short. Smaller pages may help."
	}
	return d
}

// Clean masks the secrets of this call in text taken from the answer.
func (r *Response) Clean(s string) string { return r.client.clean(s) }

// Host is the host:port that answered.
func (r *Response) Host() string { return r.host }

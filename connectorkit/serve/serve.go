package serve

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/signing"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// maxRequest bounds a request's body. A checkpoint and a cursor fit, with settings of any sensible size.
const maxRequest = 4 << 20

// Handler serves one connector. Set Connector or Sync, and how the caller is known; without any of Token, SigningSecret
// and Public it refuses everybody.
type Handler struct {
	// Connector reads the target. Its pages are streamed, one a line, as they come.
	Connector connectorkit.Connector

	// Sync, in the place of Connector, answers in one piece. An answer without Page is whole, and complete for what it
	// carries unless req.Incremental. What tests and discovers is then up to the caller, who asks Sync for a few
	// records.
	Sync func(ctx context.Context, req v1.SyncRequest) v1.SyncResponse

	Token         string // bearer token that a request must bring
	SigningSecret string // with which it must be signed: whsec_ and base64; see package signing
	Public        bool   // anybody may call

	Name, Version string // for the manifest; may be empty

	Log *slog.Logger     // receives failures; nil: none are logged
	Now func() time.Time // nil: time.Now

	// Heartbeat is how often a stream without events gets an empty line, so that no proxy on the way cuts it;
	// 0: 15 s.
	Heartbeat time.Duration
}

// Manifest says what a connector is.
type Manifest struct {
	Name             string   `json:"name,omitempty"`
	Version          string   `json:"version,omitempty"`
	ProtocolVersions []string `json:"protocol_versions"`
	// Capabilities are the operations that are served, such as sync or provision.
	Capabilities []string `json:"capabilities"`
}

// ServeHTTP answers /v1/sync, and with a Connector also /v1/test and /v1/discover; with one that is a
// connectorkit.Changer /v1/provision and /v1/read too; /v1/manifest and /v1/healthz always.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method, operation := http.MethodPost, (func(http.ResponseWriter, *http.Request, []byte))(nil)
	switch r.URL.Path {
	case "/v1/healthz":
		reply(w, http.StatusOK, map[string]string{"status": "ok"})
		return
	case "/v1/manifest":
		method, operation = http.MethodGet, h.manifest
	case "/v1/sync":
		if operation = h.answer; h.Connector != nil {
			operation = h.stream
		}
	case "/v1/test":
		operation = h.test
	case "/v1/discover":
		operation = h.discover
	case "/v1/provision":
		operation = h.provision
	case "/v1/read":
		operation = h.read
	}
	if h.Connector == nil && (r.URL.Path == "/v1/test" || r.URL.Path == "/v1/discover") {
		operation = nil
	}
	if _, writes := h.Connector.(connectorkit.Changer); !writes &&
		(r.URL.Path == "/v1/provision" || r.URL.Path == "/v1/read") {
		operation = nil
	}
	switch {
	case operation == nil:
		refuse(w, http.StatusNotFound, "there is nothing at this path")
		return
	case r.Method != method:
		w.Header().Set("Allow", method)
		refuse(w, http.StatusMethodNotAllowed, "this path takes "+method)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "the request is too large or broke off")
		return
	}
	if why := h.stranger(r, body); why != "" {
		w.Header().Set("WWW-Authenticate", `Bearer realm="connector"`)
		refuse(w, http.StatusUnauthorized, why)
		return
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); method == http.MethodPost &&
		kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "the request must be application/json")
		return
	}
	operation(w, r, body)
}

// stranger says why the caller is not let in.
func (h *Handler) stranger(r *http.Request, body []byte) string {
	if h.Public {
		return ""
	}
	if h.Token == "" && h.SigningSecret == "" {
		return "this connector has neither a token nor a signing secret, so it refuses every request"
	}
	if h.Token != "" {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare([]byte(given), []byte(h.Token)) != 1 {
			return "the bearer token is missing or wrong"
		}
	}
	if h.SigningSecret != "" {
		key, err := signing.Key(h.SigningSecret)
		if err == nil {
			err = signing.Verify(r.Header, h.now(), body, key)
		}
		if err != nil {
			return err.Error()
		}
	}
	return ""
}

// now is the present time, or that of a test.
func (h *Handler) now() time.Time {
	if h.Now != nil {
		return h.Now()
	}
	return time.Now()
}

// manifest answers what the connector can do. A connector that changes its target has provision and
// read.
func (h *Handler) manifest(w http.ResponseWriter, _ *http.Request, _ []byte) {
	m := Manifest{Name: h.Name, Version: h.Version, ProtocolVersions: []string{"v1"}, Capabilities: []string{"sync"}}
	if h.Connector != nil {
		m.Capabilities = []string{"test", "discover", "sync"}
	}
	if _, writes := h.Connector.(connectorkit.Changer); writes {
		m.Capabilities = append(m.Capabilities, "provision", "read")
	}
	reply(w, http.StatusOK, m)
}

// answer serves Sync.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, body []byte) {
	req, ok := read[v1.SyncRequest](w, body)
	if !ok {
		return
	}
	out := h.Sync(r.Context(), req)
	out.Normalize()
	reply(w, http.StatusOK, out)
}

// test answers a TestRequest. A failure of the connector is an answer with success false.
func (h *Handler) test(w http.ResponseWriter, r *http.Request, body []byte) {
	req, ok := read[v1.TestRequest](w, body)
	if !ok {
		return
	}
	out, err := h.Connector.Test(r.Context(), req, nil)
	if err != nil {
		out.Success, out.Error = false, h.detail(r.Context(), err)
	}
	if out.Steps == nil {
		out.Steps = []v1.TestStep{}
	}
	reply(w, http.StatusOK, out)
}

// discover answers a DiscoverRequest.
func (h *Handler) discover(w http.ResponseWriter, r *http.Request, body []byte) {
	req, ok := read[v1.DiscoverRequest](w, body)
	if !ok {
		return
	}
	out, err := h.Connector.Discover(r.Context(), req, nil)
	if err != nil {
		out = v1.DiscoverResponse{Error: h.detail(r.Context(), err)}
	}
	if out.Objects == nil {
		out.Objects = []v1.DiscoveredObject{}
	}
	reply(w, http.StatusOK, out)
}

// detail is the error for the caller. Details that are not meant for users stay here.
func (h *Handler) detail(ctx context.Context, err error) *v1.ErrorDetail {
	var d *v1.ErrorDetail
	if errors.As(err, &d) {
		return d
	}
	if h.Log != nil {
		h.Log.ErrorContext(ctx, "connector failed", "err", err)
	}
	return &v1.ErrorDetail{
		Class:   v1.ClassInternal,
		Code:    "internal",
		Message: "an internal error occurred in the connector; see its log",
	}
}

// read decodes a request. Unknown members are ignored: the protocol only gains members.
func read[T any](w http.ResponseWriter, body []byte) (T, bool) {
	var v T
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := dec.Decode(&v); err != nil || dec.More() {
		refuse(w, http.StatusBadRequest, "the request is no JSON document of protocol v1")
		return v, false
	}
	return v, true
}

// refuse answers a problem (RFC 9457).
func refuse(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	encode(w, map[string]any{"title": http.StatusText(status), "status": status, "detail": detail})
}

// reply answers JSON.
func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	encode(w, v)
}

// encode writes v and a line feed. An error means that the caller has gone.
func encode(w io.Writer, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
}

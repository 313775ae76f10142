package hub

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gorilla/websocket"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/problem"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Handler serves GET /api/v1/agent. It stands behind the agents' authenticator: who connects is known from the token
// alone.
func (h *Hub) Handler() http.Handler {
	h.start()
	return http.HandlerFunc(h.serve)
}

var upgrader = websocket.Upgrader{
	Subprotocols:     []string{wire.Subprotocol},
	HandshakeTimeout: 10 * time.Second,
	ReadBufferSize:   16 << 10, WriteBufferSize: 16 << 10,
	CheckOrigin: func(*http.Request) bool { return true }, // serve has refused every Origin
	Error: func(w http.ResponseWriter, r *http.Request, status int, reason error) {
		refuse(w, r, &problem.Problem{Status: status, Code: "invalid_request", Detail: reason.Error()})
	},
}

func (h *Hub) serve(w http.ResponseWriter, r *http.Request) {
	v := httpapi.ViewerOf(r.Context())
	if p := h.refusal(v, r); p != nil {
		refuse(w, r, p)
		return
	}
	if !h.enter() {
		refuse(w, r, overloaded("this process is stopping; connect again"))
		return
	}
	defer h.open.Done()
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	socket := session.NewSocket(ws, r.Host, h.timing)
	defer socket.Drain()
	// The request's context ends with its client; this connection is a conversation of its own.
	ctx := context.WithoutCancel(r.Context())
	if err := h.converse(ctx, v, socket); err != nil {
		h.Log.InfoContext(ctx, "agent disconnected", "tenant", v.Tenant, "agent", v.ID, "err", err)
	}
}

// refusal says why a request is no proper handshake.
func (h *Hub) refusal(v viewer.Viewer, r *http.Request) *problem.Problem {
	offered := websocket.Subprotocols(r)
	switch {
	case v.Kind != viewer.Agent:
		return &problem.Problem{
			Status: http.StatusUnauthorized,
			Code:   "invalid_token",
			Detail: "this needs an agent's token",
		}
	case r.Header.Get("Origin") != "":
		return &problem.Problem{
			Status: http.StatusForbidden,
			Code:   "forbidden",
			Detail: "Browsers cannot connect to this endpoint.",
		}
	case r.Header.Get("X-Tenant-Id") != "" || r.URL.RawQuery != "":
		return &problem.Problem{
			Status: http.StatusBadRequest,
			Code:   "unknown_parameter",
			Detail: "The token identifies the agent; other identification is not accepted.",
		}
	case !websocket.IsWebSocketUpgrade(r) || !slices.Contains(offered, wire.Subprotocol):
		return &problem.Problem{
			Status: http.StatusUpgradeRequired,
			Code:   "upgrade_required",
			Detail: "this is a websocket of the subprotocol " + wire.Subprotocol,
			Extra: map[string]any{
				"supported_subprotocols": []string{wire.Subprotocol},
				"min_capability":         wire.MinAgentCapability,
			},
		}
	}
	if wait := h.handshakes.Take("", time.Now()); wait > 0 {
		return overloaded("too many agents connect at once; try again")
	}
	return nil
}

func overloaded(detail string) *problem.Problem {
	// Agents that come back at different times do not queue up again.
	spread := time.Duration(5+time.Now().UnixNano()%56) * time.Second
	return &problem.Problem{
		Status:     http.StatusServiceUnavailable,
		Code:       "temporarily_overloaded",
		Detail:     detail,
		RetryAfter: spread,
	}
}

func refuse(w http.ResponseWriter, r *http.Request, p *problem.Problem) {
	p.Type, p.Title, p.RequestID = "urn:grantwright:problem:"+p.Code, http.StatusText(p.Status), httpapi.RequestID(
		r.Context(),
	)
	p.Instance = "urn:grantwright:request:" + p.RequestID
	for k, values := range p.GetHeaders() {
		w.Header()[k] = values
	}
	w.Header().Set("Content-Type", p.ContentType(""))
	if p.Status == http.StatusUpgradeRequired {
		w.Header().Set("Upgrade", "websocket")
	}
	body, err := json.Marshal(p)
	if err != nil {
		body = []byte("{}")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.Status)
	_, _ = w.Write(body) // a client that has gone away misses nothing
}

// converse takes a connection from hello to its end. The error is why it ended.
func (h *Hub) converse(ctx context.Context, v viewer.Viewer, socket *session.Socket) error {
	s, err := h.admission.Admit(ctx, v, socket)
	if err != nil {
		closing := &wire.CloseError{Code: wire.CloseCode(err), Reason: "the hello could not be used"}
		if !errors.As(err, &closing) && !errors.Is(err, wire.ErrMalformed) && !errors.Is(err, wire.ErrVersion) &&
			!errors.Is(err, wire.ErrTooLarge) {
			closing = &wire.CloseError{Code: wire.CloseDraining, Reason: "try again"}
			h.Log.ErrorContext(ctx, "agent could not be admitted", "tenant", v.Tenant, "agent", v.ID, "err", err)
		}
		_ = socket.Close(closing.Code, closing.Reason)
		return closing
	}
	h.peers.attach(s)
	h.Log.InfoContext(
		ctx,
		"agent connected",
		"tenant",
		v.Tenant,
		"agent",
		v.ID,
		"session",
		s.ID,
		"version",
		s.Hello.Version,
	)
	err = s.Serve(ctx)
	goodbye := saidGoodbye(err)
	h.peers.detach(s, goodbye)
	h.presence.Leave(ctx, s, goodbye)
	return err
}

// saidGoodbye reports whether the agent closed the connection on purpose.
func saidGoodbye(err error) bool {
	var closed *wire.CloseError
	return errors.As(err, &closed) && closed.Code == wire.Going
}

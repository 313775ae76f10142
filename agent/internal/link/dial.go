package link

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"github.com/grantwright/grantwright/agent/internal/dial"
	"github.com/grantwright/grantwright/agent/internal/enroll"
	"github.com/grantwright/grantwright/protocol/wire"
)

// handshakeTimeout is how long the opening of the websocket may take.
const handshakeTimeout = 20 * time.Second

// open upgrades a connection. A refusal of the control plane is an *enroll.Refused.
func (l *Link) open(ctx context.Context, token string) (*socket, error) {
	d := websocket.Dialer{
		NetDialContext: l.Dialer.DialContext, TLSClientConfig: l.Dialer.TLS.Clone(), HandshakeTimeout: handshakeTimeout,
		Subprotocols: []string{wire.Subprotocol}, WriteBufferSize: 16 << 10,
	}
	header := http.Header{"Authorization": {"Bearer " + token}, "User-Agent": {"grantwright-agent/" + l.Version}}
	ws, resp, err := d.DialContext(ctx, l.address(), header)
	switch {
	case errors.Is(err, websocket.ErrBadHandshake):
		return nil, enroll.Refusal(resp, l.Now())
	case err != nil:
		return nil, fmt.Errorf("reach %s: %w", l.Dialer.Base.Host, dial.Explain(err))
	case ws.Subprotocol() != wire.Subprotocol:
		ws.Close()
		return nil, fmt.Errorf("%s does not speak %s", l.Dialer.Base.Host, wire.Subprotocol)
	}
	return newSocket(ws, l.Pace), nil
}

// address is the endpoint with the websocket's scheme: http becomes ws, https wss.
func (l *Link) address() string {
	return "ws" + strings.TrimPrefix(l.Dialer.Base.String(), "http") + "/api/v1/agent"
}

package incoming

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// clientID is what a client may call its request for us to repeat it.
var clientID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// New begins with the head of a request. Behind a proxy, the client's address is in X-Forwarded-For.
func New(r *http.Request, behindProxy bool) *Request {
	p := &Request{
		ID:      uuid.Must(uuid.NewV7()).String(),
		Address: clientAddress(r, behindProxy),
		Trace:   traceOf(r.Header),
	}
	if given := r.Header.Values("X-Request-Id"); len(given) == 1 && clientID.MatchString(given[0]) {
		p.ClientID = given[0]
	}
	return p
}

// clientAddress is where the request came from. Behind a proxy it is what that proxy has appended: only the last
// entry of X-Forwarded-For was written by the proxy, the ones before can be forged.
func clientAddress(r *http.Request, behindProxy bool) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	forwarded := r.Header.Values("X-Forwarded-For")
	if !behindProxy || len(forwarded) == 0 {
		return host
	}
	entries := strings.Split(forwarded[len(forwarded)-1], ",")
	if ip, err := netip.ParseAddr(strings.TrimSpace(entries[len(entries)-1])); err == nil {
		return ip.String()
	}
	return host
}

// UserAgent is what a client calls itself, cut to what an audit log should keep of it.
func UserAgent(r *http.Request) string {
	const most = 256
	agent := strings.ToValidUTF8(r.UserAgent(), "")
	if len(agent) > most {
		agent = strings.ToValidUTF8(agent[:most], "")
	}
	return agent
}

// Bearer reads the token (RFC 6750 section 2.1). A token in the query is refused: it would end up in logs.
func Bearer(r *http.Request) (string, error) {
	values := r.Header.Values("Authorization")
	switch {
	case len(values) > 1:
		return "", fault.New(fault.Malformed, "there must be one Authorization header, not %d", len(values))
	case Under(r.URL.Path, "/api") && r.URL.Query().Has("access_token"):
		return "", fault.New(fault.Malformed, "a token belongs in the Authorization header, never in the address")
	case len(values) == 0:
		return "", nil
	}
	scheme, token, found := strings.Cut(values[0], " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return "", fault.New(fault.Unauthenticated, "the Authorization header must be: Bearer <token>")
	}
	return strings.TrimSpace(token), nil
}

// Request is what is known of a request. There is one for each request; the stages before its handler fill it.
type Request struct {
	ID       string // given by the service
	ClientID string // given by the client; empty if it gave none, or one that is not safe to repeat
	Address  string // the client's network address, without a port
	Bearer   string // the token, not verified; empty without one
	Trace    Trace
	Viewer   viewer.Viewer // the zero Viewer until the token is verified, and on routes without one
	Keys     []string      // the values of Idempotency-Key
	Body     []byte        // as it was sent

	// Leave gives up the request's place among those that are worked on. More than once is harmless.
	Leave func()
	// Verify verifies the token again; nil without a token.
	Verify func(context.Context) (viewer.Viewer, error)
}

type requestKey struct{}

// With adds the request to a context.
func With(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// Of is the request that ctx belongs to. Outside of any request it is an empty one, never nil.
func Of(ctx context.Context) *Request {
	if r, ok := ctx.Value(requestKey{}).(*Request); ok {
		return r
	}
	return &Request{}
}

package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

type (
	viewerKey  struct{}
	requestKey struct{}
	bearerKey  struct{}
	addressKey struct{}
)

// RequestID is the id given to the request that ctx belongs to.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// BearerOf is the token a request carried, for routes that look at it themselves; empty without one.
func BearerOf(ctx context.Context) string {
	token, _ := ctx.Value(bearerKey{}).(string)
	return token
}

// AddressOf is the network address a request came from, without a port.
func AddressOf(ctx context.Context) string {
	addr, _ := ctx.Value(addressKey{}).(string)
	return addr
}

// identify gives every request an id and the headers that every answer carries.
func (a *API) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := uuid.Must(uuid.NewV7()).String()
		ctx := context.WithValue(r.Context(), requestKey{}, id)
		ctx = context.WithValue(ctx, addressKey{}, a.address(r))
		h := w.Header()
		h.Set("X-Request-Id", id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		if under(r.URL.Path, "/api") {
			h.Set("Cache-Control", "no-store")
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// address is where the request came from. Behind a proxy it is what that proxy has appended: only the last entry of
// X-Forwarded-For was written by somebody we know, the ones before may say anything.
func (a *API) address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	forwarded := r.Header.Values("X-Forwarded-For")
	if !a.cfg.BehindProxy || len(forwarded) == 0 {
		return host
	}
	entries := strings.Split(forwarded[len(forwarded)-1], ",")
	if ip, err := netip.ParseAddr(strings.TrimSpace(entries[len(entries)-1])); err == nil {
		return ip.String()
	}
	return host
}

func (a *API) recoverPanic(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			cause := recover()
			if cause == nil {
				return
			}
			if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(cause)
			}
			a.cfg.Log.ErrorContext(r.Context(), "panic", "request_id", RequestID(r.Context()), "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
			writeProblem(w, r, problemOf(fault.New(fault.Internal, "something went wrong on our side; the request id finds it in the log"), RequestID(r.Context())))
		}()
		next.ServeHTTP(w, r)
	})
}

// authenticate comes before routing, so that a path which does not exist needs a token as well.
func (a *API) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bearer, err := bearerIn(r)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		ctx := context.WithValue(r.Context(), bearerKey{}, bearer)
		auth, needed := a.needsToken(r)
		if needed {
			v, err := identifyViewer(ctx, auth, bearer, r)
			if err != nil {
				a.Fail(w, r, err)
				return
			}
			v.RequestID, v.IP = RequestID(ctx), AddressOf(ctx)
			if r.Header.Get("X-Tenant-Id") != "" {
				w.Header().Set("X-Tenant-Id", v.Tenant) // where the request has acted, for whoever named a tenant
			}
			announceEnd(w.Header(), v)
			ctx = context.WithValue(ctx, viewerKey{}, v)
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func identifyViewer(ctx context.Context, auth Authenticate, bearer string, r *http.Request) (viewer.Viewer, error) {
	if bearer == "" {
		return viewer.Viewer{}, fault.New(fault.Unauthenticated, "this needs the header Authorization: Bearer <token>")
	}
	return auth(ctx, bearer, r)
}

// ViewerOf is the authenticated viewer of a request, for handlers that are mounted plainly.
func ViewerOf(ctx context.Context) viewer.Viewer {
	v, _ := ctx.Value(viewerKey{}).(viewer.Viewer)
	return v
}

// bearerIn reads the token (RFC 6750 section 2.1). A token in the query is refused: it would end up in logs.
func bearerIn(r *http.Request) (string, error) {
	values := r.Header.Values("Authorization")
	switch {
	case len(values) > 1:
		return "", fault.New(fault.Malformed, "there must be one Authorization header, not %d", len(values))
	case under(r.URL.Path, "/api") && r.URL.Query().Has("access_token"):
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

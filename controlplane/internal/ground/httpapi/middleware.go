package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/replay"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// clientID is what a client may call its request for us to repeat it.
var clientID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// identify gives every request an id and the headers that every answer carries.
func (a *API) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &passage{requestID: uuid.Must(uuid.NewV7()).String(), address: a.address(r), trace: traceOf(r.Header)}
		h := w.Header()
		h.Set("X-Request-Id", p.requestID)
		if given := r.Header.Values("X-Request-Id"); len(given) == 1 && clientID.MatchString(given[0]) {
			p.clientID = given[0]
			h.Set("X-Client-Request-Id", p.clientID)
		}
		a.secure(h, r)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), passageKey{}, p)))
	})
}

// secure sets what browsers must know of every answer. There is no word of CORS: no other origin may read anything.
func (a *API) secure(h http.Header, r *http.Request) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if r.TLS != nil || a.cfg.BehindProxy {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	if under(r.URL.Path, "/api") {
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	}
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

// recoverPanic answers 500 for what went wrong unforeseen. An answer that has begun by then is cut, so that it never
// looks whole.
func (a *API) recoverPanic(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		watched := &begunWriter{Passing: Passing{w}}
		defer func() {
			cause := recover()
			if cause == nil {
				return
			}
			if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(cause)
			}
			a.cfg.Log.ErrorContext(
				r.Context(),
				"panic",
				"request_id",
				RequestID(r.Context()),
				"cause",
				fmt.Sprint(cause),
				"stack",
				string(debug.Stack()),
			)
			if watched.begun {
				panic(http.ErrAbortHandler)
			}
			writeProblem(
				w,
				r,
				problemOf(
					r.Context(),
					fault.New(
						fault.Internal,
						"An internal error occurred. Find its cause in the log by the request ID.",
					),
				),
			)
		}()
		next.ServeHTTP(watched, r)
	})
}

// authenticate comes before routing, so that a path which does not exist needs a token as well.
func (a *API) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == health {
			next.ServeHTTP(w, r)
			return
		}
		ctx := r.Context()
		p := passageOf(ctx)
		bearer, err := bearerIn(r)
		if err != nil {
			w.Header().Set("WWW-Authenticate", realm+`, error="invalid_request"`)
			a.Fail(w, r, err)
			return
		}
		p.bearer, p.keys = bearer, r.Header.Values(replay.Header)
		if auth, needed := a.needsToken(r); needed {
			v, err := identifyViewer(ctx, auth, bearer, r)
			if err != nil {
				a.Fail(w, r, a.refused(ctx, err))
				return
			}
			v.RequestID, v.IP, v.UserAgent = p.requestID, p.address, userAgent(r)
			p.viewer = v
			p.verify = func(ctx context.Context) (viewer.Viewer, error) { return identifyViewer(ctx, auth, bearer, r) }
			tellViewer(w.Header(), r, v)
			if err := a.admit(ctx, w, v); err != nil {
				a.Fail(w, r, err)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// tellViewer says as whom the request acts: where, for whoever named a tenant, how long still, and which roles shape
// the answer.
func tellViewer(h http.Header, r *http.Request, v viewer.Viewer) {
	if r.Header.Get("X-Tenant-Id") != "" {
		h.Set("X-Tenant-Id", v.Tenant)
	}
	announceEnd(h, v)
	if v.Kind == viewer.User || v.Kind == viewer.Service {
		h.Set("X-Visibility", visibility(v))
	}
}

// visibility are the roles by which the viewer sees what it sees; self when none shows more than the viewer's own.
func visibility(v viewer.Viewer) string {
	shaping := []viewer.Role{viewer.Manager, viewer.ResourceOwner}
	if v.SeesAll() {
		shaping = []viewer.Role{viewer.Admin, viewer.Auditor}
	}
	var names []string
	for _, role := range shaping {
		if v.Has(role) {
			names = append(names, string(role))
		}
	}
	if len(names) == 0 {
		return "self"
	}
	return strings.Join(names, ",")
}

// userAgent is what a client calls itself, cut to what an audit log should keep of it.
func userAgent(r *http.Request) string {
	const most = 256
	agent := strings.ToValidUTF8(r.UserAgent(), "")
	if len(agent) > most {
		agent = strings.ToValidUTF8(agent[:most], "")
	}
	return agent
}

func identifyViewer(ctx context.Context, auth Authenticate, bearer string, r *http.Request) (viewer.Viewer, error) {
	if bearer == "" {
		return viewer.Viewer{}, fault.New(
			fault.Unauthenticated,
			"The header Authorization: Bearer <token> is required.",
		)
	}
	return auth(ctx, bearer, r)
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

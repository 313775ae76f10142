package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/problem"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/response"
	"github.com/grantwright/grantwright/controlplane/internal/ground/replay"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// identify gives every request an id and the headers that every answer carries.
func (a *API) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := incoming.New(r, a.cfg.BehindProxy)
		h := w.Header()
		h.Set("X-Request-Id", p.ID)
		if p.ClientID != "" {
			h.Set("X-Client-Request-Id", p.ClientID)
		}
		a.secure(h, r)
		next.ServeHTTP(w, r.WithContext(incoming.With(r.Context(), p)))
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
	if incoming.Under(r.URL.Path, "/api") {
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	}
}

// recoverPanic answers 500 for what went wrong unforeseen. An answer that has begun by then is cut, so that it never
// looks whole.
func (a *API) recoverPanic(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		watched := &response.BegunWriter{Passing: response.Passing{ResponseWriter: w}}
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
			if watched.Begun {
				panic(http.ErrAbortHandler)
			}
			problem.Write(
				w,
				r,
				problem.Of(
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
		p := incoming.Of(ctx)
		bearer, err := incoming.Bearer(r)
		if err != nil {
			w.Header().Set("WWW-Authenticate", problem.Realm+`, error="invalid_request"`)
			a.Fail(w, r, err)
			return
		}
		p.Bearer, p.Keys = bearer, r.Header.Values(replay.Header)
		if auth, needed := a.needsToken(r); needed {
			v, err := identifyViewer(ctx, auth, bearer, r)
			if err != nil {
				a.Fail(w, r, a.refused(ctx, err))
				return
			}
			v.RequestID, v.IP, v.UserAgent = p.ID, p.Address, incoming.UserAgent(r)
			p.Viewer = v
			p.Verify = func(ctx context.Context) (viewer.Viewer, error) { return identifyViewer(ctx, auth, bearer, r) }
			tellViewer(w.Header(), r, v)
			if err := a.admit(ctx, w, v); err != nil {
				a.Fail(w, r, err)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// tellViewer notes the identity under which the request acts: the tenant, the remaining time, and the roles that shape
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

func identifyViewer(ctx context.Context, auth Authenticate, bearer string, r *http.Request) (viewer.Viewer, error) {
	if bearer == "" {
		return viewer.Viewer{}, fault.New(
			fault.Unauthenticated,
			"The header Authorization: Bearer <token> is required.",
		)
	}
	return auth(ctx, bearer, r)
}

package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/admission"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/etag"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/problem"
	"github.com/grantwright/grantwright/controlplane/internal/ground/limit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/replay"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Authenticate turns a request's Bearer token into a viewer. It returns a fault of kind Unauthenticated otherwise.
type Authenticate func(ctx context.Context, bearer string, r *http.Request) (viewer.Viewer, error)

// Config of an API.
type Config struct {
	Title, Version string
	Log            *slog.Logger
	User           Authenticate // user and service tokens: everything but the agent's paths
	Agent          Authenticate // agent tokens: /api/v1/agent and beneath, and nothing else
	PublicDocs     bool         // /openapi.json, /docs and /redoc need no token
	BehindProxy    bool         // a proxy in front of us appends the client's address to X-Forwarded-For

	// Address comes before everything else and may read a tenant from the request's address; nil: an address names
	// none.
	Address func(http.Handler) http.Handler

	Rate   *limit.Limiter // counts the requests of tokens; nil: there is no limit
	Replay *replay.Keeper // keeps the answers of writes with an Idempotency-Key; nil: keys mean nothing
	// requests worked on at once, and requests that wait for the world outside; 0: 512 of each
	MaxInFlight int
	Now         func() time.Time // nil: time.Now
}

func (c Config) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// API is the router with its description.
type API struct {
	Router chi.Router
	Huma   huma.API
	cfg    Config
	free   map[string]bool // "METHOD path" of routes that need no token, or look at it themselves
	bulk   map[string]bool // "METHOD path" of routes that take large bodies

	archives map[string]bool // "METHOD path" of routes that take an archive
	lines    map[string]bool // "METHOD path" of routes that take lines

	types map[string][2]reflect.Type // "METHOD path" to the input and output of the operation

	invalid  *limit.Addresses
	arriving *admission.Bodies
	places   admission.Places // of the requests that are worked on
	streams  admission.Streams
}

var setErrors sync.Once

// New makes an API without routes.
func New(cfg Config) *API {
	setErrors.Do(func() {
		huma.ValidateStrictCasing = true // the names of JSON's members are exact
		huma.NewError = func(status int, msg string,
			errs ...error) huma.StatusError {
			return problem.Invalid(status, msg, errs...)
		}
		huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
			return problem.WithRequest(ctx.Context(), problem.Invalid(status, msg, errs...))
		}
	})
	r := chi.NewRouter()
	a := &API{
		Router:   r,
		cfg:      cfg,
		free:     map[string]bool{},
		bulk:     map[string]bool{},
		lines:    map[string]bool{},
		archives: map[string]bool{},
		types:    map[string][2]reflect.Type{},
		invalid:  limit.NewAddresses(invalidRate, cfg.now),
		arriving: admission.NewBodies(),
		places:   admission.Places{Most: cfg.MaxInFlight},
	}
	if cfg.Address != nil {
		r.Use(cfg.Address)
	}
	r.Use(
		a.identify,
		a.recoverPanic,
		a.bounds,
		a.receiveFree,
		a.shed,
		a.authenticate,
		a.receiveKnown,
		packReads,
		etag.NotModified(a.Fail),
		a.encloseArchive,
		a.checkBody,
		middleware.GetHead,
	)
	r.NotFound(a.nothing)
	r.MethodNotAllowed(a.methodNotAllowed)
	hc := huma.DefaultConfig(cfg.Title, cfg.Version)
	hc.DocsPath, hc.OpenAPIPath, hc.SchemasPath, hc.CreateHooks = "", "", "", nil
	hc.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"bearer": {Type: "http", Scheme: "bearer", BearerFormat: "JWT"},
	}
	a.Huma = humachi.New(r, hc)
	a.Huma.UseMiddleware(checkQuery(a.Huma))
	return a
}

// Types are the Go types of the input and output of an operation, whose fields are its parameters, headers and bodies.
// Both are nil for what is not an operation of a Route.
func (a *API) Types(method, path string) (in, out reflect.Type) {
	both := a.types[method+" "+path]
	return both[0], both[1]
}

// Add registers routes.
func (a *API) Add(routes ...Route) {
	for _, route := range routes {
		if route.free {
			a.free[route.Method+" "+route.Path] = true
		}
		if route.lines {
			a.lines[route.Method+" "+route.Path] = true
		}
		if route.archive {
			a.archives[route.Method+" "+route.Path] = true
		}
		if route.bulk {
			a.bulk[route.Method+" "+route.Path] = true
		}
		route.register(a, route)
	}
}

// Mount serves a plain handler, which is not part of the described API. It is behind authentication when its path is.
func (a *API) Mount(method, path string, h http.Handler) { a.Router.Method(method, path, h) }

// Otherwise h answers requests outside of /api that have no other handler.
func (a *API) Otherwise(h http.Handler) {
	a.Router.NotFound(func(w http.ResponseWriter, r *http.Request) {
		if (r.Method == http.MethodGet || r.Method == http.MethodHead) && !incoming.Under(r.URL.Path, "/api") {
			h.ServeHTTP(w, r)
			return
		}
		a.nothing(w, r)
	})
}

func (a *API) nothing(w http.ResponseWriter, r *http.Request) {
	a.Fail(w, r, fault.New(fault.NotFound, "Path %s was not found.", r.URL.Path))
}

// Free lets a path through without a token: the handler looks at it itself.
func (a *API) Free(method, path string) { a.free[method+" "+path] = true }

// needsToken says whether a request must carry a token before it is even routed, and of which kind.
func (a *API) needsToken(r *http.Request) (auth Authenticate, needed bool) {
	path := r.URL.Path
	switch {
	case a.free[r.Method+" "+path]:
		return nil, false
	case incoming.Under(path, "/api/v1/agent"):
		return a.cfg.Agent, true
	case incoming.Under(path, "/api"):
		return a.cfg.User, true
	case path == "/openapi.json" || path == "/docs" || path == "/redoc":
		return a.cfg.User, !a.cfg.PublicDocs
	}
	return nil, false
}

func (a *API) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, m := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		asked := m
		if m == "HEAD" {
			asked = "GET" // whatever can be read has a head
		}
		if a.Router.Match(chi.NewRouteContext(), asked, r.URL.Path) {
			allowed = append(allowed, m)
		}
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	a.Fail(
		w,
		r,
		fault.Coded(
			fault.Malformed,
			"method_not_allowed",
			"%s is not possible here; %s is",
			r.Method,
			strings.Join(allowed, ", "),
		),
	)
}

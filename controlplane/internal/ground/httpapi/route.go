package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/openapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/problem"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Prefix is where the API lives.
const Prefix = "/api/v1"

// Route is one operation of the API.
type Route struct {
	Method, Path, Summary string
	description, tag      string
	scope                 string
	status                int
	roles                 []viewer.Role
	free, hidden          bool
	operators, people     bool
	bulk                  bool     // takes bodies up to MaxBulk
	lines                 bool     // takes lines up to MaxLines; see Lines
	archive               bool     // takes an archive as it is; see Archive
	waits, unkeyed        bool     // see Waits; a key means nothing
	media                 []string // what it answers instead of JSON, or beside it
	going                 *deprecation
	check                 func(ctx context.Context, bearer string) error
	errors                []int
	sends                 []openapi.Outgoing // see Sends
	register              func(a *API, r Route)
}

// Handler is a typed operation: in is a huma input struct (path, query, header fields and Body), out a huma output
// struct (header fields and Body). It returns faults.
type Handler[I, O any] func(ctx context.Context, v viewer.Viewer, in *I) (*O, error)

// Handle makes a route under Prefix. Without For, every signed-in viewer may call it.
func Handle[I, O any](method, path, summary string, h Handler[I, O]) Route {
	return Route{Method: method, Path: Prefix + path, Summary: summary, register: func(a *API, r Route) {
		operate(a, r.guarded(a), func(ctx context.Context, in *I) (*O, error) {
			v := ViewerOf(ctx)
			out, err := h(ctx, v, in)
			if err != nil {
				return nil, a.problem(ctx, err)
			}
			return out, nil
		})
	}}
}

// operate adds an operation to the API and remembers the Go types of its input and output, by which the fields of both
// are described (see API.Types).
func operate[I, O any](a *API, op huma.Operation, h func(context.Context, *I) (*O, error)) {
	huma.Register(a.Huma, op, h)
	a.types[op.Method+" "+op.Path] = [2]reflect.Type{reflect.TypeFor[I](), reflect.TypeFor[O]()}
}

// For names the roles that may call the route. An auditor without another role is refused every write before this is
// asked.
func (r Route) For(roles ...viewer.Role) Route { r.roles = roles; return r }

// ForOperators opens the route to the operators of the deployment alone: users who are control-plane admins. No token
// of another kind passes, whatever it may do in its tenant.
func (r Route) ForOperators() Route { r.operators = true; return r }

// ForPeople closes the route to service tokens, whatever their scopes: it is about a person's own sign-in, or a way to
// act as a person.
func (r Route) ForPeople() Route { r.people = true; return r }

// Status sets the status of success; 200 otherwise, or 204 without a body.
func (r Route) Status(code int) Route { r.status = code; return r }

// Tag groups the route in the documentation; its first path segment otherwise.
func (r Route) Tag(name string) Route { r.tag = name; return r }

// Scope names the family of scopes that a service token needs one of: family:read for GET and HEAD, family:write for
// the rest. It is the route's tag otherwise.
func (r Route) Scope(family string) Route { r.scope = family; return r }

// Bulk lets the route take bodies up to MaxBulk.
func (r Route) Bulk() Route { r.bulk = true; return r }

func (r Route) maxBody() int64 {
	if r.lines {
		return 2 * MaxLines // escaped, in the object that they stand for
	}
	if r.bulk {
		return MaxBulk
	}
	return MaxBody
}

// Describe adds a paragraph to the documentation.
func (r Route) Describe(text string) Route { r.description = text; return r }

// NoToken opens the route to callers without a token: the handler authenticates by itself, or needs no caller.
func (r Route) NoToken() Route { r.free = true; return r }

// Presents opens the route to callers with a token of another kind than the path's own, which check judges before the
// body is looked at.
func (r Route) Presents(check func(ctx context.Context, bearer string) error) Route {
	r.free, r.check = true, check
	return r
}

// Errors names the statuses, beyond the common ones, that the route answers.
func (r Route) Errors(statuses ...int) Route { r.errors = statuses; return r }

// guarded is the operation behind its guard.
func (r Route) guarded(a *API) huma.Operation {
	op := r.operation()
	r.describeSends(a, &op)
	op.Middlewares = huma.Middlewares{checkAccept(a, r.media), r.guard(a)}
	if r.going != nil {
		op.Deprecated = true
		op.Middlewares = append(op.Middlewares, r.going.tell(a))
	}
	if r.waits {
		op.Middlewares = append(op.Middlewares, r.wait(a))
		op.Errors = append(op.Errors, 503)
	}
	if r.keyed() {
		op.Parameters = append(op.Parameters, keyParameter)
		op.Middlewares = append(op.Middlewares, r.once(a))
	}
	return op
}

// guard asks for the right before the body is looked at: a caller without it learns nothing about what is valid.
func (r Route) guard(a *API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		v := ViewerOf(ctx.Context())
		err := r.allow(v)
		if r.check != nil {
			err = r.check(ctx.Context(), BearerOf(ctx.Context()))
		}
		if err != nil {
			problem.Refuse(a.Huma, ctx, a.problem(ctx.Context(), err))
			return
		}
		next(ctx)
	}
}

func (r Route) allow(v viewer.Viewer) error {
	if r.free {
		return nil
	}
	if v.OnlyReads() && r.Method != http.MethodGet && r.Method != http.MethodHead &&
		!incoming.Under(r.Path, Prefix+"/auth") {
		return fault.Coded(fault.Forbidden, "read_only_role", "Auditors can read everything and change nothing.")
	}
	if r.operators && (v.Kind != viewer.User || !v.ControlPlaneAdmin) {
		return fault.New(
			fault.Forbidden,
			"This operation is for operators of the deployment: users who are control-plane administrators.",
		)
	}
	if r.people && v.Kind == viewer.Service {
		return fault.New(
			fault.Forbidden,
			"This operation requires a signed-in user. Service tokens cannot call it with any scope.",
		)
	}
	if need := r.needs(); !v.MayUse(need) {
		f := fault.Coded(fault.Forbidden, "insufficient_scope", "The token does not have the scope %s.", need)
		f.Extra = map[string]any{"scope": need}
		return f
	}
	if len(r.roles) > 0 && v.Kind != viewer.Agent && !v.HasAny(r.roles...) {
		return fault.New(fault.Forbidden, "This operation requires the role %s.", joinRoles(r.roles))
	}
	return nil
}

// needs is the scope of the route.
func (r Route) needs() string {
	family := r.scope
	if family == "" {
		family = r.group()
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return family + ":read"
	}
	return family + ":write"
}

func joinRoles(roles []viewer.Role) string {
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = string(r)
	}
	return strings.Join(names, " or ")
}

func (r Route) operation() huma.Operation {
	op := huma.Operation{
		Method:        r.Method,
		Path:          r.Path,
		Summary:       r.Summary,
		Description:   r.description,
		OperationID:   openapi.OperationID(r.Method, strings.TrimPrefix(r.Path, Prefix)),
		Tags:          []string{r.group()},
		DefaultStatus: r.status,
		Hidden:        r.hidden,
		Errors:        append([]int{400, 422, 500}, r.errors...),
		MaxBodyBytes:  r.maxBody(),
		// The body has been read already; a deadline on the connection would only cut off clients that wait for a slow
		// target.
		BodyReadTimeout: -1,
	}
	if !r.free {
		op.Security = []map[string][]string{{"bearer": {}}}
		op.Errors = append(op.Errors, 401, 403, 429)
	}
	if r.keyed() {
		op.Errors = append(op.Errors, 409)
	}
	if strings.Contains(r.Path, "{") {
		op.Errors = append(op.Errors, 404)
	}
	return op
}

func (r Route) group() string {
	if r.tag != "" {
		return r.tag
	}
	return strings.SplitN(strings.TrimPrefix(r.Path, Prefix+"/"), "/", 2)[0]
}

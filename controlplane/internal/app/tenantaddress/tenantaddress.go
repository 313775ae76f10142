package tenantaddress

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/response"
)

// Scheme says where tenants are reached: under the path /t/<slug>/ of every address, and, where a domain is set, at
// the host <slug>.<domain>.
type Scheme struct {
	domain string   // lower case; empty: none
	base   *url.URL // how the service itself is reached
}

func New(c config.Config) (Scheme, error) {
	base, err := url.Parse(c.URL(c.Listen))
	return Scheme{domain: strings.ToLower(strings.Trim(c.BaseDomain, ".")), base: base}, err
}

// tenantPath is the path before a tenant's slug.
const tenantPath = "/t/"

// Of is the address of a tenant.
func (a Scheme) Of(slug string) string {
	if a.domain == "" {
		return a.byPath(slug)
	}
	return a.byHost(slug)
}

func (a Scheme) byPath(slug string) string {
	return strings.TrimRight(a.base.String(), "/") + tenantPath + slug
}

func (a Scheme) byHost(slug string) string {
	at := *a.base
	at.Host = slug + "." + a.domain
	if port := a.base.Port(); port != "" {
		at.Host = net.JoinHostPort(at.Host, port)
	}
	return strings.TrimRight(at.String(), "/")
}

// as is a tenant's address in the form in which a request came: by the host, by the path, or by both.
func (a Scheme) as(slug string, host, path bool) string {
	switch {
	case host && path:
		return a.byHost(slug) + tenantPath + slug
	case host:
		return a.byHost(slug)
	}
	return a.byPath(slug)
}

// nobody is the slug of no tenant: none begins with a hyphen.
const nobody = "-"

// Read comes before everything else: it notes which tenant the address names, and takes the tenant's path off, so that
// all that follows is the same for every address. The name of a host is that of the request alone; what a client writes
// into X-Forwarded-Host counts for nothing.
func (a Scheme) Read(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slug := a.slugOfHost(r.Host)
		byHost := slug != ""
		named, rest, found := cutTenant(r.URL)
		if found {
			w = &prefixed{Passing: response.Passing{ResponseWriter: w}, prefix: tenantPath + named}
			if slug != "" && slug != named {
				named = nobody
			}
			slug = named
		}
		if slug == "" {
			next.ServeHTTP(w, r)
			return
		}
		r = r.WithContext(incoming.WithAddressedTenant(r.Context(), slug, a.as(slug, byHost, found)))
		if found {
			r.URL = rest
		}
		next.ServeHTTP(w, r)
	})
}

// slugOfHost is the tenant that a host names; empty for the service's own host and any outside the domain. One that
// could be no slug is a tenant that there is not.
func (a Scheme) slugOfHost(host string) string {
	if a.domain == "" {
		return ""
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	label, inside := strings.CutSuffix(host, "."+a.domain)
	switch {
	case !inside || strings.EqualFold(host, a.base.Hostname()):
		return ""
	case label == "" || strings.Contains(label, "."):
		return nobody
	}
	return label
}

// cutTenant takes /t/<slug> off an address. Where the path was written with escapes, those must not touch the slug: the
// same path must not mean one thing here and another to the router.
func cutTenant(u *url.URL) (slug string, rest *url.URL, found bool) {
	path, under := strings.CutPrefix(u.Path, tenantPath)
	if !under {
		return "", nil, false
	}
	slug, _, _ = strings.Cut(path, "/")
	prefix := tenantPath + slug
	raw, same := strings.CutPrefix(u.RawPath, prefix)
	if slug == "" || (u.RawPath != "" && (!same || (raw != "" && raw[0] != '/'))) {
		return "", nil, false
	}
	out := *u
	if out.Path = strings.TrimPrefix(u.Path, prefix); out.Path == "" {
		out.Path = "/"
	}
	out.RawPath = raw
	return slug, &out, true
}

// prefixed keeps who came by a tenant's path on it: what an answer points to within the service, and the cookies for
// it, lie under the same path.
type prefixed struct {
	response.Passing
	prefix string
	begun  bool
}

// WriteHeader puts the prefix before the addresses in the headers.
func (w *prefixed) WriteHeader(status int) {
	w.begun = w.begun || status >= http.StatusOK
	h := w.Header()
	if to := h.Get("Location"); strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") &&
		!strings.HasPrefix(to, w.prefix+"/") {
		h.Set("Location", w.prefix+to)
	}
	for i, cookie := range h["Set-Cookie"] {
		if !strings.Contains(cookie, "Path="+w.prefix+"/") {
			h["Set-Cookie"][i] = strings.Replace(cookie, "; Path=/", "; Path="+w.prefix+"/", 1)
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *prefixed) Write(b []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

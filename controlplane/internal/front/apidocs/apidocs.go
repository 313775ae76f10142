// Package apidocs serves the description of the API and two viewers for it, Swagger UI and ReDoc. Everything comes from
// this program: no page fetches anything from elsewhere, and none holds a script of its own text.
//
// The description needs a token, which browsers do not send when they go to an address. A browser that opens a viewer
// without one is answered 401, and a browser with the viewer's page as well: its script signs in by the console's
// session and reads the description.
package apidocs

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"sync"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/response"
)

// The viewers are packed by assets/fetch.sh and not kept in the repository. The pattern takes the packed files (.gz)
// and the placeholder (.txt), which lets the program be built without them.
//
//go:embed assets/*.[gt]*
var assets embed.FS

//go:embed pages
var pages embed.FS

// Options of the pages.
type Options struct {
	Public bool                 // the viewers show to everybody, like /openapi.json with httpapi.Config.PublicDocs
	User   httpapi.Authenticate // judges the token where one is needed
}

type site struct {
	api    *httpapi.API
	opts   Options
	viewer fs.FS // the packed viewers
}

// Mount adds /openapi.json, /docs and /redoc with their files to the API. Call it once; routes that are added to the
// API later are described as well, up to the first request.
func Mount(api *httpapi.API, opts Options) {
	viewer, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // only for a path that is not well-formed
	}
	mount(api, opts, viewer)
}

func mount(api *httpapi.API, opts Options, viewer fs.FS) {
	s := &site{api: api, opts: opts, viewer: viewer}
	s.get("/openapi.json", s.description())
	for _, v := range readers {
		api.Free(http.MethodGet, v.path) // looked at here: a browser is answered with a page
		api.Free(http.MethodHead, v.path)
		s.get(v.path, s.page(v))
		s.get(v.path+"/"+v.bundle, s.packed(v.bundle, "text/javascript"))
		s.get(v.path+"/start.js", s.plain(v.name+".js", "text/javascript"))
		s.get(v.path+"/viewer.css", s.plain(v.name+".css", "text/css"))
	}
	s.get("/docs/look.js", s.plain("look.js", "text/javascript"))
	s.get("/docs/session.js", s.plain("session.js", "text/javascript"))
	s.get("/docs/page.css", s.plain("page.css", "text/css"))
	s.get("/docs/swagger-ui.css", s.packed("swagger-ui.css", "text/css"))
	s.get("/docs/notices.txt", s.packed("notices.txt", "text/plain"))
}

func (s *site) get(path string, h http.HandlerFunc) {
	s.api.Mount(http.MethodGet, path, h)
	s.api.Mount(http.MethodHead, path, h)
}

// description answers the OpenAPI document. It is written once, at the first request, when all routes are there.
func (s *site) description() http.HandlerFunc {
	document := sync.OnceValues(func() ([]byte, error) {
		texts, err := readFieldTexts()
		if err != nil {
			return nil, fmt.Errorf("read the descriptions of fields: %w", err)
		}
		texts.describe(s.api, s.api.Huma.OpenAPI())
		complete(s.api.Huma.OpenAPI())
		return json.Marshal(s.api.Huma.OpenAPI())
	})
	return func(w http.ResponseWriter, r *http.Request) {
		b, err := document()
		if err != nil {
			s.api.Fail(w, r, fmt.Errorf("write the API's description: %w", err))
			return
		}
		answer(w, "application/openapi+json", b)
	}
}

// plain answers a file of ours. It is always there.
func (s *site) plain(name, media string) http.HandlerFunc {
	b := []byte(s.read(name))
	return func(w http.ResponseWriter, _ *http.Request) { answer(w, media+"; charset=utf-8", b) }
}

// packed answers a file of a viewer: as it was packed, or unpacked for who cannot do that. charset matters: without it
// the bundles are read as Latin-1 and neither page comes up.
func (s *site) packed(name, media string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		b, err := fs.ReadFile(s.viewer, name+".gz")
		if errors.Is(err, fs.ErrNotExist) {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Vary", "Accept-Encoding")
		if err == nil && response.TakesGzip(r) {
			w.Header().Set("Content-Encoding", "gzip")
		} else if err == nil {
			b, err = unpack(b)
		}
		if err != nil {
			s.api.Fail(w, r, fmt.Errorf("read %s: %w", name, err))
			return
		}
		answer(w, media+"; charset=utf-8", b)
	}
}

func answer(w http.ResponseWriter, contentType string, b []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-cache") // asked for again each time, and answered 304 while it is the same
	h.Set("ETag", etag(b))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(b)
}

func unpack(b []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/payload"
)

// MaxArchive bounds the bodies of routes that take an archive.
const MaxArchive = 6 << 20 // bytes

// Archive lets the route take an archive as the body itself, or as the part archive of a multipart/form-data, beside a
// JSON object whose member archive holds it in base64. Its handler sees the object either way.
func (r Route) Archive() Route { r.archive, r.bulk = true, true; return r }

// encloseArchive puts an archive into the JSON object that it stands for.
func (a *API) encloseArchive(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		boundary, multi, _ := payload.ArchiveIn(r)
		if !a.bringsArchive(r) {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxArchive))
		if err != nil {
			a.Fail(w, r, payload.ReadFault(err))
			return
		}
		if multi {
			if body, err = payload.ArchivePart(body, boundary); err != nil {
				a.Fail(w, r, err)
				return
			}
		}
		whole, err := json.Marshal(map[string][]byte{"archive": body})
		if err != nil {
			a.Fail(w, r, fault.New(fault.Malformed, "the body could not be read"))
			return
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(whole)), int64(len(whole))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Content-Length", strconv.Itoa(len(whole)))
		next.ServeHTTP(w, r)
	})
}

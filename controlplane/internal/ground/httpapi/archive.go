package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// MaxArchive bounds the bodies of routes that take an archive.
const MaxArchive = 6 << 20 // bytes

// archiveMedia are the media types of an archive that is the body itself.
var archiveMedia = []string{"application/gzip", "application/x-gzip", "application/octet-stream"}

// Archive lets the route take an archive as the body itself, or as the part archive of a multipart/form-data, beside a
// JSON object whose member archive holds it in base64. Its handler sees the object either way.
func (r Route) Archive() Route { r.archive, r.bulk = true, true; return r }

// archiveIn says whether the media type of a request is that of an archive, and whether it is a part of a form.
func archiveIn(r *http.Request) (boundary string, multi, archive bool) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	multi = media == "multipart/form-data"
	archive = err == nil && (multi || slices.Contains(archiveMedia, media)) && r.Method == http.MethodPost &&
		r.Header.Get("Content-Encoding") == ""
	return params["boundary"], multi, archive
}

// encloseArchive puts an archive into the JSON object that it stands for.
func (a *API) encloseArchive(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		boundary, multi, _ := archiveIn(r)
		if !a.bringsArchive(r) {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxArchive))
		if err != nil {
			a.Fail(w, r, readFault(err))
			return
		}
		if multi {
			if body, err = part(body, boundary); err != nil {
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

// part is the one part of a multipart body, called archive.
func part(body []byte, boundary string) ([]byte, error) {
	wrong := fault.New(fault.Malformed, "a multipart body holds one part, with the name archive")
	if boundary == "" {
		return nil, wrong
	}
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	first, err := parts.NextPart()
	if err != nil || first.FormName() != "archive" {
		return nil, wrong
	}
	found, err := io.ReadAll(first)
	if err != nil {
		return nil, wrong
	}
	if _, err := parts.NextPart(); !errors.Is(err, io.EOF) {
		return nil, wrong
	}
	return found, nil
}

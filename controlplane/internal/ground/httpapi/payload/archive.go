package payload

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// archiveMedia are the media types of an archive that is the body itself.
var archiveMedia = []string{"application/gzip", "application/x-gzip", "application/octet-stream"}

// ArchiveIn says whether the media type of a request is that of an archive, and whether it is a part of a form.
func ArchiveIn(r *http.Request) (boundary string, multi, archive bool) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	multi = media == "multipart/form-data"
	archive = err == nil && (multi || slices.Contains(archiveMedia, media)) && r.Method == http.MethodPost &&
		r.Header.Get("Content-Encoding") == ""
	return params["boundary"], multi, archive
}

// ArchivePart is the one part of a multipart body, called archive.
func ArchivePart(body []byte, boundary string) ([]byte, error) {
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

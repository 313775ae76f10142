package response

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// TakesGzip says whether the client can unpack what is packed with gzip.
func TakesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.TrimSpace(name) == "gzip" && strings.TrimSpace(weight) != "q=0" {
			return true
		}
	}
	return false
}

// worthPacking is the size in bytes from which an answer is packed: below it, it fits into one packet of the network
// anyway.
const worthPacking = 1400

// Gzip packs JSON for clients that take gzip: a page of a list becomes a tenth.
//
// Two kinds are left as they are. What carries an ETag, because a strong one belongs to the bytes as they are sent
// (RFC 9110 section 8.8.1), and If-Match must find it unchanged; it is one resource, and small. Files and streams of
// events, because clients read them line by line, and must notice when they are cut off.
func Gzip(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.ContentTypes([]string{"application/json"}),
		gzhttp.MinSize(worthPacking),
		gzhttp.EnableZstd(false),
	)
	if err != nil {
		panic(err) // the options above are constants
	}
	return wrap(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(&taggedWriter{Passing{w}}, r) }),
	)
}

// taggedWriter keeps what carries an ETag from being packed.
type taggedWriter struct{ Passing }

func (w *taggedWriter) WriteHeader(status int) {
	if w.Header().Get("ETag") != "" {
		w.Header().Set(gzhttp.HeaderNoCompression, "1")
	}
	w.ResponseWriter.WriteHeader(status)
}

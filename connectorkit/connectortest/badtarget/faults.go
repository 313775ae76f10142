package badtarget

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// misbehave answers in the way of k. It is false where the fault is in an answer's content, or in which answer is
// given.
func (b *Target) misbehave(w http.ResponseWriter, r *http.Request, k Kind) bool {
	refuse := func(status int, after string) {
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"detail":"not now"}`)
	}
	switch k {
	case TooMany:
		refuse(http.StatusTooManyRequests, "0")
	case TooManyByDate:
		refuse(http.StatusTooManyRequests, time.Now().UTC().Format(http.TimeFormat))
	case TooManyOddly:
		refuse(http.StatusTooManyRequests, "in a while")
	case Unavailable:
		refuse(http.StatusServiceUnavailable, "0")
	case ServerError:
		refuse(http.StatusInternalServerError, "")
	case Forbidden:
		refuse(http.StatusForbidden, "")
	case ResetBefore:
		panic(http.ErrAbortHandler)
	case CutInBody:
		say(w, `{"Resources":[{"id":"u0","userName":"us`)
		panic(http.ErrAbortHandler)
	case ShortLength:
		w.Header().Set("Content-Length", "5000")
		say(w, `{"Resources":[]}`)
		panic(http.ErrAbortHandler)
	case HTMLPage:
		w.Header().Set("Content-Type", "text/html")
		say(w, "<!doctype html><title>Sign in</title>Please sign in to the network.")
	case ErrorBody:
		say(
			w,
			`{"schemas":["urn:ietf:params:scim:api:messages:2.0:Error"],`+
				`"status":"500","detail":"the database is away"}`,
		)
	case NotJSON:
		say(w, "users=lots&more=yes")
	case WrongTypes:
		say(w, `{"totalResults":"many","total":"many","Resources":{"id":"u1"},"items":{"id":"u1"}}`)
	case DeepNesting:
		say(
			w,
			`{"Resources":`+strings.Repeat(
				"[",
				10000,
			)+strings.Repeat(
				"]",
				10000,
			)+`,"items":`+strings.Repeat(
				"[",
				10000,
			)+strings.Repeat(
				"]",
				10000,
			)+`}`,
		)
	case BadUTF8:
		say(
			w,
			"{\"Resources\":[{\"id\":\"u1\",\"userName\":\"a\xff\xfe\"}],"+
				"\"items\":[{\"id\":\"u1\",\"login\":\"a\xff\xfe\"}],\"totalResults\":1,\"total\":1",
		)
	case GzipBomb:
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb())
	case EndlessBody:
		endless(w, r)
	case RedirectElse:
		// localhost and 127.0.0.1 are two hosts if names are compared.
		http.Redirect(w, r, strings.Replace(b.URL, "127.0.0.1", "localhost", 1)+"/elsewhere", http.StatusFound)
	default:
		return false
	}
	return true
}

// say writes a text and flushes it, so that it is on its way before the mischief follows.
func say(w http.ResponseWriter, text string) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	_, _ = io.WriteString(w, text)
	_ = http.NewResponseController(w).Flush()
}

// bomb is a text of half a gigabyte in half a megabyte.
func bomb() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, `{"Resources":[],"detail":"`)
	block := bytes.Repeat([]byte("a"), 1<<20)
	for range 512 {
		_, _ = z.Write(block)
	}
	_ = z.Close()
	return b.Bytes()
}

// endless never ends while there is a reader: one record after the other, all alike.
func endless(w http.ResponseWriter, r *http.Request) {
	say(w, `{"detail":"`)
	block := strings.Repeat("and so on ", 1<<16)
	for r.Context().Err() == nil {
		if _, err := io.WriteString(w, block); err != nil {
			return
		}
	}
}

// spoil damages the first record of an answer.
func spoil(text []byte, k Kind) []byte {
	insert := func(member string) []byte {
		at := bytes.Index(text, []byte(`[{`))
		if at < 0 {
			return text
		}
		return append(append(append([]byte{}, text[:at+2]...), member...), text[at+2:]...)
	}
	switch k {
	case MissingKey:
		return bytes.Replace(text, []byte(`"id":`), []byte(`"no_id":`), 1)
	case HugeString:
		return insert(fmt.Sprintf(`"nickName":%q,`, strings.Repeat("x", 2<<20)))
	case NumberTooLarge:
		return insert(`"badge":1e400,`)
	case DuplicateMember:
		return insert(`"badge":1,"badge":2,`)
	}
	return text
}

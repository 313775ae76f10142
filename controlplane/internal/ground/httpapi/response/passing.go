package response

import (
	"bufio"
	"net"
	"net/http"
)

// Passing is a writer around another that can do what the other can, however many stand between it and the connection:
// not everybody asks for it through http.ResponseController.
type Passing struct{ http.ResponseWriter }

// Flush sends what was written.
// one that cannot sends it at the end
func (p Passing) Flush() { _ = http.NewResponseController(p.ResponseWriter).Flush() }

// Hijack hands the connection over, for websockets.
func (p Passing) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return http.NewResponseController(p.ResponseWriter).Hijack()
}

// Unwrap lets http.ResponseController reach the writer beneath.
func (p Passing) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// BegunWriter remembers whether anything was sent to the client.
type BegunWriter struct {
	Passing
	Begun bool
}

func (w *BegunWriter) WriteHeader(status int) {
	w.Begun = w.Begun || status >= http.StatusOK
	w.ResponseWriter.WriteHeader(status)
}

func (w *BegunWriter) Write(b []byte) (int, error) {
	w.Begun = true
	return w.ResponseWriter.Write(b)
}

package opslistener

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/app/config"
)

// OnlyHere refuses requests under other names than those of this machine: a page in a browser may get its own
// name to point to the loopback address, but not to be called localhost.
func OnlyHere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if r.Header.Get("Origin") != "" ||
			(r.Context().Value(http.LocalAddrContextKey).(net.Addr).Network() != "unix" &&
				!config.IsLoopback(strings.Trim(host, "[]"))) {
			http.Error(w, "operators are served only on this machine", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Listen opens the operators' address. A socket that an earlier life left behind is taken over.
func Listen(address string) (net.Listener, error) {
	network := "tcp"
	if path, isSocket := strings.CutPrefix(address, config.UnixPrefix); isSocket {
		network, address = "unix", path
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
			_ = os.Remove(path)
		}
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, fmt.Errorf("cannot serve operators on %s: %w", address, err)
	}
	if network == "unix" {
		err = os.Chmod(address, 0o600)
	}
	return l, err
}

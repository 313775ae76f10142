package admission

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// dialFrom opens a connection from an address of this machine, and reports whether the listener kept it.
func dialFrom(t *testing.T, from, to string) (net.Conn, bool) {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := d.DialContext(t.Context(), "tcp", to)
	if err != nil {
		return nil, false // reset before it was seen to be open
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		return conn, false
	}
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	one := make([]byte, 1)
	if _, err = conn.Read(one); err != nil && errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	return conn, err == nil
}

func serveBounded(t *testing.T, c *Connections) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{
		Handler: http.HandlerFunc(
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) },
		),
		ReadHeaderTimeout: time.Minute,
	}
	go func() { _ = srv.Serve(c.Listen(l)) }()
	t.Cleanup(func() { _ = srv.Close() })
	return l.Addr().String()
}

func TestOneAddressHasNoMoreConnectionsThanItMayAndOthersHaveTheirs(t *testing.T) {
	c := &Connections{FromOne: 2, Most: 10}
	address := serveBounded(t, c)
	first, ok := dialFrom(t, "127.0.0.2", address)
	if _, also := dialFrom(t, "127.0.0.2", address); !ok || !also {
		t.Fatal("a connection within the bound was closed")
	}
	if _, kept := dialFrom(t, "127.0.0.2", address); kept {
		t.Error("a third connection of one address was kept")
	}
	if _, kept := dialFrom(t, "127.0.0.3", address); !kept {
		t.Error("a connection of another address was closed")
	}
	if all, from := c.Refused(); c.Open() != 3 || all != 0 || from != 1 {
		t.Errorf("%d open, %d and %d refused; want 3, 0 and 1", c.Open(), all, from)
	}
	_ = first.Close()
	awaitOpen(t, c, 2)
	if _, kept := dialFrom(t, "127.0.0.2", address); !kept {
		t.Error("the place of a closed connection is not given to another one")
	}
}

func TestThereAreNoMoreConnectionsInAllThanThereMayBe(t *testing.T) {
	c := &Connections{Most: 2}
	address := serveBounded(t, c)
	held, _ := dialFrom(t, "127.0.0.2", address)
	dialFrom(t, "127.0.0.3", address)
	if _, kept := dialFrom(t, "127.0.0.4", address); kept {
		t.Error("a third connection was kept")
	}
	if all, from := c.Refused(); all != 1 || from != 0 {
		t.Errorf("%d and %d refused; want 1 and 0", all, from)
	}
	_ = held.Close()
	awaitOpen(t, c, 1)
	if _, kept := dialFrom(t, "127.0.0.4", address); !kept {
		t.Error("the place of a closed connection is not given to another one")
	}
}

func awaitOpen(t *testing.T, c *Connections, want int64) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); c.Open() != want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d connections are open; want %d", c.Open(), want)
		}
	}
}

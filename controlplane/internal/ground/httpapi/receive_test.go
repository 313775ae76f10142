package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// slowly opens connections whose bodies never become whole, and gives them once the server has all their heads.
func slowly(t *testing.T, s *httptest.Server, n int, path string, header ...string) []net.Conn {
	t.Helper()
	conns := make([]net.Conn, n)
	for i := range conns {
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		head := fmt.Sprintf(
			"POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n%s\r\n{",
			path,
			strings.Join(header, "\r\n"),
		)
		if _, err := c.Write([]byte(head)); err != nil {
			t.Fatal(err)
		}
		conns[i] = c
	}
	return conns
}

// refusedWith is the status that a connection was answered with before it was closed.
func refusedWith(t *testing.T, c net.Conn) int {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	return res.StatusCode
}

func TestSlowBodiesKeepNobodyFromBeingAnswered(t *testing.T) {
	free := httpapi.Handle("POST", "/auth/login", "Sign in", func(context.Context, viewer.Viewer, *struct {
		Body map[string]any
	}) (*httpapi.One[string], error) {
		return &httpapi.One[string]{Body: "x"}, nil
	}).NoToken()
	s := serve(t, httpapi.Config{MaxInFlight: 4, Now: still}, free, echo("GET"), echo("POST"))
	conns := slowly(t, s, 2000, "/api/v1/auth/login")
	slowly(t, s, 200, "/api/v1/echo", "Authorization: Bearer admin\r\n")
	for i := range 50 {
		for _, tt := range [][3]string{{"", "POST", "/api/v1/auth/login"}, {"admin", "GET", "/api/v1/echo"},
			{"admin", "POST", "/api/v1/echo"}, {"", "GET", "/health"}} {
			if res, body := call(
				t,
				s,
				tt[0],
				tt[1],
				tt[2],
				map[string]string{"POST": "{}"}[tt[1]],
			); res.StatusCode != 200 {
				t.Fatalf("call %d of %s %s: %d %v", i, tt[1], tt[2], res.StatusCode, body)
			}
		}
	}
	// Of the bodies of one address the oldest are cut off, long before their time.
	if got := refusedWith(t, conns[0]); got != http.StatusRequestTimeout {
		t.Errorf("the oldest slow body: %d; want 408", got)
	}
}

func TestABodyWithoutATokenIsSmall(t *testing.T) {
	free := httpapi.Handle("POST", "/auth/login", "Sign in", func(context.Context, viewer.Viewer, *struct {
		Body map[string]any
	}) (*httpapi.One[string], error) {
		return &httpapi.One[string]{Body: "x"}, nil
	}).NoToken()
	s := serve(t, httpapi.Config{}, free)
	for size, want := range map[int]int{15 << 10: 200, 17 << 10: 413} {
		if res, body := call(
			t,
			s,
			"",
			"POST",
			"/api/v1/auth/login",
			`{"a":"`+strings.Repeat("x", size)+`"}`,
		); res.StatusCode != want {
			t.Errorf("%d bytes: %d %v; want %d", size, res.StatusCode, body["code"], want)
		}
	}
}

func TestOneNetworkTakesNotAllPlacesOfThoseWithoutAToken(t *testing.T) {
	let, in := make(chan struct{}), make(chan struct{}, 200)
	slow := httpapi.Handle("POST", "/auth/login", "Wait",
		func(context.Context, viewer.Viewer, *struct{}) (*httpapi.One[string], error) {
			in <- struct{}{}
			<-let
			return &httpapi.One[string]{}, nil
		}).
		NoToken()
	s := serve(t, httpapi.Config{BehindProxy: true}, slow)
	answers := make(chan int, 200)
	ask := func(from string) {
		go func() {
			res, _ := call(t, s, "", "POST", "/api/v1/auth/login", "", "X-Forwarded-For", from)
			answers <- res.StatusCode
		}()
	}
	for range 64 {
		ask("192.0.2.1")
		<-in
	}
	ask("192.0.2.1")
	if got := <-answers; got != http.StatusServiceUnavailable {
		t.Errorf("the 65th of one network: %d; want 503", got)
	}
	ask("192.0.2.2")
	<-in
	close(let)
	for range 65 {
		if got := <-answers; got != 200 {
			t.Errorf("got %d", got)
		}
	}
}

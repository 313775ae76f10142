// Package ldapdir is a small LDAP v3 directory (RFC 4511) that holds the company's accounts and groups.
//
// It reads like a directory of inetOrgPerson and groupOfNames entries should: root DSE, subschema,
// simple and anonymous bind, every search filter of RFC 4515 but extensible match, paged results
// (RFC 2696), operational attributes on request, a size limit for searches without paging. It takes
// no writes over LDAP; tests change it through the methods of [Server].
//
// The protocol is github.com/jimlambrt/gldap's. Clients reach it through a relay of our own, because
// gldap can neither tell its port nor close a connection that a client keeps open.
package ldapdir

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/jimlambrt/gldap"

	"github.com/grantwright/grantwright/e2e/targets/ldapdir/relay"
	"github.com/grantwright/grantwright/e2e/targets/people"
)

// Config says what the directory holds and who may read it.
type Config struct {
	Addr     string // host:port; port 0 picks a free one. Default 127.0.0.1:0
	BaseDN   string // naming context, of dc components. Default dc=harbourline,dc=example
	System   people.System
	Password string // of the reader, see [Server.ReaderDN]; required
	// SizeLimit ends a search without paging after so many entries, with sizeLimitExceeded (4). Default 1000.
	SizeLimit int
	// MaxPage is the largest page; a client that asks for more gets pages of this size. Default 1000.
	MaxPage int
	// RefuseAnonymousReads answers an anonymous search below the naming context with
	// insufficientAccessRights (50). The root DSE and the schema stay readable.
	RefuseAnonymousReads bool
}

// Faults makes the directory misbehave. The zero value is a healthy directory.
type Faults struct {
	BusyEvery        int           // every n-th search answers busy (51)
	UnavailableEvery int           // every n-th search answers unavailable (52)
	LimitAfter       int           // a search or page ends after so many entries with adminLimitExceeded (11)
	CutAfter         int           // the connection is cut in the middle of the entry after so many on it
	Delay            time.Duration // before a search or page is answered

	// a search or page ends well after so many entries, as if there were no more; below 0: without any
	EndAfter  int
	SizeAfter int      // a search or page ends after so many entries with sizeLimitExceeded (4), paged or not
	Hidden    []string // attributes that are not shown, in lower case
}

// Server is a running directory.
type Server struct {
	cfg      Config
	dir      *directory
	protocol *gldap.Server
	relay    *relay.Relay
	ended    chan error

	mu       sync.Mutex
	bound    map[int]bool // by gldap connection id: bound as the reader
	faults   atomic.Pointer[Faults]
	searches atomic.Int64

	close func() error
}

// Start serves the directory until the context ends or Close is called.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	cfg = withDefaults(cfg)
	if cfg.Password == "" {
		return nil, errors.New("ldapdir: the reader needs a password")
	}
	dir, err := newDirectory(cfg.BaseDN, cfg.System)
	if err != nil {
		return nil, fmt.Errorf("ldapdir: %w", err)
	}
	s := &Server{cfg: cfg, dir: dir, bound: map[int]bool{}, ended: make(chan error, 1)}
	s.faults.Store(&Faults{})
	inner, err := s.serve()
	if err != nil {
		return nil, fmt.Errorf("ldapdir: %w", err)
	}
	s.relay, err = relay.Start(cfg.Addr, inner, func() int { return s.faults.Load().CutAfter })
	if err != nil {
		_ = s.protocol.Stop()
		return nil, fmt.Errorf("ldapdir: %w", err)
	}
	s.close = sync.OnceValue(s.stop)
	context.AfterFunc(ctx, func() { _ = s.close() })
	return s, nil
}

func withDefaults(cfg Config) Config {
	if cfg.Addr == "" {
		cfg.Addr = "127.0.0.1:0"
	}
	if cfg.BaseDN == "" {
		cfg.BaseDN = "dc=harbourline,dc=example"
	}
	if cfg.SizeLimit <= 0 {
		cfg.SizeLimit = 1000
	}
	if cfg.MaxPage <= 0 {
		cfg.MaxPage = 1000
	}
	return cfg
}

// serve starts gldap on a loopback port of its own and gives the address.
func (s *Server) serve() (string, error) {
	mux, err := s.routes()
	if err != nil {
		return "", err
	}
	for range 5 {
		s.protocol, err = gldap.NewServer(gldap.WithLogger(hclog.NewNullLogger()), gldap.WithOnClose(s.forget))
		if err != nil {
			return "", err
		}
		if err = s.protocol.Router(mux); err != nil {
			return "", err
		}
		var addr string
		if addr, err = freePort(); err != nil {
			return "", err
		}
		// Another process may take the port between the look and the listen: then try the next.
		if err = s.run(addr); err == nil {
			return addr, nil
		}
	}
	return "", err
}

// run starts gldap and waits until a connection gets through.
func (s *Server) run(addr string) error {
	ended := make(chan error, 1)
	server := s.protocol
	go func() { ended <- server.Run(addr) }()
	deadline := time.After(5 * time.Second)
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("gldap on %s: %w", addr, err)
		case <-deadline:
			return fmt.Errorf("gldap on %s did not start in 5 s", addr)
		case <-time.After(2 * time.Millisecond):
		}
		if !server.Ready() {
			continue
		}
		if c, err := net.Dial("tcp", addr); err == nil {
			s.ended = ended
			return c.Close()
		}
	}
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	addr := l.Addr().String()
	return addr, l.Close()
}

// Addr is the host and port the directory listens on.
func (s *Server) Addr() string { return s.relay.Addr() }

// URL is the directory's address for LDAP clients.
func (s *Server) URL() string { return "ldap://" + s.Addr() }

// BaseDN is the naming context.
func (s *Server) BaseDN() string { return s.cfg.BaseDN }

// PeopleDN is where the accounts of people are: employees and contractors below it.
func (s *Server) PeopleDN() string { return "ou=people," + s.cfg.BaseDN }

// GroupsDN is where the groups are.
func (s *Server) GroupsDN() string { return "ou=groups," + s.cfg.BaseDN }

// ReaderDN is the account that may bind with the configured password and read everything.
func (s *Server) ReaderDN() string { return readerDN(s.cfg.BaseDN) }

func readerDN(base string) string { return "cn=reader,ou=services," + base }

// Entries is how many entries the directory holds, all containers included.
func (s *Server) Entries() int { return s.dir.size() }

// SetFaults replaces the faults, from the next search on, and restarts their counting.
func (s *Server) SetFaults(f Faults) {
	s.searches.Store(0)
	s.faults.Store(&f)
}

// Close ends every connection and waits until the directory has stopped. Further calls do nothing.
func (s *Server) Close() error { return s.close() }

func (s *Server) stop() error {
	s.relay.Close()
	if err := s.protocol.Stop(); err != nil {
		return fmt.Errorf("ldapdir: stop: %w", err)
	}
	if err := <-s.ended; err != nil {
		return fmt.Errorf("ldapdir: %w", err)
	}
	return nil
}

// routes joins the operations to their handlers. Everything else is refused by name.
func (s *Server) routes() (*gldap.Mux, error) {
	mux, err := gldap.NewMux()
	if err != nil {
		return nil, err
	}
	return mux, errors.Join(
		mux.Bind(s.bind),
		mux.Search(s.search),
		mux.Modify(refuse(gldap.ApplicationModifyResponse)),
		mux.Add(refuse(gldap.ApplicationAddResponse)),
		mux.Delete(refuse(gldap.ApplicationDelResponse)),
		mux.DefaultRoute(func(w *gldap.ResponseWriter, r *gldap.Request) {
			answer := r.NewExtendedResponse(gldap.WithResponseCode(gldap.ResultProtocolError))
			answer.SetDiagnosticMessage("unsupported extended operation")
			_ = w.Write(answer)
		}),
	)
}

// refuse answers a write with unwillingToPerform (53).
func refuse(application int) gldap.HandlerFunc {
	return func(w *gldap.ResponseWriter, r *gldap.Request) {
		_ = w.Write(r.NewResponse(
			gldap.WithApplicationCode(application),
			gldap.WithResponseCode(gldap.ResultUnwillingToPerform),
			gldap.WithDiagnosticMessage("this directory is read-only"),
		))
	}
}

// bind accepts the reader and the anonymous. A name without a password is refused with
// unwillingToPerform (RFC 4513 section 5.1.2), anything else with invalidCredentials.
func (s *Server) bind(w *gldap.ResponseWriter, r *gldap.Request) {
	answer := r.NewBindResponse(gldap.WithResponseCode(gldap.ResultInvalidCredentials))
	defer func() { _ = w.Write(answer) }()
	m, err := r.GetSimpleBindMessage()
	if err != nil {
		answer.SetResultCode(gldap.ResultProtocolError)
		return
	}
	// A failed or anonymous bind leaves the connection anonymous (RFC 4513 section 4).
	s.remember(r.ConnectionID(), false)
	switch {
	case m.UserName == "" && m.Password == "":
		answer.SetResultCode(gldap.ResultSuccess)
	case m.Password == "":
		answer.SetResultCode(gldap.ResultUnwillingToPerform)
		answer.SetDiagnosticMessage("unauthenticated bind (DN with no password) disallowed")
	case s.isReader(m.UserName, string(m.Password)):
		s.remember(r.ConnectionID(), true)
		answer.SetResultCode(gldap.ResultSuccess)
	}
}

func (s *Server) isReader(dn, password string) bool {
	norm, err := normalDN(dn)
	if err != nil {
		return false
	}
	right := subtle.ConstantTimeCompare([]byte(password), []byte(s.cfg.Password)) == 1
	return right && norm == strings.ToLower(s.ReaderDN())
}

func (s *Server) remember(connection int, bound bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bound[connection] = bound
}

func (s *Server) forget(connection int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.bound, connection)
}

// mayRead says whether the connection may read below the naming context.
func (s *Server) mayRead(connection int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bound[connection] || !s.cfg.RefuseAnonymousReads
}

// Package ldaptest starts throw-away directories for tests, servers of other projects:
// OpenLDAP, 389 Directory Server, ApacheDS, and Samba as a domain controller of Active Directory. Each has
// ldap, StartTLS and ldaps on the loopback address, a certificate of an own authority and whatever people and
// groups a test asks for, keeps its data in a folder of the test, and ends with it. A program that is not
// installed fails the test with the name of its package. The package is imported by tests only.
package ldaptest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest/process"
)

// Suffix is the naming context of every server started here. Samba writes its attribute names in capitals.
const Suffix = "dc=iga,dc=test"

// Entries of every server started here. AdminDN and ReaderDN are those of OpenLDAP; Server has those of the others.
const (
	PeopleDN   = "ou=people," + Suffix
	GroupsDN   = "ou=groups," + Suffix
	PartnersDN = "ou=partners," + Suffix
	AdminDN    = "cn=admin," + Suffix
	ReaderDN   = "cn=reader," + Suffix
)

// Server is a running directory.
type Server struct {
	Host       string // an address of the loopback interface; the certificate names it
	Port       int    // ldap and StartTLS
	TLSPort    int    // ldaps
	URL        string // ldap://host:port
	TLSURL     string // ldaps://host:port
	CAPEM      string // the authority that signed the server's certificate
	AdminDN    string // may do everything
	AdminPass  string
	ReaderDN   string // may read everything but passwords
	ReaderPass string

	dir     string
	config  string // the folder of its settings, of 389 Directory Server only
	words   dialect
	command func() *exec.Cmd // the server in the foreground, on the ports above
	running *process.Process
}

// startLimit is long enough for a machine that has a lot else to do.
const startLimit = 30 * time.Second

// start runs the server until the test ends. Before each try configure is called with new ports, since a free
// another process may take the port before the server binds it.
func (s *Server) start(t testing.TB, configure func()) {
	t.Helper()
	t.Cleanup(s.Stop)
	var err error
	for range 3 {
		s.Port, s.TLSPort = process.FreePort(t), process.FreePort(t)
		configure()
		if err = s.launch(); err == nil {
			return
		}
	}
	t.Fatalf("the directory did not start: %v", err)
}

func (s *Server) launch() (err error) {
	s.URL = fmt.Sprintf("ldap://%s:%d", s.Host, s.Port)
	s.TLSURL = fmt.Sprintf("ldaps://%s:%d", s.Host, s.TLSPort)
	s.running, err = process.Start(s.command(), startLimit, func() bool {
		return process.Listening(s.Host, s.Port) && process.Listening(s.Host, s.TLSPort) && s.answers()
	})
	return err
}

// answers reports whether the server speaks, be it to refuse: some show nothing without TLS or a login.
func (s *Server) answers() bool {
	conn, err := goldap.DialURL(s.URL)
	if err != nil {
		return false
	}
	defer conn.Close()
	conn.SetTimeout(5 * time.Second)
	_, err = conn.Search(goldap.NewSearchRequest(
		"", goldap.ScopeBaseObject, goldap.NeverDerefAliases, 0, 0, false, "(objectClass=*)",
		[]string{"namingContexts"}, nil,
	))
	var refused *goldap.Error
	return err == nil || errors.As(err, &refused) && refused.ResultCode < goldap.ErrorNetwork &&
		refused.ResultCode != goldap.LDAPResultBusy && refused.ResultCode != goldap.LDAPResultUnavailable
}

// Stop ends the server at once, as a crash would. It may be called more than once.
func (s *Server) Stop() {
	if s.running != nil {
		s.running.Kill()
		s.running = nil
	}
}

// Restart ends the server in order and starts it again with the same data on the same ports.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	if err := s.running.End(startLimit); err != nil {
		t.Fatal(err)
	}
	s.running = nil
	if err := s.launch(); err != nil {
		t.Fatalf("the directory did not start again: %v", err)
	}
}

// AuthConfig is a connection to the server as the reader, without TLS.
func (s *Server) AuthConfig() map[string]any {
	return map[string]any{
		"host": s.Host, "port": s.Port, "security": "none", "base_dn": Suffix,
		"bind_dn": s.ReaderDN, "bind_password": s.ReaderPass,
	}
}

// Admin is a connection that may change everything. It is closed when the test ends.
func (s *Server) Admin(t testing.TB) *goldap.Conn {
	t.Helper()
	conn, err := goldap.DialURL(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	conn.SetTimeout(startLimit)
	if err := conn.Bind(s.AdminDN, s.AdminPass); err != nil {
		t.Fatal(err)
	}
	return conn
}

// UserDN is the DN of a person of an Org.
func (s *Server) UserDN(uid string) string {
	return s.words.user + "=" + goldap.EscapeDN(uid) + "," + PeopleDN
}

// GroupDN is the DN of a group of an Org.
func (s *Server) GroupDN(name string) string { return "cn=" + goldap.EscapeDN(name) + "," + GroupsDN }

// folder is a temporary folder with a short name: servers put sockets into theirs, whose paths have 108 bytes at most.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ldaptest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// mkdirs makes folders below the server's own.
func (s *Server) mkdirs(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(s.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func (s *Server) write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// certificate writes tls/ca.pem, tls/cert.pem and tls/key.pem for the server's host.
func (s *Server) certificate(t testing.TB) {
	t.Helper()
	ca, err := NewAuthority("Grantwright test CA")
	if err != nil {
		t.Fatal(err)
	}
	certPEM, keyPEM, err := ca.Issue(time.Now().Add(24*time.Hour), "localhost", s.Host)
	if err != nil {
		t.Fatal(err)
	}
	s.CAPEM = ca.PEM
	s.mkdirs(t, "tls")
	s.write(t, "tls/ca.pem", ca.PEM)
	s.write(t, "tls/cert.pem", certPEM)
	s.write(t, "tls/key.pem", keyPEM)
}

// pkcs12 puts certificate and key into one file, tls/server.p12, for the servers that want them so.
func (s *Server) pkcs12(t testing.TB, password string) string {
	t.Helper()
	out := filepath.Join(s.dir, "tls", "server.p12")
	cmd := exec.Command(
		process.Program(t, "openssl", "openssl"),
		"pkcs12",
		"-export",
		"-name",
		"Server-Cert",
		"-out",
		out,
		"-passout",
		"stdin",
		"-in",
		filepath.Join(s.dir, "tls/cert.pem"),
		"-inkey",
		filepath.Join(s.dir, "tls/key.pem"),
		"-certfile",
		filepath.Join(s.dir, "tls/ca.pem"),
	)
	cmd.Stdin = strings.NewReader(password + "\n")
	process.Execute(t, cmd)
	return out
}

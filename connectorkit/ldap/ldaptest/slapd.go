// Package ldaptest starts a throw-away OpenLDAP server for tests: a real directory that nobody on the project wrote, with
// ldap, StartTLS and ldaps on free ports of the loopback address, an own certificate authority and whatever people and
// groups a test asks for. It is imported by tests only.
package ldaptest

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Suffix is the naming context of every server started here.
const Suffix = "dc=iga,dc=test"

// Entries of every server started here.
const (
	PeopleDN = "ou=people," + Suffix
	GroupsDN = "ou=groups," + Suffix
	AdminDN  = "cn=admin," + Suffix
	ReaderDN = "cn=reader," + Suffix
)

// Options say what the directory holds and how it behaves. The zero value is a directory without people.
type Options struct {
	Users    int    // people uid=u0000000,ou=people and on, with a tree of managers
	Groups   int    // groupOfNames cn=g00000,ou=groups and on
	PerGroup int    // members in each of Groups
	LDIF     string // further entries, separated by empty lines; their parents must exist

	// ReaderSizeLimit is what the reader may get from one search without paging; 0: no limit. A paged read is never limited.
	ReaderSizeLimit int
	// PagingDisabled makes the server refuse the paging control for the reader.
	PagingDisabled bool
	// DenyAnonymous makes the server refuse anonymous binds and operations without a bind.
	DenyAnonymous bool
	// RequireTLS makes the server answer confidentialityRequired on connections without TLS.
	RequireTLS bool
}

// Server is a running slapd.
type Server struct {
	Host       string // 127.0.0.1; the certificate names it
	Port       int    // ldap and StartTLS
	TLSPort    int    // ldaps
	URL        string // ldap://127.0.0.1:port
	TLSURL     string // ldaps://127.0.0.1:port
	CAPEM      string // the authority that signed the server's certificate
	AdminDN    string // may do everything
	AdminPass  string
	ReaderDN   string // may read everything but passwords
	ReaderPass string

	dir    string
	cmd    *exec.Cmd
	exited chan struct{} // closed when cmd has ended
	log    *bytes.Buffer
}

// StartSlapd loads a directory and serves it until the test ends. It fails the test when slapd is not installed.
func StartSlapd(t testing.TB, o Options) *Server {
	t.Helper()
	s := &Server{
		Host: "127.0.0.1", dir: t.TempDir(),
		AdminDN: AdminDN, AdminPass: "adm-" + random(t), ReaderDN: ReaderDN, ReaderPass: "rdr-" + random(t),
	}
	s.prepare(t, o)
	s.load(t, o)
	t.Cleanup(s.Stop)
	// A free port may be taken by somebody else before slapd binds it, so there is more than one try.
	var err error
	for range 5 {
		if err = s.start(t); err == nil {
			return s
		}
	}
	t.Fatalf("slapd did not start: %v\n%s", err, s.log)
	return nil
}

// Stop ends the server at once, as a crash would. It may be called more than once.
func (s *Server) Stop() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
		<-s.exited
		s.cmd = nil
	}
}

// AuthConfig is a connection to the server as the reader, without TLS.
func (s *Server) AuthConfig() map[string]any {
	return map[string]any{
		"host": s.Host, "port": s.Port, "security": "none", "base_dn": Suffix,
		"bind_dn": s.ReaderDN, "bind_password": s.ReaderPass,
	}
}

func (s *Server) prepare(t testing.TB, o Options) {
	t.Helper()
	for _, d := range []string{"db", "tls"} {
		if err := os.Mkdir(filepath.Join(s.dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	ca, err := NewAuthority("Grantwright test CA")
	if err != nil {
		t.Fatal(err)
	}
	certPEM, keyPEM, err := ca.Issue(time.Now().Add(24*time.Hour), "localhost", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	s.CAPEM = ca.PEM
	s.write(t, "tls/ca.pem", ca.PEM)
	s.write(t, "tls/cert.pem", certPEM)
	s.write(t, "tls/key.pem", keyPEM)
	s.write(t, "slapd.conf", s.config(t, o))
}

func (s *Server) write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) config(t testing.TB, o Options) string {
	t.Helper()
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	schemas := existing(t, "/etc/ldap/schema", "/etc/openldap/schema", "/usr/local/etc/openldap/schema")
	for _, schema := range []string{"core", "cosine", "inetorgperson", "nis"} {
		line("include %s/%s.schema", schemas, schema)
	}
	line("modulepath %s", existing(t, "/usr/lib/ldap", "/usr/lib64/openldap", "/usr/lib/openldap", "/usr/local/libexec/openldap"))
	line("moduleload back_mdb")
	line("pidfile %s/slapd.pid\nargsfile %s/slapd.args", s.dir, s.dir)
	line("TLSCACertificateFile %s/tls/ca.pem\nTLSCertificateFile %s/tls/cert.pem\nTLSCertificateKeyFile %s/tls/key.pem", s.dir, s.dir, s.dir)
	line("TLSVerifyClient never\nloglevel none")
	if o.DenyAnonymous {
		line("disallow bind_anon\nrequire authc")
	}
	if o.RequireTLS {
		line("security tls=1")
	}
	line("database mdb\nsuffix %s\ndirectory %s/db\nmaxsize 4294967296\ndbnosync", Suffix, s.dir)
	line("rootdn %s\nrootpw %s", s.AdminDN, s.AdminPass)
	line("index objectClass,uid,cn,mail,member eq")
	line("limits dn.exact=\"%s\" %s", s.ReaderDN, readerLimits(o))
	line("access to attrs=userPassword by self write by anonymous auth by * none\naccess to * by * read")
	return b.String()
}

func readerLimits(o Options) string {
	limit := "unlimited"
	if o.ReaderSizeLimit > 0 {
		limit = fmt.Sprint(o.ReaderSizeLimit)
	}
	paged := "size.prtotal=unlimited"
	if o.PagingDisabled {
		paged = "size.prtotal=disabled"
	}
	return fmt.Sprintf("size.soft=%s size.hard=%s size.unchecked=unlimited %s", limit, limit, paged)
}

func (s *Server) load(t testing.TB, o Options) {
	t.Helper()
	file := filepath.Join(s.dir, "data.ldif")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeLDIF(f, o, s.ReaderPass); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program(t, "slapadd"), "-q", "-f", filepath.Join(s.dir, "slapd.conf"), "-b", Suffix, "-l", file).CombinedOutput()
	if err != nil {
		t.Fatalf("slapadd: %v\n%s", err, out)
	}
}

func (s *Server) start(t testing.TB) error {
	t.Helper()
	s.Port, s.TLSPort = freePort(t), freePort(t)
	s.URL = fmt.Sprintf("ldap://%s:%d", s.Host, s.Port)
	s.TLSURL = fmt.Sprintf("ldaps://%s:%d", s.Host, s.TLSPort)
	s.log = &bytes.Buffer{}
	// A debug level, be it 0, keeps slapd in the foreground, so that it is ours to end.
	s.cmd = exec.Command(program(t, "slapd"), "-d", "0", "-f", filepath.Join(s.dir, "slapd.conf"), "-h", s.URL+" "+s.TLSURL)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.exited = make(chan struct{})
	go func(cmd *exec.Cmd, exited chan<- struct{}) {
		defer close(exited)
		_ = cmd.Wait()
	}(s.cmd, s.exited)
	deadline := time.Now().Add(15 * time.Second)
	for time.Now().Before(deadline) {
		if listening(s.Host, s.Port) && listening(s.Host, s.TLSPort) {
			return nil
		}
		select {
		case <-s.exited:
			return fmt.Errorf("slapd ended: %s", s.cmd.ProcessState)
		case <-time.After(20 * time.Millisecond):
		}
	}
	s.Stop()
	return fmt.Errorf("slapd did not listen within 15 s")
}

func listening(host string, port int) bool {
	c, err := net.DialTimeout("tcp", fmt.Sprintf("%s:%d", host, port), time.Second)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// program finds a server binary; distributions keep them outside of an ordinary user's PATH.
func program(t testing.TB, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, dir := range []string{"/usr/sbin", "/usr/libexec", "/usr/local/libexec", "/usr/lib/openldap"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	t.Fatalf("%s is not installed; these tests run on a real OpenLDAP: install the package slapd (Debian, Ubuntu) or openldap-servers (Fedora)", name)
	return ""
}

func existing(t testing.TB, dirs ...string) string {
	t.Helper()
	for _, d := range dirs {
		if _, err := os.Stat(d); err == nil {
			return d
		}
	}
	t.Fatalf("none of %s exists; install the package slapd (Debian, Ubuntu) or openldap-servers (Fedora)", strings.Join(dirs, ", "))
	return ""
}

func random(t testing.TB) string {
	t.Helper()
	b := make([]byte, 9)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(b)
}

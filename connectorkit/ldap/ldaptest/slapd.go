package ldaptest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest/process"
)

// Options say what an OpenLDAP directory holds and how it behaves. The zero value is a directory without people.
type Options struct {
	Users    int    // people uid=u0000000,ou=people and on, with a tree of managers
	Groups   int    // groupOfNames cn=g00000,ou=groups and on
	PerGroup int    // members in each of Groups
	Org      Org    // instead of, or beside, Users and Groups
	LDIF     string // further entries, separated by empty lines; their parents must exist

	// ReaderSizeLimit is what the reader may get from one search without paging; 0: no limit. A paged read is
	// limited by ReaderPagedLimit only.
	ReaderSizeLimit int
	// ReaderPagedLimit is what the reader may get from one search with paging, all pages together; 0: no limit.
	ReaderPagedLimit int
	// PagingDisabled makes the server refuse the paging control for the reader.
	PagingDisabled bool
	// DenyAnonymous makes the server refuse anonymous binds and operations without a bind.
	DenyAnonymous bool
	// RequireTLS makes the server answer confidentialityRequired on connections without TLS.
	RequireTLS bool

	MemberOf  bool // overlay: keeps memberOf of the members of groups
	Refint    bool // overlay: keeps member and manager right when an entry is renamed or deleted
	Syncprov  bool // overlay: content synchronisation (RFC 4533)
	Accesslog bool // overlay: writes are kept under cn=accesslog
	PPolicy   bool // overlay: three wrong passwords lock an account for LockoutSeconds

	// Manager is the UID of a person of Org who may change everything. Unlike AdminDN they are bound by the
	// password policy.
	Manager string
	// Hidden is a place of which Manager and the reader see nothing.
	Hidden string
	// ReadOnly is a place in which Manager changes nothing.
	ReadOnly string
}

// LockoutSeconds is how long an account is locked that the server itself has locked.
const LockoutSeconds = 3600

const slapdPackage = "the package slapd (Debian, Ubuntu) or openldap-servers (Fedora)"

var openLDAP = dialect{
	user: "uid", personClass: "inetOrgPerson", groupClass: "groupOfNames", unitClass: "organizationalUnit", uid: "uid",
	department: "departmentNumber",
	disabled:   attr{"pwdAccountLockedTime", "000001010000Z"}, needsMembers: true, password: plainPassword,
}

// StartSlapd loads a directory into OpenLDAP and serves it until the test ends. People of Options.Org that
// are disabled need Options.PPolicy.
func StartSlapd(t testing.TB, o Options) *Server {
	t.Helper()
	s := &Server{
		Host:       "127.0.0.1",
		dir:        folder(t),
		words:      openLDAP,
		AdminDN:    AdminDN,
		AdminPass:  "adm-" + process.Random(t),
		ReaderDN:   ReaderDN,
		ReaderPass: "rdr-" + process.Random(t),
	}
	slapd := process.Program(t, "slapd", slapdPackage)
	s.mkdirs(t, "db", "log")
	s.certificate(t)
	s.write(t, "slapd.conf", s.slapdConf(t, o))
	s.load(t, o)
	s.command = func() *exec.Cmd {
		// A debug level, be it 0, keeps slapd in the foreground, so that it is ours to end.
		return exec.Command(slapd, "-d", "0", "-f", filepath.Join(s.dir, "slapd.conf"), "-h", s.URL+" "+s.TLSURL)
	}
	s.start(t, func() {})
	return s
}

func (s *Server) slapdConf(t testing.TB, o Options) string {
	t.Helper()
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	schemas := process.Existing(
		t,
		slapdPackage,
		"/etc/ldap/schema",
		"/etc/openldap/schema",
		"/usr/local/etc/openldap/schema",
	)
	for _, schema := range []string{"core", "cosine", "inetorgperson", "nis"} {
		line("include %s/%s.schema", schemas, schema)
	}
	line(
		"modulepath %s",
		process.Existing(
			t, slapdPackage, "/usr/lib/ldap", "/usr/lib64/openldap", "/usr/lib/openldap",
			"/usr/local/libexec/openldap",
		),
	)
	line("moduleload back_mdb")
	for _, overlay := range o.overlays() {
		line("moduleload %s", overlay)
	}
	line("pidfile %s/slapd.pid\nargsfile %s/slapd.args", s.dir, s.dir)
	line(
		"TLSCACertificateFile %s/tls/ca.pem\nTLSCertificateFile %s/tls/cert.pem\nTLSCertificateKeyFile %s/tls/key.pem",
		s.dir, s.dir, s.dir,
	)
	line("TLSVerifyClient never\nloglevel none")
	if o.DenyAnonymous {
		line("disallow bind_anon\nrequire authc")
	}
	if o.RequireTLS {
		line("security tls=1")
	}
	if o.Accesslog {
		line(
			"database mdb\nsuffix cn=accesslog\ndirectory %s/log\nmaxsize 1073741824\ndbnosync\nrootdn %s\nindex "+
				"reqStart eq",
			s.dir, s.AdminDN,
		)
		line("access to * by dn.exact=\"%s\" read", s.ReaderDN)
	}
	line("database mdb\nsuffix %s\ndirectory %s/db\nmaxsize 4294967296\ndbnosync", Suffix, s.dir)
	line("rootdn %s\nrootpw %s", s.AdminDN, s.AdminPass)
	line("index objectClass,uid,cn,mail,member,entryUUID,entryCSN,modifyTimestamp eq")
	line("limits dn.exact=\"%s\" %s", s.ReaderDN, readerLimits(o))
	manager := ""
	if o.Manager != "" {
		manager = fmt.Sprintf(" by dn.exact=\"%s\" write", s.UserDN(o.Manager))
	}
	if o.Hidden != "" {
		line(
			"access to dn.subtree=\"%s\" by dn.exact=\"%s\" none by dn.exact=\"%s\" none by * read", o.Hidden,
			s.ReaderDN, s.UserDN(o.Manager),
		)
	}
	if o.ReadOnly != "" {
		line("access to dn.subtree=\"%s\" by * read", o.ReadOnly)
	}
	line(
		"access to attrs=userPassword%s by self write by anonymous auth by * none\naccess to *%s by * read", manager,
		manager,
	)
	b.WriteString(o.overlayConf())
	return b.String()
}

func (o Options) overlays() []string {
	var names []string
	for name, on := range map[string]bool{
		"memberof": o.MemberOf, "refint": o.Refint, "syncprov": o.Syncprov, "accesslog": o.Accesslog,
		"ppolicy": o.PPolicy,
	} {
		if on {
			names = append(names, name)
		}
	}
	return names
}

func (o Options) overlayConf() string {
	conf := ""
	if o.MemberOf {
		conf += "overlay memberof\nmemberof-group-oc groupOfNames\nmemberof-member-ad member\nmemberof-memberof-ad " +
			"memberOf\nmemberof-refint TRUE\n"
	}
	if o.Refint {
		conf += "overlay refint\nrefint_attributes member manager\n"
	}
	if o.PPolicy {
		conf += "overlay ppolicy\nppolicy_default cn=policy," + Suffix + "\n"
	}
	if o.Syncprov {
		conf += "overlay syncprov\nsyncprov-checkpoint 100 5\nsyncprov-sessionlog 10000\n"
	}
	if o.Accesslog {
		conf += "overlay accesslog\nlogdb cn=accesslog\nlogops writes\nlogsuccess TRUE\n"
	}
	return conf
}

func readerLimits(o Options) string {
	limit := "unlimited"
	if o.ReaderSizeLimit > 0 {
		limit = fmt.Sprint(o.ReaderSizeLimit)
	}
	paged := "size.prtotal=unlimited"
	if o.ReaderPagedLimit > 0 {
		paged = fmt.Sprintf("size.prtotal=%d", o.ReaderPagedLimit)
	}
	if o.PagingDisabled {
		paged = "size.prtotal=disabled"
	}
	return fmt.Sprintf("size.soft=%s size.hard=%s size.unchecked=unlimited %s", limit, limit, paged)
}

func (s *Server) load(t testing.TB, o Options) {
	t.Helper()
	o.LDIF += "\n" + s.orgLDIF(o)
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
	// With -w the offline tool also writes the sequence number that content synchronisation starts from.
	process.Execute(
		t,
		exec.Command(
			process.Program(
				t,
				"slapadd",
				slapdPackage,
			),
			"-q",
			"-w",
			"-f",
			filepath.Join(s.dir, "slapd.conf"),
			"-b",
			Suffix,
			"-l",
			file,
		),
	)
}

func (s *Server) orgLDIF(o Options) string {
	list := s.entries(o.Org)[2:] // people and groups have their folders already
	if o.PPolicy {
		list = append(list, entry{"cn=policy," + Suffix, []attr{
			{"objectClass", "device"}, {"objectClass", "pwdPolicy"}, {"cn", "policy"}, {"pwdAttribute", "userPassword"},
			{"pwdLockout", "TRUE"}, {"pwdMaxFailure", "3"}, {"pwdLockoutDuration", fmt.Sprint(LockoutSeconds)},
		}})
	}
	return ldif(list)
}

package ldaptest

import (
	"crypto/rand"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest/process"
)

const (
	ds389Package = "the package 389-ds-base"
	ds389Admin   = "cn=Directory Manager"
)

// dirsrv is how 389 Directory Server names things.
var dirsrv = dialect{
	user: "uid", personClass: "inetOrgPerson", groupClass: "groupOfNames", unitClass: "organizationalUnit", uid: "uid",
	department: "departmentNumber",
	disabled:   attr{"nsAccountLock", "true"}, password: plainPassword,
}

// Start389 serves an organisation from 389 Directory Server until the test ends, with content synchronisation
// (RFC 4533), the retro changelog (cn=changelog) and memberOf. As always with that server, nobody sees
// anything who was not given the right to: an anonymous search succeeds and finds nothing. Any user can run
// it: the instance is laid out here from the server's own template and not by its installer, which writes to
// the folders of the whole machine.
func Start389(t testing.TB, o Org) *Server {
	t.Helper()
	s := &Server{
		Host:       "127.0.0.1",
		dir:        folder(t),
		words:      dirsrv,
		AdminDN:    ds389Admin,
		AdminPass:  "adm-" + process.Random(t),
		ReaderDN:   ReaderDN,
		ReaderPass: "rdr-" + process.Random(t),
	}
	server := process.Program(t, "ns-slapd", ds389Package)
	// The folder's name is that of the instance, and of a semaphore that all instances of the machine have in
	// one place.
	s.config = "slapd-" + process.Random(t)
	t.Cleanup(func() { _ = os.Remove("/dev/shm/sem." + s.config + ".stats") })
	s.mkdirs(t, s.config+"/schema", "lock", "tmp", "ldif", "bak", "run", "log", "db", "inst")
	s.certificate(t)
	s.keyDatabase(t)
	// The package keeps its own copies of these where only its own user may read them. Ours say no more than they must.
	s.write(t, s.config+"/slapd-collations.conf", "")
	s.write(t, s.config+"/certmap.conf", "certmap default default\n")
	s.write(t, s.config+"/schema/99user.ldif", "dn: cn=schema\n")
	s.command = func() *exec.Cmd {
		return exec.Command(
			server, "-d", "0", "-D", filepath.Join(s.dir, s.config), "-i", filepath.Join(s.dir, "run/pid"),
		)
	}
	s.start(t, func() { s.write(t, s.config+"/dse.ldif", s.dse(t)) })
	s.load389(t, o)
	return s
}

// keyDatabase puts certificate and key into the NSS database that the server reads.
func (s *Server) keyDatabase(t testing.TB) {
	t.Helper()
	password := process.Random(t)
	s.write(t, s.config+"/pwdfile.txt", password+"\n")
	s.write(t, s.config+"/pin.txt", "Internal (Software) Token:"+password+"\n")
	config, pin := filepath.Join(s.dir, s.config), filepath.Join(s.dir, s.config, "pwdfile.txt")
	process.Execute(
		t,
		exec.Command(process.Program(t, "certutil", "the package libnss3-tools"), "-N", "-d", config, "-f", pin),
	)
	process.Execute(
		t,
		exec.Command(
			process.Program(
				t,
				"pk12util",
				"the package libnss3-tools",
			),
			"-i",
			s.pkcs12(t, password),
			"-d",
			config,
			"-k",
			pin,
			"-w",
			pin,
		),
	)
	process.Execute(
		t,
		exec.Command(
			process.Program(
				t,
				"certutil",
				"the package libnss3-tools",
			),
			"-M",
			"-n",
			"Grantwright test CA",
			"-t",
			"CT,,",
			"-d",
			config,
			"-f",
			pin,
		),
	)
}

// dse is the server's configuration: the template that its own installer uses, filled in.
func (s *Server) dse(t testing.TB) string {
	t.Helper()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(s.dir, name) }
	replace := []string{
		"%schema_dir%", in(s.config + "/schema"), "%lock_dir%", in("lock"), "%tmp_dir%", in("tmp"), "%cert_dir%",
		in(s.config), "%ldif_dir%", in("ldif"),
		"%bak_dir%", in("bak"), "%run_dir%", in("run"), "%inst_dir%", in("inst"), "%log_dir%", in("log"),
		"%config_dir%", in(s.config),
		"%db_dir%", in("db"), "%db_home_dir%", in("db"), "%db_lib%", "bdb", "%ldapi_enabled%", "off",
		"%ldapi_autobind%", "off", "%ldapi%", in("run/ldapi"),
		"%fqdn%", "localhost", "%ds_port%", fmt.Sprint(s.Port), "%ds_user%", me.Username, "%rootdn%", s.AdminDN,
		"%ds_passwd%", salted(s.AdminPass), "%ds_suffix%", Suffix,
	}
	dse := strings.NewReplacer(replace...).Replace(read(t, ds389Package, "/usr/share/dirsrv/data/template-dse.ldif"))
	for entry, lines := range map[string]string{
		"cn=config": "nsslapd-listenhost: 127.0.0.1\nnsslapd-securelistenhost: 127.0.0.1\nnsslapd-security: " +
			"on\nnsslapd-securePort: " + fmt.Sprint(s.TLSPort) +
			"\npasswordLockout: on\npasswordMaxFailure: 3\npasswordLockoutDuration: " + fmt.Sprint(LockoutSeconds),
		"cn=RSA,cn=encryption,cn=config": "nsSSLPersonalitySSL: Server-Cert\nnsSSLToken: internal " +
			"(software)\nnsSSLActivation: on",
		"cn=MemberOf Plugin,cn=plugins,cn=config": "nsslapd-pluginEnabled: on",
		"cn=Retro Changelog Plugin,cn=plugins,cn=config": "nsslapd-pluginEnabled: on\nnsslapd-attribute: " +
			"nsuniqueid:targetUniqueId",
		"cn=Content Synchronization,cn=plugins,cn=config": "nsslapd-pluginEnabled: on",
		"cn=config,cn=ldbm database,cn=plugins,cn=config": "nsslapd-db-durable-transaction: off",
		"cn=7-bit check,cn=plugins,cn=config":             "nsslapd-pluginEnabled: off",
	} {
		dse = configured(t, dse, entry, lines)
	}
	return dse
}

// configured gives an entry of a dse.ldif attributes in place of those it has by the same names.
func configured(t testing.TB, dse, dn, lines string) string {
	t.Helper()
	before, rest, found := strings.Cut(dse, "dn: "+dn+"\n")
	old, after, _ := strings.Cut(rest, "\n\n")
	if !found {
		t.Fatalf("the template of 389 Directory Server has no %s", dn)
	}
	var kept []string
	for _, line := range strings.Split(old, "\n") {
		name, _, _ := strings.Cut(line, ":")
		if !strings.Contains("\n"+strings.ToLower(lines), "\n"+strings.ToLower(name)+":") {
			kept = append(kept, line)
		}
	}
	return before + "dn: " + dn + "\n" + strings.Join(kept, "\n") + "\n" + lines + "\n\n" + after
}

// salted is a password as the server stores it; it wants none in clear among its settings.
func salted(password string) string {
	salt := make([]byte, 8)
	_, _ = rand.Read(salt)
	sum := sha512.Sum512(append([]byte(password), salt...))
	return "{SSHA512}" + base64.StdEncoding.EncodeToString(append(sum[:], salt...))
}

// load389 makes the database and adds the organisation over LDAP, so that the server's plug-ins see it.
func (s *Server) load389(t testing.TB, o Org) {
	t.Helper()
	conn := s.Admin(t)
	add(t, conn, []entry{
		{
			"cn=userroot,cn=ldbm database,cn=plugins,cn=config",
			[]attr{
				{"objectClass", "extensibleObject"}, {"objectClass", "nsBackendInstance"}, {"cn", "userroot"},
				{"nsslapd-suffix", Suffix},
			},
		},
		{`cn=` + goldap.EscapeDN(Suffix) + `,cn=mapping tree,cn=config`, []attr{
			{"objectClass", "extensibleObject"}, {"objectClass", "nsMappingTree"}, {"cn", Suffix},
			{"nsslapd-state", "backend"}, {"nsslapd-backend", "userroot"}}},
		{Suffix, []attr{{"objectClass", "domain"}, {"dc", "iga"},
			{
				"aci",
				`(targetattr != "userPassword")(version 3.0; acl "reader"; allow (read, search, compare) ` +
					`userdn = "ldap:///` + s.ReaderDN + `";)`,
			}}},
		{
			s.ReaderDN,
			[]attr{{"objectClass", "person"}, {"cn", "reader"}, {"sn", "reader"}, {"userPassword", s.ReaderPass}},
		},
	})
	add(t, conn, s.entries(o))
}

// read reads a file of a package, the test failing with the package to install where it is missing.
func read(t testing.TB, pkg, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; install %s, or run .ci/setup test", err, pkg)
	}
	return string(b)
}

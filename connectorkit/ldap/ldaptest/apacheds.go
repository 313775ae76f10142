package ldaptest

import (
	"archive/zip"
	"encoding/base64"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest/process"
)

const (
	apacheDSPackage = "the packages that .ci/setup names for apacheds"
	apacheDSAdmin   = "uid=admin,ou=system"
	// apacheDSFirstPass is the administrator's password in every fresh ApacheDS. It is changed before anything else.
	apacheDSFirstPass = "secret"
)

// apacheDS is how ApacheDS names things.
var apacheDS = dialect{
	user: "uid", personClass: "inetOrgPerson", groupClass: "groupOfNames", unitClass: "organizationalUnit", uid: "uid",
	department: "departmentNumber",
	disabled:   attr{"pwdAccountLockedTime", "000001010000Z"}, needsMembers: true, password: plainPassword,
}

// StartApacheDS serves an organisation from ApacheDS until the test ends. Its password policy locks an
// account after five wrong passwords for LockoutSeconds.
func StartApacheDS(t testing.TB, o Org) *Server {
	t.Helper()
	s := &Server{
		Host:       "127.0.0.1",
		dir:        folder(t),
		words:      apacheDS,
		AdminDN:    apacheDSAdmin,
		AdminPass:  apacheDSFirstPass,
		ReaderDN:   ReaderDN,
		ReaderPass: "rdr-" + process.Random(t),
	}
	java := process.Program(t, "java", apacheDSPackage)
	process.Existing(t, apacheDSPackage, "/usr/share/apacheds/lib/apacheds-service.jar")
	s.mkdirs(t, "conf", "partitions", "log", "run", "cache")
	s.certificate(t)
	store := process.Random(t)
	file := s.pkcs12(t, store)
	s.write(
		t, "conf/log4j.properties",
		"log4j.rootCategory=ERROR, stdout\nlog4j.appender.stdout=org.apache.log4j.ConsoleAppender\n"+
			"log4j.appender.stdout.layout=org.apache.log4j.SimpleLayout\n",
	)
	s.command = func() *exec.Cmd { return exec.Command(java, s.apacheDSArguments(t)...) }
	s.start(t, func() { s.write(t, "conf/config.ldif", s.apacheDSConf(t, file, store)) })
	s.loadApacheDS(t, o)
	return s
}

// apacheDSArguments start the server. Debian's package knows only a part of its class path, and Java 17 guards what the
// server needs of the runtime's inside.
func (s *Server) apacheDSArguments(t testing.TB) []string {
	t.Helper()
	path := []string{"/usr/share/apacheds/lib/*"}
	for _, jar := range []string{
		"caffeine", "commons-collections4", "commons-lang3", "commons-pool2", "commons-codec", "commons-text",
	} {
		path = append(path, process.Existing(t, apacheDSPackage, "/usr/share/java/"+jar+".jar"))
	}
	args := []string{"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-Djava.awt.headless=true"}
	for _, inside := range []string{"x509", "util"} {
		args = append(args, "--add-exports", "java.base/sun.security."+inside+"=ALL-UNNAMED")
	}
	args = append(args, "--add-opens", "java.base/sun.security.x509=ALL-UNNAMED")
	for property, variable := range map[string]string{
		"apacheds.controls": "ADS_CONTROLS", "apacheds.extendedOperations": "ADS_EXTENDED_OPERATIONS",
	} {
		args = append(args, "-D"+property+"="+shellList(t, read(t, apacheDSPackage, "/etc/default/apacheds"), variable))
	}
	return append(args,
		"-Dlog4j.configuration=file:"+filepath.Join(s.dir, "conf/log4j.properties"),
		"-Dapacheds.log.dir="+filepath.Join(s.dir, "log"),
		"-cp", strings.Join(path, ":"), "org.apache.directory.server.UberjarMain", s.dir+"/")
}

// shellList reads a quoted list of names, continued over lines, out of a shell's settings.
func shellList(t testing.TB, settings, variable string) string {
	t.Helper()
	_, rest, found := strings.Cut(settings, variable+"=\"")
	list, _, closed := strings.Cut(rest, `"`)
	if !found || !closed {
		t.Fatalf("/etc/default/apacheds has no %s", variable)
	}
	return strings.ReplaceAll(list, "\\\n", "")
}

// contextEntry is the naming context in the package's configuration, in base64.
var contextEntry = regexp.MustCompile(`(?m)^ads-contextentry:: .*\n(?: .*\n)*`)

// apacheDSConf is the configuration of the package with our ports, certificate and naming context.
func (s *Server) apacheDSConf(t testing.TB, keyStore, password string) string {
	t.Helper()
	root := base64.StdEncoding.EncodeToString([]byte(
		"dn: " + Suffix + "\ndc: iga\nobjectclass: domain\nobjectclass: top\n\n",
	))
	before, example, found := strings.Cut(
		packaged(t, "/usr/share/apacheds/lib/apacheds-server-config.jar", "config.ldif"),
		"ads-partitionSuffix: dc=example,dc=com\n",
	)
	if !found {
		t.Fatal("the configuration of ApacheDS has no partition dc=example,dc=com")
	}
	example = contextEntry.ReplaceAllString(example, "ads-contextentry:: "+root+"\n")
	return strings.NewReplacer(
		"ads-systemport: 10389", fmt.Sprint("ads-systemport: ", s.Port), "ads-systemport: 10636",
		fmt.Sprint("ads-systemport: ", s.TLSPort),
		"ads-transportaddress: 0.0.0.0", "ads-transportaddress: "+s.Host, "ads-partitionsynconwrite: TRUE",
		"ads-partitionsynconwrite: FALSE",
		"ads-pwdLockoutDuration: 0", fmt.Sprint("ads-pwdLockoutDuration: ", LockoutSeconds),
		"ads-serverId: ldapServer\n",
		"ads-serverId: ldapServer\nads-keystoreFile: "+keyStore+"\nads-certificatePassword: "+password+"\n",
	).Replace(before + "ads-partitionSuffix: " + Suffix + "\n" + example)
}

// packaged reads a file of a jar. The copy below /etc is for the package's own user only.
func packaged(t testing.TB, jar, name string) string {
	t.Helper()
	r, err := zip.OpenReader(process.Existing(t, apacheDSPackage, jar))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, err := r.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// loadApacheDS changes the administrator's password and adds the reader and the organization.
func (s *Server) loadApacheDS(t testing.TB, o Org) {
	t.Helper()
	conn := s.Admin(t)
	s.AdminPass = "adm-" + process.Random(t)
	change := goldap.NewModifyRequest(s.AdminDN, nil)
	change.Replace("userPassword", []string{s.AdminPass})
	if err := conn.Modify(change); err != nil {
		t.Fatalf("change the administrator's password: %v", err)
	}
	add(
		t, conn,
		[]entry{
			{
				s.ReaderDN,
				[]attr{{"objectClass", "person"}, {"cn", "reader"}, {"sn", "reader"}, {"userPassword", s.ReaderPass}},
			},
		},
	)
	add(t, conn, s.entries(o))
}

package ldaptest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest/process"
)

const (
	sambaPackage = "the packages samba, samba-ad-provision, samba-dsdb-modules, samba-vfs-modules and ldb-tools"
	sambaRealm   = "IGA.TEST"
	sambaDomain  = "IGA"
	// sambaFirstPass is the administrator's password in the tree that is kept for the next test; each server
	// gets its own.
	sambaFirstPass = "First-Pass-0!"
)

// activeDirectory is how Active Directory names things.
var activeDirectory = dialect{
	user: "cn", personClass: "user", partnerClass: "contact", groupClass: "group", unitClass: "organizationalUnit",
	uid: "sAMAccountName", department: "department",
	// normal account, no password needed, 2: disabled
	disabled: attr{"userAccountControl", "546"}, enabled: attr{"userAccountControl", "544"},
	password: func(p string) attr { return attr{"unicodePwd", quotedUTF16(p)} },
}

// StartSambaAD serves an organisation from Samba as the only domain controller of an Active Directory until
// the test ends. Its ports are fixed, so that each server has an address 127.x.y.z of its own and the test
// must run as root. Three wrong passwords lock an account.
func StartSambaAD(t testing.TB, o Org) *Server {
	t.Helper()
	samba := process.Program(t, "samba", sambaPackage)
	if os.Geteuid() != 0 {
		t.Fatal(
			"a domain controller has the ports 389 and 636, which only root may open: run this test as root, as in " +
				"`sudo -E go test ./connectorkit/ldap/...`",
		)
	}
	s := &Server{
		// Clear of 127.0.0.0/16, where other services of a machine are.
		Host: fmt.Sprintf("127.%d.%d.%d", 16+rand.IntN(200), rand.IntN(256), 1+rand.IntN(250)), Port: 389, TLSPort: 636,
		dir: folder(t), words: activeDirectory,
		AdminDN: "administrator@iga.test", AdminPass: "Adm-" + process.Random(t) + "!", ReaderDN: "reader@iga.test",
		ReaderPass: "Rdr-" + process.Random(t) + "!",
	}
	s.certificate(t)
	s.provision(t)
	s.write(t, "etc/smb.conf", s.smbConf("no"))
	s.seed(t, o)
	s.command = func() *exec.Cmd {
		return exec.Command(samba, "-s", s.smbConfFile(), "-F", "-M", "single", "--no-process-group", "--debug-stdout")
	}
	t.Cleanup(s.Stop)
	if err := s.launch(); err != nil {
		t.Fatalf("the domain controller did not start: %v", err)
	}
	return s
}

// smbConfFile is the path of the server's configuration.
func (s *Server) smbConfFile() string { return filepath.Join(s.dir, "etc/smb.conf") }

// smbConf is the server's configuration. strongAuth no takes simple binds without TLS, yes takes none.
func (s *Server) smbConf(strongAuth string) string {
	in := func(name string) string { return filepath.Join(s.dir, name) }
	return strings.Join([]string{"[global]",
		"netbios name = DC1", "realm = " + sambaRealm, "workgroup = " + sambaDomain,
		"server role = active directory domain controller",
		"server services = ldap, cldap, kdc", "interfaces = " + s.Host + "/8", "bind interfaces only = yes",
		"ldap server require strong auth = " + strongAuth, "ldb:nosync = yes",
		"tls enabled = yes", "tls certfile = " + in("tls/cert.pem"), "tls keyfile = " + in("tls/key.pem"),
		"tls cafile = " + in("tls/ca.pem"),
		"pid directory = " + s.dir, "ncalrpc dir = " + in("ncalrpc"), "private dir = " + in("private"),
		"state directory = " + in("state"),
		"cache directory = " + in("cache"), "lock directory = " + s.dir, "log file = " + in("log.samba"), "",
	}, "\n")
}

// RequireStrongAuth makes a domain controller refuse simple binds without TLS from now on, as Samba does by
// itself and Active Directory where its administrator follows the vendor's advice. It restarts the server.
func (s *Server) RequireStrongAuth(t testing.TB) {
	t.Helper()
	s.write(t, "etc/smb.conf", s.smbConf("yes"))
	s.Restart(t)
}

// NewInvocationID gives the domain controller's database a new identity, as one gets that was restored from a
// backup: its change numbers then mean something else (MS-ADTS section 3.1.1.1.9). It restarts the server.
func (s *Server) NewInvocationID(t testing.TB) {
	t.Helper()
	if err := s.running.End(startLimit); err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 16)
	for i := range id {
		id[i] = byte(rand.IntN(256))
	}
	s.ldb(
		t, "ldbmodify",
		change(
			"CN=NTDS Settings,CN=DC1,CN=Servers,CN=Default-First-Site-Name,CN=Sites,CN=Configuration,"+Suffix,
			"replace", attr{"invocationId", string(id)},
		),
		"--relax",
	)
	if err := s.launch(); err != nil {
		t.Fatal(err)
	}
}

// provision lays out an empty domain. That takes seconds of computing and never differs, so it is done once
// for each version of Samba and kept in the user's cache folder.
func (s *Server) provision(t testing.TB) {
	t.Helper()
	kept := sambaCache(t)
	if kept != "" {
		if err := process.Unpack(kept, s.dir); err == nil {
			return
		}
	}
	s.write(
		t, "provision.conf",
		"[global]\nnetbios name = DC1\nrealm = "+sambaRealm+"\nworkgroup = "+sambaDomain+
			"\nserver role = active directory domain controller\n",
	)
	cmd := exec.Command(
		process.Program(t, "samba-tool", sambaPackage),
		"domain",
		"provision",
		"--targetdir="+s.dir,
		"-s",
		filepath.Join(s.dir, "provision.conf"),
		"--realm="+sambaRealm,
		"--domain="+sambaDomain,
		"--server-role=dc",
		"--dns-backend=NONE",
		"--host-name=dc1",
		"--host-ip=127.0.0.1",
		"--use-rfc2307",
		"--adminpass="+sambaFirstPass,
	)
	process.Execute(t, cmd)
	if kept != "" {
		if err := process.Pack(s.dir, []string{"private", "state", "etc"}, kept); err != nil {
			t.Logf("the domain was not kept for the next test: %v", err)
		}
	}
}

// sambaCache is the file that keeps an empty domain of the installed version; empty where there is no cache folder.
func sambaCache(t testing.TB) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	version, err := exec.Command(process.Program(t, "samba", sambaPackage), "-V").Output()
	if err != nil {
		t.Fatalf("samba -V: %v", err)
	}
	sum := sha256.Sum256([]byte(string(version) + sambaRealm + sambaDomain + sambaFirstPass))
	return filepath.Join(dir, "grantwright", "samba-"+hex.EncodeToString(sum[:8])+".tar")
}

// seed adds the organisation to the domain's database before the server starts, which is many times faster
// than over LDAP.
func (s *Server) seed(t testing.TB, o Org) {
	t.Helper()
	reader := entry{"CN=reader,CN=Users," + Suffix, []attr{
		{"objectClass", "user"}, {"sAMAccountName", "reader"}, {"userPrincipalName", s.ReaderDN},
		{"userAccountControl", "512"}, {"unicodePwd", quotedUTF16(s.ReaderPass)}}}
	list, members := withoutMembers(s.entries(o))
	s.ldb(t, "ldbadd", ldif(append(list, reader)))
	s.ldb(t, "ldbmodify",
		members+change("CN=Administrator,CN=Users,"+Suffix, "replace", attr{"unicodePwd", quotedUTF16(s.AdminPass)})+
			change(Suffix, "replace", attr{"lockoutThreshold", "3"}))
}

// withoutMembers takes the members out of groups, as changes to be made later: a member must exist, and it
// may be a group that comes later.
func withoutMembers(list []entry) (bare []entry, changes string) {
	var b strings.Builder
	for _, e := range list {
		var kept, members []attr
		for _, a := range e.attrs {
			if a.name == "member" {
				members = append(members, a)
			} else {
				kept = append(kept, a)
			}
		}
		bare = append(bare, entry{e.dn, kept})
		if len(members) > 0 {
			b.WriteString(change(e.dn, "add", members...))
		}
	}
	return bare, b.String()
}

// change is a modification of one attribute in LDIF.
func change(dn, how string, values ...attr) string {
	text := Attr("dn", dn) + "changetype: modify\n" + how + ": " + values[0].name + "\n"
	for _, v := range values {
		text += Attr(v.name, v.value)
	}
	return text + "-\n\n"
}

func (s *Server) ldb(t testing.TB, tool, input string, options ...string) {
	t.Helper()
	cmd := exec.Command(
		process.Program(t, tool, sambaPackage), append(options, "-H", filepath.Join(s.dir, "private/sam.ldb"))...,
	)
	cmd.Env = append(os.Environ(), "SMB_CONF_PATH="+s.smbConfFile())
	cmd.Stdin = strings.NewReader(input)
	// ldbadd reports an entry that it could not add, and yet ends with success.
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "ERR") {
		t.Fatalf("%s: %v\n%s", tool, err, out)
	}
}

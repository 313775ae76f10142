package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/grantwright/grantwright/e2e/process"
	"github.com/grantwright/grantwright/e2e/rig"
)

// Names in the directory.
const (
	suffix   = "dc=bench,dc=example"
	readerDN = "cn=reader," + suffix
	writerDN = "cn=writer," + suffix
)

// slapd is an OpenLDAP server with the people and groups to read.
type slapd struct {
	size
	dir      string
	port     int
	password string // of the reader, and of whoever changes the directory
}

// size is that of a directory.
type size struct{ people, groups, perGroup int }

func (n size) memberships() int { return n.groups * n.perGroup }

func (n size) records() int { return 2*n.people + n.groups + n.memberships() }

func (n size) String() string {
	return fmt.Sprintf("%d people, %d groups, %d memberships", n.people, n.groups, n.memberships())
}

// startSlapd loads a directory and serves it until the measurement ends.
func startSlapd(ctx context.Context, b *bench, n size) (*slapd, error) {
	dir := filepath.Join(b.dir, "slapd")
	if err := os.MkdirAll(filepath.Join(dir, "db"), 0o700); err != nil {
		return nil, err
	}
	s := &slapd{size: n, dir: dir, password: rand.Text()}
	config, data := filepath.Join(dir, "slapd.conf"), filepath.Join(dir, "data.ldif")
	if err := s.configure(config, dir); err != nil {
		return nil, err
	}
	if err := s.write(data); err != nil {
		return nil, err
	}
	load, err := server("slapadd")
	if err != nil {
		return nil, err
	}
	if _, err := process.Run(
		ctx,
		process.Spec{Name: "slapadd", Path: load, Args: []string{"-q", "-f", config, "-b", suffix, "-l", data}},
		"",
	); err != nil {
		return nil, err
	}
	return s, s.serve(ctx, b, config)
}

func (s *slapd) configure(path, dir string) error {
	schemas, err := folder("/etc/ldap/schema", "/etc/openldap/schema", "/usr/local/etc/openldap/schema")
	if err != nil {
		return err
	}
	modules, err := folder("/usr/lib/ldap", "/usr/lib64/openldap", "/usr/lib/openldap", "/usr/local/libexec/openldap")
	if err != nil {
		return err
	}
	text := ""
	for _, schema := range []string{"core", "cosine", "inetorgperson"} {
		text += fmt.Sprintf("include %s/%s.schema\n", schemas, schema)
	}
	text += fmt.Sprintf(
		"modulepath %s\nmoduleload back_mdb\nmoduleload syncprov\npidfile %s/pid\nloglevel none\n",
		modules,
		dir,
	)
	text += fmt.Sprintf(
		"database mdb\nsuffix %s\ndirectory %s/db\nmaxsize 17179869184\ndbnosync\nindex "+
			"objectClass,entryUUID,entryCSN eq\n",
		suffix,
		dir,
	)
	text += fmt.Sprintf("rootdn %q\nrootpw %s\n", writerDN, s.password)
	text += fmt.Sprintf("limits dn.exact=%q size=unlimited\n", readerDN)
	text += "access to attrs=userPassword by anonymous auth by * none\naccess to * by * read\noverlay " +
		"syncprov\nsyncprov-checkpoint 1000 60\nsyncprov-sessionlog 10000\n"
	return os.WriteFile(path, []byte(text), 0o600)
}

// write writes the directory as LDIF (RFC 2849).
func (s *slapd) write(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintf(w, "dn: %s\nobjectClass: dcObject\nobjectClass: organization\ndc: bench\no: Bench\n\n", suffix)
	fmt.Fprintf(
		w,
		"dn: %s\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: reader\nuserPassword: %s\n\n",
		readerDN,
		s.password,
	)
	for _, ou := range []string{"people", "groups"} {
		fmt.Fprintf(w, "dn: ou=%s,%s\nobjectClass: organizationalUnit\nou: %s\n\n", ou, suffix, ou)
	}
	for i := range s.people {
		fmt.Fprintf(
			w,
			"dn: %s\nobjectClass: inetOrgPerson\nuid: u%07d\ncn: Person Number %d\ngivenName: Person\nsn: Number "+
				"%d\ndisplayName: Person Number %d\n",
			person(i),
			i,
			i,
			i,
			i,
		)
		fmt.Fprintf(
			w,
			"mail: u%07d@bench.example\nemployeeNumber: %d\ndepartmentNumber: Department %d\ntitle: Engineer\nl: "+
				"Hamburg\n",
			i,
			100000+i,
			i%40,
		)
		if i > 0 {
			fmt.Fprintf(w, "manager: %s\n", person((i-1)/10))
		}
		fmt.Fprintln(w)
	}
	for g := range s.groups {
		fmt.Fprintf(
			w,
			"dn: cn=g%04d,ou=groups,%s\nobjectClass: groupOfNames\ncn: g%04d\ndescription: Group %d\n",
			g,
			suffix,
			g,
			g,
		)
		for k := range s.perGroup {
			fmt.Fprintf(w, "member: %s\n", person((g*s.perGroup+k)%s.people))
		}
		fmt.Fprintln(w)
	}
	return errors.Join(w.Flush(), f.Close())
}

func person(i int) string { return fmt.Sprintf("uid=u%07d,ou=people,%s", i, suffix) }

func (s *slapd) serve(ctx context.Context, b *bench, config string) error {
	program, err := server("slapd")
	if err != nil {
		return err
	}
	if s.port, err = rig.FreePort(); err != nil {
		return err
	}
	address := fmt.Sprintf("127.0.0.1:%d", s.port)
	// A debug level, be it 0, keeps slapd in the foreground, so that it is ours to end.
	child, err := process.Start(process.Spec{
		Name: "slapd",
		Path: program,
		Args: []string{"-d", "0", "-f", config, "-h", "ldap://" + address},
		Log:  filepath.Join(b.dir, "slapd.log"),
	})
	if err != nil {
		return err
	}
	b.stops(child)
	return child.Await(ctx, "listen", func(context.Context) bool {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		return err == nil && conn.Close() == nil
	})
}

// server finds a program that distributions keep outside of an ordinary user's PATH.
func server(name string) (string, error) {
	for _, path := range []string{name, "/usr/sbin/" + name, "/usr/libexec/" + name, "/usr/local/libexec/" + name} {
		if found, err := exec.LookPath(path); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf(
		"%s is not installed: install the package slapd (Debian, Ubuntu) or openldap-servers (Fedora)",
		name,
	)
}

func folder(candidates ...string) (string, error) {
	for _, path := range candidates {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf(
		"none of %v exists: install the package slapd (Debian, Ubuntu) or openldap-servers (Fedora)",
		candidates,
	)
}

func write(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }

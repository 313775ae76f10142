package mail

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net"
	netmail "net/mail"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/process"
	"github.com/grantwright/grantwright/e2e/rig"
)

// domain is where Postfix has mailboxes.
const domain = "people.test"

// postfix is a Postfix of the test, with mailboxes in directories.
type postfix struct {
	dir           string
	starttls, tls int // ports
	log           string
}

const mainFile = `compatibility_level = 3.6
queue_directory = DIR/spool
data_directory = DIR/data
maillog_file = DIR/log
maillog_file_prefixes = DIR
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.people.test
mydestination =
mynetworks =
alias_maps =
alias_database =
virtual_mailbox_domains = people.test
virtual_mailbox_maps = texthash:DIR/etc/mailboxes
virtual_mailbox_base = DIR/mail
virtual_uid_maps = static:65534
virtual_gid_maps = static:65534
smtpd_tls_cert_file = CERT
smtpd_tls_key_file = KEY
smtpd_tls_auth_only = yes
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:AUTH
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions = check_recipient_access texthash:DIR/etc/refused, reject_unauth_destination,
    reject_unlisted_recipient, permit_sasl_authenticated, reject
`

const masterFile = `127.0.0.1:STARTTLS inet n - n - - smtpd -o smtpd_tls_security_level=encrypt
127.0.0.1:WRAPPED inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`

// refused are recipients that the server refuses, with its reply.
const refused = `full@people.test 452 4.2.2 The mailbox is full
later@people.test 450 4.7.1 Greylisted
`

func startPostfix(t *testing.T, cert files) *postfix {
	t.Helper()
	dir, err := os.MkdirTemp("", "pf-")
	must(t, err)
	must(t, os.Chmod(dir, 0o755)) //nolint:gosec // its parts run as users of their own
	p := &postfix{dir: dir, log: filepath.Join(dir, "log")}
	p.starttls, err = rig.FreePort()
	must(t, err)
	p.tls, err = rig.FreePort()
	must(t, err)
	replace := strings.NewReplacer("DIR", dir, "CERT", cert.cert, "KEY", cert.key, "AUTH", signIns(t),
		"STARTTLS", fmt.Sprint(p.starttls), "WRAPPED", fmt.Sprint(p.tls))
	for _, name := range []string{"etc", "spool", "data", "mail"} {
		must(t, os.Mkdir(filepath.Join(dir, name), 0o755)) //nolint:gosec // as above
	}
	must(t, os.Chown(filepath.Join(dir, "mail"), 65534, 65534))
	postfixUser(t, filepath.Join(dir, "data"))
	var mailboxes strings.Builder
	for i := range few {
		fmt.Fprintf(&mailboxes, "p%d@%s p%d/\nq%d@%s q%d/\n", i, domain, i, i, domain, i)
	}
	for name, text := range map[string]string{
		"main.cf": replace.Replace(mainFile), "master.cf": replace.Replace(masterFile),
		"mailboxes": mailboxes.String(), "refused": refused,
	} {
		must(t, os.WriteFile(filepath.Join(dir, "etc", name), []byte(text), 0o644)) //nolint:gosec // as above
	}
	etc, said := filepath.Join(dir, "etc"), filepath.Join(dir, "output")
	_, err = process.Run(harness.Context(t), process.Spec{
		Name: "postfix check", Path: "/usr/sbin/postfix", Args: []string{"-c", etc, "check"}, Log: said,
	}, "")
	must(t, err)
	server, err := process.Start(process.Spec{
		Name: "Postfix", Path: "/usr/lib/postfix/sbin/master", Args: []string{"-d", "-c", etc}, Log: said,
	})
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		_ = server.Stop(ctx) // it ends by the signal
		if t.Failed() {
			log, _ := os.ReadFile(p.log)
			t.Logf("the log of Postfix:\n%s\n%s", server.Output(), log)
		}
		_ = os.RemoveAll(dir)
	})
	must(t, server.Await(harness.Context(t), "listen", func(context.Context) bool { return !rig.IsFree(p.address()) }))
	return p
}

func (p *postfix) address() string { return fmt.Sprintf("127.0.0.1:%d", p.tls) }

// mailbox are the messages in a mailbox.
func (p *postfix) mailbox(t *testing.T, name string) (all []*netmail.Message) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(p.dir, "mail", name, "new", "*"))
	must(t, err)
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		must(t, err)
		m, err := netmail.ReadMessage(strings.NewReader(string(raw)))
		must(t, err)
		all = append(all, m)
	}
	return all
}

// signIns answers Postfix whether a sign-in is right, by Dovecot's protocol, and says where.
func signIns(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.WriteString(c, "VERSION\t1\t1\nMECH\tPLAIN\tplaintext\nMECH\tXOAUTH2\nSPID\t1\nCUID\t1\n"+
					"COOKIE\t00112233445566778899aabbccddeeff\nDONE\n")
				lines(bufio.NewScanner(c), func(line string) {
					if part := strings.Split(line, "\t"); part[0] == "AUTH" && len(part) > 3 {
						_, _ = io.WriteString(c, verdict(part))
					}
				})
			}()
		}
	}()
	return l.Addr().String()
}

// verdict is the answer to a request of Dovecot's protocol: AUTH, its number, the mechanism and parameters.
func verdict(part []string) string {
	for _, parameter := range part[3:] {
		response, is := strings.CutPrefix(parameter, "resp=")
		if !is {
			continue
		}
		said, err := base64.StdEncoding.DecodeString(response)
		if err == nil && (string(said) == "\x00access\x00right" ||
			string(said) == "user=access\x01auth=Bearer "+token+"\x01\x01") {
			return "OK\t" + part[1] + "\tuser=access\n"
		}
	}
	return "FAIL\t" + part[1] + "\tuser=access\n"
}

// throughPostfix delivers the notifications of a small tenant to mailboxes, and shows what Postfix refuses.
func throughPostfix(t *testing.T, h *harness.House, all certificates, tokenURL string) {
	t.Parallel()
	p := startPostfix(t, all.good)
	for name, tt := range map[string]struct {
		port   int
		people string
		fields map[string]any
	}{
		"starttls": {p.starttls, "p", map[string]any{"security": "starttls", "auth": "plain"}},
		"tls": {p.tls, "q", map[string]any{
			"security": "tls", "auth": "xoauth2", "token_url": tokenURL, "client_id": "access",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			o := open(t, h, "postfix-"+name)
			maps.Copy(tt.fields, map[string]any{"username": "access", "ca": all.ca})
			o.sends(tt.port, "wrong", tt.fields)
			var people []person
			for i := range few {
				people = append(people, person{name: "Ann", address: fmt.Sprintf("%s%d@%s", tt.people, i, domain)})
			}
			for _, other := range []string{"full@" + domain, "later@" + domain, "nobody@" + domain, "ann@elsewhere.test"} {
				people = append(people, person{name: "Bob", address: other})
			}
			o.ask(o.people(people...), plain)
			o.await(len(people), "deferred", "server_sign_in")
			o.sends(tt.port, "right", tt.fields)
			o.hurry()
			o.settles(fmt.Sprintf("map[bounced address_rejected:1 deferred mailbox_full:1 deferred try_later:1 "+
				"failed not_permitted:1 sent:%d]", few))
			o.inMailboxes(p, tt.people)
			rejected := o.log("&marked=true")
			if len(rejected) != 1 || rejected[0].Address != "nobody@"+domain || rejected[0].ReplyCode != 550 {
				t.Errorf("rejected addresses: %+v", rejected)
			}
		})
	}
}

// settles waits until the delivery log has these entries, by state and reason.
func (o *office) settles(want string) {
	o.t.Helper()
	saw := ""
	harness.Eventually(o.t, "the delivery log has "+want, func() bool { saw = o.sum(); return saw == want }, &saw)
}

// inMailboxes holds the mailboxes against the delivery log: each has the one message that counts as sent.
func (o *office) inMailboxes(p *postfix, people string) {
	o.t.Helper()
	for _, d := range o.log("&state=sent") {
		name, _, _ := strings.Cut(d.Address, "@")
		if !strings.HasPrefix(name, people) {
			o.t.Errorf("a message was sent to %s", d.Address)
		}
		var got []*netmail.Message
		harness.Eventually(o.t, "the message is in the mailbox", func() bool {
			got = p.mailbox(o.t, name)
			return len(got) > 0
		}, nil)
		if len(got) != 1 {
			o.t.Errorf("the mailbox of %s has %d messages", d.Address, len(got))
		}
		h := got[0].Header
		if want := fmt.Sprintf("<%s@%s.example>", d.ID, o.slug); h.Get("Message-Id") != want ||
			h.Get("Delivered-To") != d.Address || h.Get("Subject") != d.Subject {
			o.t.Errorf("the message to %s has the headers %v", d.Address, h)
		}
	}
}

// postfixUser makes a directory that of the user of Postfix.
func postfixUser(t *testing.T, dir string) {
	t.Helper()
	who, err := user.Lookup("postfix")
	must(t, err)
	id, err := strconv.Atoi(who.Uid)
	must(t, err)
	must(t, os.Chown(dir, id, -1))
}

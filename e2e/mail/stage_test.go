package mail

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// office is a tenant that sends its notifications by a mail server of its own.
type office struct {
	*harness.House
	t     *testing.T
	slug  string
	admin *api.Client
}

// settings is where the settings of notifications are.
const settings = "/settings/notifications"

func open(t *testing.T, h *harness.House, slug string) *office {
	t.Helper()
	part := h.For(t)
	return &office{House: part, t: t, slug: slug, admin: part.Tenant(slug)}
}

// sends sets the mail server of the tenant. more are further fields of it, and secret may be empty.
func (o *office) sends(port int, secret string, more map[string]any) {
	o.t.Helper()
	server := map[string]any{"use": "own", "host": "127.0.0.1", "port": port, "security": "none", "auth": "none"}
	maps.Copy(server, more)
	body := map[string]any{
		"server": server, "sender": map[string]any{"address": "access@" + o.slug + ".example", "name": "Access"},
	}
	if secret != "" {
		body["secret"] = secret
	}
	o.Expect("200", o.admin, "PATCH", settings, body)
}

// person is somebody with an address.
type person struct{ id, name, address string }

// people makes people, each with an address.
func (o *office) people(all ...person) []person {
	o.t.Helper()
	var ids, names, addresses []string
	for i := range all {
		all[i].id = uuid.NewString()
		ids, names, addresses = append(ids, all[i].id), append(names, all[i].name), append(addresses, all[i].address)
	}
	o.In(o.slug, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `insert into identity (tenant_id, id, external_id, display_name, email)
			select current_tenant(), u.id::uuid, u.id, u.name, u.address
			  from unnest($1::text[], $2::text[], $3::text[]) u (id, name, address)`, ids, names, addresses)
		return err
	})
	return all
}

// crowd makes n people with plain names.
func (o *office) crowd(n int) []person {
	o.t.Helper()
	var all []person
	for i := range n {
		all = append(all, person{name: fmt.Sprintf("Person %d", i), address: fmt.Sprintf("p%d@%s.test", i, o.slug)})
	}
	return o.people(all...)
}

// words are the texts of a decision task.
type words struct{ title, summary string }

// ask makes a decision task for each person.
func (o *office) ask(all []person, of func(i int) words) {
	o.t.Helper()
	var people, tasks, titles, summaries []string
	for i, p := range all {
		w := of(i)
		people, tasks = append(people, p.id), append(tasks, uuid.NewString())
		titles, summaries = append(titles, w.title), append(summaries, w.summary)
	}
	o.In(o.slug, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `insert into decision_task (tenant_id, id, kind, key, subject, source, title, summary)
			select current_tenant(), u.id::uuid, 'access_approval', u.id, '{}', '{}', u.title, u.summary
			  from unnest($1::text[], $2::text[], $3::text[]) u (id, title, summary)`, tasks, titles, summaries)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into decision_assignee (tenant_id, task_id, identity_id)
			select current_tenant(), u.task::uuid, u.person::uuid
			  from unnest($1::text[], $2::text[]) u (task, person)`, tasks, people)
		return err
	})
}

// plain are texts without a trap.
func plain(i int) words { return words{title: fmt.Sprintf("Task %d", i), summary: "Please decide."} }

// delivery is an entry of the delivery log.
type delivery struct {
	ID, Kind, Address, Subject, State, Reason, Reply string

	Attempts  int
	ReplyCode int `json:"reply_code"`
}

// log is the delivery log.
func (o *office) log(query string) []delivery {
	o.t.Helper()
	return harness.Read[api.Page[delivery]](o.House, o.Expect("200", o.admin, "GET",
		settings+"/deliveries?limit=200"+query, nil)).Items
}

// sum counts the entries of the delivery log by state and reason.
func (o *office) sum() string {
	o.t.Helper()
	counts := map[string]int{}
	for _, d := range o.log("") {
		counts[strings.TrimSpace(d.State+" "+d.Reason)]++
	}
	return fmt.Sprint(counts)
}

// await waits until the delivery log has so many entries of a state and a reason, and no others.
func (o *office) await(n int, state, reason string) {
	o.t.Helper()
	want := fmt.Sprint(map[string]int{strings.TrimSpace(state + " " + reason): n})
	saw := ""
	harness.Eventually(o.t, "the delivery log has "+want, func() bool { saw = o.sum(); return saw == want }, &saw)
}

// hurry lets the times pass that messages wait after a failure.
func (o *office) hurry() {
	o.t.Helper()
	o.In(o.slug, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `update mail_message set due_at = least(due_at, now())
			where tenant_id = current_tenant()`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `update notification_settings set paused_until = null
			where tenant_id = current_tenant()`)
		return err
	})
}

// trouble is the error of the mail server that the settings show.
func (o *office) trouble() string {
	o.t.Helper()
	s := harness.Read[struct {
		State struct {
			LastError *string `json:"last_error"`
		} `json:"state"`
	}](o.House, o.Expect("200", o.admin, "GET", settings, nil))
	if s.State.LastError == nil {
		return ""
	}
	return *s.State.LastError
}

// Certificates of the servers: a good one, and broken ones.
type certificates struct {
	ca                      string // PEM
	good, elsewhere, lapsed files
}

// files are those of a certificate and its key.
type files struct{ cert, key string }

func certify(t *testing.T) certificates {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o755)) //nolint:gosec // servers read it as other users
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Authority of the mail servers"},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	rootKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	der, err := x509.CreateCertificate(rand.Reader, root, root, &rootKey.PublicKey, rootKey)
	must(t, err)
	issue := func(name string, serial int64, change func(*x509.Certificate)) files {
		c := &x509.Certificate{
			SerialNumber: big.NewInt(serial), NotBefore: root.NotBefore, NotAfter: root.NotAfter,
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		}
		change(c)
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(t, err)
		cert, err := x509.CreateCertificate(rand.Reader, c, root, &key.PublicKey, rootKey)
		must(t, err)
		raw, err := x509.MarshalPKCS8PrivateKey(key)
		must(t, err)
		f := files{filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key")}
		must(t, os.WriteFile(f.cert, pemOf("CERTIFICATE", cert), 0o600))
		must(t, os.WriteFile(f.key, pemOf("PRIVATE KEY", raw), 0o600))
		return f
	}
	return certificates{
		ca:   string(pemOf("CERTIFICATE", der)),
		good: issue("good", 2, func(*x509.Certificate) {}),
		elsewhere: issue("elsewhere", 3, func(c *x509.Certificate) {
			c.IPAddresses, c.DNSNames = nil, []string{"mail.elsewhere.example"}
		}),
		lapsed: issue("lapsed", 4, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Hour) }),
	}
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// tally counts what a server accepted, by Message-ID.
type tally struct {
	mu   sync.Mutex
	seen map[string]int
}

func (a *tally) add(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen == nil {
		a.seen = map[string]int{}
	}
	a.seen[id]++
}

// times are how many messages were accepted so many times.
func (a *tally) times() map[int]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := map[int]int{}
	for _, n := range a.seen {
		out[n]++
	}
	return out
}

// lines calls a function with every line of a reader until it ends.
func lines(r *bufio.Scanner, each func(string)) {
	for r.Scan() {
		each(r.Text())
	}
}

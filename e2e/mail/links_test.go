package mail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/net/html"

	"github.com/grantwright/grantwright/e2e/harness"
)

// events are statements that something is told of, each after the one before. $1 is an identity.
var events = []string{
	`insert into connector (tenant_id, id, business_id, name, type)
		values (current_tenant(), $1::uuid, 'payroll', 'Payroll', 'ldap')`,
	`insert into provisioning_task (tenant_id, id, connector_id, operation, created_from, idempotency_key, identity_id)
		values (current_tenant(), $1::uuid, $1::uuid, 'create_account', 'request', gen_random_uuid(), $1::uuid)`,
	`update provisioning_task set state = 'failed', error = '{"message": "The name is taken."}' where id = $1::uuid`,
	`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size)
		values (current_tenant(), $1::uuid, $1::uuid, 'ldap', false, 500)`,
	`update sync_run set status = 'held' where id = $1::uuid`,
	`update decision_task set reminded_at = now() where tenant_id = current_tenant() and $1::uuid is not null`,
}

// clocks are tables that processes write by themselves from time to time.
var clocks = []string{"provisioning_round", "rate_process"}

// links fetches every link of the mails of a tenant as scanners and curious people do. Nothing changes, and the links
// work for their people afterwards.
func links(t *testing.T) {
	s := openSink(t)
	h := harness.Open(t)
	o := open(t, h, "links")
	o.sends(s.port, "", nil)
	who := o.people(person{name: "Rita Reader", address: "rita@links.test"})[0]
	rita := o.Member(o.admin, who.address, who.id)
	o.Expect("201", o.admin, "POST", "/settings/users", map[string]any{
		"email": "newcomer@links.test", "display_name": "Nora Newcomer", "roles": []string{"auditor"},
	})
	o.ask([]person{who}, plain)
	o.told()
	o.In(o.slug, func(ctx context.Context, tx pgx.Tx) error {
		for _, sql := range events {
			if _, err := tx.Exec(ctx, sql, who.id); err != nil {
				return fmt.Errorf("%w in %s", err, sql)
			}
		}
		return nil
	})
	told := o.told()
	if len(told) < 4 {
		t.Errorf("only these kinds were sent: %v", told)
	}
	found := linksOf(t, s.all())
	if len(found) < 5 {
		t.Errorf("the mails have the links %v only", found)
	}
	before := o.calm()
	for _, link := range found {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			for _, token := range []string{"", rita.Token(), o.admin.Token()} {
				visited(t, method, link, token)
			}
		}
	}
	for table, sum := range o.calm() {
		if before[table] != sum && !slices.Contains(clocks, table) {
			t.Errorf("the table %s has changed", table)
		}
	}
	t.Logf("%v: %d links were fetched by GET and HEAD, with and without a session", told, len(found))
	o.clicks(found, rita)
}

// told waits until everything is sent, and answers the kinds of messages.
func (o *office) told() []string {
	o.t.Helper()
	left := -1
	saw := ""
	harness.Eventually(o.t, "everything is sent", func() bool {
		o.In(o.slug, func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, `select (select count(*) from notification where state = 'pending')
				+ (select count(*) from mail_message where ended_at is null)
				+ (select count(*) from work_item where kind = 'notifications')`).Scan(&left)
		})
		saw = fmt.Sprintf("%d left; %s", left, o.sum())
		return left == 0 && len(o.log("&state=sent")) > 0
	}, &saw)
	kinds := map[string]bool{}
	for _, d := range o.log("&state=sent") {
		kinds[d.Kind] = true
	}
	return slices.Sorted(maps.Keys(kinds))
}

// linksOf are the links of messages, in their text or their HTML.
func linksOf(t *testing.T, all []letter) []string {
	t.Helper()
	found := map[string]bool{}
	for _, l := range all {
		f, err := read(l.raw)
		must(t, err)
		for word := range strings.FieldsSeq(f.Text) {
			if strings.HasPrefix(word, "http") {
				found[word] = true
			}
		}
		for z := html.NewTokenizer(strings.NewReader(f.HTML)); z.Next() != html.ErrorToken; {
			for _, a := range z.Token().Attr {
				if a.Key == "href" {
					found[a.Val] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// visited fetches a link, with a token or without.
func visited(t *testing.T, method, link, token string) {
	t.Helper()
	r, err := http.NewRequestWithContext(harness.Context(t), method, link, nil)
	must(t, err)
	r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	_, err = io.Copy(io.Discard, answer.Body)
	must(t, errors.Join(err, answer.Body.Close()))
	if answer.StatusCode != http.StatusOK {
		t.Errorf("%s %s answers %d", method, link, answer.StatusCode)
	}
}

// calm waits until no table changes by itself any more, and answers a checksum of each.
func (o *office) calm() map[string]string {
	o.t.Helper()
	last, saw := o.sums(), ""
	harness.Eventually(o.t, "the tables do not change", func() bool {
		next := o.sums()
		saw = ""
		for table, sum := range next {
			if last[table] != sum && !slices.Contains(clocks, table) {
				saw += " " + table
			}
		}
		last = next
		return saw == ""
	}, &saw)
	return last
}

// sums are checksums of all tables.
func (o *office) sums() map[string]string {
	o.t.Helper()
	sums := map[string]string{}
	o.In(o.slug, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `select relname::text from pg_class
			where relkind = 'r' and relnamespace = 'public'::regnamespace`)
		if err != nil {
			return err
		}
		tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, table := range tables {
			var sum string
			sql := `select md5(coalesce(string_agg(md5(t::text), '' order by md5(t::text)), '')) from ` +
				pgx.Identifier{table}.Sanitize() + ` t`
			if err := tx.QueryRow(ctx, sql).Scan(&sum); err != nil {
				return err
			}
			sums[table] = sum
		}
		return nil
	})
	return sums
}

// clicks does what the people of the links do.
func (o *office) clicks(found []string, reader harness.Member) {
	o.t.Helper()
	invited, tasks := 0, 0
	for _, link := range found {
		u, err := url.Parse(link)
		must(o.t, err)
		if token := u.Query().Get("token"); token != "" {
			a := o.Ask(o.admin.As(""), "POST", "/auth/sign-in-link",
				map[string]any{"token": token, "password": "correct horse new"})
			if a.Status == http.StatusOK {
				invited++
			}
		}
		if id := u.Query().Get("task"); id != "" && strings.HasSuffix(u.Path, "/inbox") {
			if o.Ask(reader.Client, "GET", "/decision-tasks/"+id, nil).Status == http.StatusOK {
				tasks++
				continue
			}
			o.Expect("200", o.admin, "GET", "/decision-tasks/"+id, nil)
		}
	}
	if invited != 1 || tasks != 1 { // the link of the reader was used by the reader
		o.t.Errorf("%d invitations and %d tasks work; want one of each", invited, tasks)
	}
}

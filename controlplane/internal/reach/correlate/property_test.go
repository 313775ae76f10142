package correlate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching"
)

// TestAPreviewTellsWhatTheRunThenDoes holds for random people, accounts, rules and what was before.
func TestAPreviewTellsWhatTheRunThenDoes(t *testing.T) {
	w := open(t)
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		w.T = t
		w.Tenant = pgtest.Tenant(t, w.DB, fmt.Sprint("t", n))
		w.connector = w.newConnector(w.Tenant, "c")
		w.Let("admin", w.Tenant.Tenant, "", "admin")
		w.populate(r)
		w.run()
		if rapid.Bool().Draw(r, "keys change") {
			w.Exec(`update account set email = username || '@x', version = version + 1 where external_id < 'a5'`)
		}
		rules := someRules().Draw(r, "rules")
		seen := w.Must(
			200,
			"admin",
			"POST",
			"/accounts/correlation/preview",
			m{"connector_id": w.connector, "rules": rules},
		)
		before := w.owners()
		w.rules(m{"rules": rules})
		ran := w.Must(200, "admin", "POST", "/accounts/correlation/run", m{"connector_id": w.connector})
		if diff := cmp.Diff(ran.Body["counts"], seen.Body["counts"]); diff != "" {
			r.Fatalf("counts: -ran +previewed\n%s", diff)
		}
		if diff := cmp.Diff(difference(before, w.owners()), foretold(seen.Body)); diff != "" {
			r.Fatalf("-ran +previewed\n%s", diff)
		}
		if n := w.writes(func() { w.run() }); n != 0 {
			r.Fatalf(
				"another run wrote %d accounts: %v",
				n,
				w.Strings(
					`select correlation_state || coalesce(identity_id::text, '-') || correlation::text from account
						where updated_at = (select max(updated_at) from account)`,
				),
			)
		}
	})
}

// populate makes people and accounts whose values meet now and then.
func (w *world) populate(r *rapid.T) {
	value := rapid.SampledFrom([]any{nil, "ada", "adam", "bob", "eve", "ADA", "Ada L"})
	for i := range rapid.IntRange(0, 6).Draw(r, "people") {
		w.someone(
			fmt.Sprint("p", i),
			fields{
				"username":        value.Draw(r, "u"),
				"display_name":    fmt.Sprint(value.Draw(r, "d")),
				"employee_number": value.Draw(r, "n"),
				"status": rapid.SampledFrom([]string{"active", "active", "deactivated", "archived"}).
					Draw(r, "status"),
			},
		)
	}
	for i := range rapid.IntRange(1, 8).Draw(r, "accounts") {
		w.login(
			fmt.Sprint("a", i),
			fields{
				"username":        value.Draw(r, "u"),
				"display_name":    value.Draw(r, "d"),
				"employee_number": value.Draw(r, "n"),
				"privileged": rapid.Bool().
					Draw(r, "privileged"),
				"correlation_state": rapid.SampledFrom([]string{"uncorrelated", "uncorrelated", "disputed", "ignored"}).
					Draw(r, "state"),
			},
		)
	}
}

func someRules() *rapid.Generator[[]m] {
	return rapid.Custom(func(t *rapid.T) (rules []m) {
		field := rapid.SampledFrom([]string{"username", "display_name", "employee_number"})
		match := rapid.SampledFrom(
			[]string{"exact", "ci_exact", "normalized", "prefix_2", "trigram>=0.4", "levenshtein<=1"},
		)
		for i := range rapid.IntRange(0, 4).Draw(t, "rules") {
			one := rule(
				fmt.Sprint("r", i),
				field.Draw(t, "source"),
				field.Draw(t, "identity"),
				match.Draw(t, "match"),
				rapid.SampledFrom([]float64{0.3, 0.6, 0.9, 1}).Draw(t, "weight"),
			)
			if rapid.IntRange(0, 4).Draw(t, "veto") == 0 {
				delete(one, "weight")
				one["veto"] = true
			}
			rules = append(rules, one)
		}
		return append([]m{}, rules...)
	})
}

// owners are the owners of all accounts, or how they stand, with the candidates of those that are disputed.
func (w *world) owners() map[string]string {
	all := map[string]string{}
	for _, line := range w.Strings(`
		select a.id || ' ' || coalesce(a.identity_id::text, a.correlation_state) || ' ' || (
		           select coalesce(string_agg(c ->> 'identity_id', ' ' order by c ->> 'identity_id'), '')
		             from jsonb_array_elements(case
		                 when a.correlation_state = 'disputed' then a.correlation -> 'candidates' end) c)
		  from account a`) {
		all[line[:36]] = line[37:]
	}
	return all
}

// difference lists what became another: account and owner, or state. That nobody is a candidate any more is no
// difference here.
func difference(before, after map[string]string) (list []string) {
	for account, now := range after {
		if before[account] == now || (now == "uncorrelated " && strings.HasPrefix(before[account], "disputed")) {
			continue
		}
		now, _, _ = strings.Cut(now, " ")
		list = append(list, account+" "+now)
	}
	slices.Sort(list)
	return list
}

// foretold lists the same of a preview.
func foretold(body map[string]any) (list []string) {
	for kind, state := range map[string]string{"gains": "", "changed_owners": "", "losses": "uncorrelated",
		"disputed": "disputed"} {
		for _, s := range body[kind].([]any) {
			s := s.(map[string]any)
			now := state
			if to, ok := s["to"].(map[string]any); ok {
				now = to["id"].(string)
			}
			list = append(list, s["account"].(map[string]any)["id"].(string)+" "+now)
		}
	}
	slices.Sort(list)
	return list
}

// BenchmarkFiftyThousandAccounts finds the owners of 50,000 accounts among 50,000 people by the default rules, and
// looks again.
func BenchmarkFiftyThousandAccounts(b *testing.B) {
	const n = 50_000
	db := pgtest.New(b)
	for b.Loop() {
		b.StopTimer()
		v := pgtest.Tenant(b, db, fmt.Sprintf("t%d", b.N+int(b.Elapsed())))
		err := db.As(ctx, v, func(tx *pg.Tx) error {
			for _, sql := range []string{
				`insert into identity (tenant_id, id, external_id, email, employee_number,
					display_name) select current_tenant(), gen_random_uuid(), g, 'p' || g || '@example.com', 'E' || g,
					'Person ' || g from generate_series(1, $1) g`,
				`insert into account (tenant_id, id, connector_id, external_id, username, email, employee_number,
				     row_hash)
				 select current_tenant(), gen_random_uuid(), current_tenant(), g, 'p' || g, 'P' || g || '@example.com',
				     case when g % 2 = 0 then 'E' || g end, '' from generate_series(1, $1) g`,
			} {
				if _, err := tx.Exec(ctx, sql, n); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		for _, want := range []int64{n, 0} {
			err = db.AsBulk(ctx, v, func(tx *pg.Tx) error {
				linked, err := matching.Run(ctx, tx, v.Tenant)
				if linked != want {
					b.Errorf("%d accounts linked; want %d", linked, want)
				}
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
			b.Logf("%d linked after %v", want, b.Elapsed())
		}
	}
}

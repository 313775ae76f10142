package provision_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/planner"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestAJoinerGetsAnAccountAndThenTheirGroups(t *testing.T) {
	h := Open(t)
	ann, staff, mail := h.person("ann"), h.Entitlement(h.connector, "staff"), h.Entitlement(h.connector, "mail")
	h.give(ann, staff)
	h.give(ann, mail)
	h.plan()
	h.wants("create_account queued", "grant blocked", "grant blocked")
	if got := h.accountOf(ann) + " " + h.grantOf(ann, staff); got != "provisioning pending" {
		t.Errorf("before it is sent they are %s", got)
	}
	h.as(func(tx *pg.Tx) error {
		sum, err := planner.Plan(ctx, tx, []string{ann}, false)
		if sum != (planner.Planned{}) {
			t.Errorf("planning again makes %+v", sum)
		}
		return err
	})
	h.drain()
	h.wants("create_account done", "grant done", "grant done")
	if sent := h.target.order(); len(sent) != 3 || sent[0] != "account.create ann" {
		t.Errorf("sent %q; want the account first", sent)
	}
	if got := h.accountOf(ann) + " " + h.grantOf(
		ann,
		staff,
	) + " " + h.grantOf(
		ann,
		mail,
	); got != "active active active" {
		t.Errorf("afterwards they are %s", got)
	}
	if n := h.Count(
		`select count(*) from provisioning_task where verified = 'yes' and verified_by = 'readback' and attempts = 1`,
	); n != 3 {
		t.Errorf("%d were verified by reading back; want 3", n)
	}
	key := h.text(`select external_id from account where identity_id = $1`, ann)
	if a := h.target.accounts[key]; a == nil || len(a.groups) != 2 {
		t.Errorf("the account's key is %s, and the target has %+v", key, h.target.accounts)
	}
	if n := h.Count(`select count(*) from audit_event where action = 'provisioning.done'`); n != 3 {
		t.Errorf("%d ends were audited; want 3", n)
	}
}

func TestALeaverIsDisabledFirstAndLosesWhatWeGaveAndNothingElse(t *testing.T) {
	h := Open(t)
	ann, staff, native := h.person("ann"), h.Entitlement(h.connector, "staff"), h.Entitlement(h.connector, "native")
	account := h.account("ann", ann)
	h.Grant(h.connector, account, native)
	h.give(ann, staff)
	h.drain()
	h.target.forget()
	h.Exec(
		`update identity set status = 'deactivated', urgent = true,
			status_changed_at = clock_timestamp() where id = $1`,
		ann,
	)
	h.take(ann)
	h.plan()
	if lanes := h.Strings(
		`select operation || ' ' || lane from provisioning_task where state = 'queued' order by id`,
	); !slices.Equal(
		lanes,
		[]string{"disable urgent", "revoke urgent"},
	) {
		t.Errorf("planned %q", lanes)
	}
	h.drain()
	h.sent("account.disable ann", "entitlement.revoke ann staff")
	if got := h.accountOf(ann) + " " + h.grantOf(
		ann,
		staff,
	) + " " + h.grantOf(
		ann,
		native,
	); got != "disabled revoked active" {
		t.Errorf("afterwards they are %s; want the native grant to stay", got)
	}
}

func TestWhatIsLeftOfWhoHadGoneBeforeIsAskedAbout(t *testing.T) {
	h := Open(t)
	gone, late, ann := h.person("gone"), h.person("late"), h.person("ann")
	h.Exec(`update identity set status = 'deactivated' where id = $1`, gone) // so they came
	h.Exec(
		`update identity set status = 'deactivated', status_changed_at = created_at + interval '1 second',
			termination_date = '2001-01-01' where id = $1`,
		late,
	)
	h.Exec(`update identity set status = 'deactivated', status_changed_at = clock_timestamp() where id = $1`, ann)
	for name, who := range map[string]string{"gone": gone, "late": late, "ann": ann} {
		h.account(name, who) // they are found later
	}
	h.Exec(`insert into work_item (tenant_id, kind, subject) select tenant_id, 'provisioning', id from identity`)
	h.drain()
	h.sent()
}

func TestALeaversAccountIsDeletedWhenItsTimeHasCome(t *testing.T) {
	h := Open(t)
	ann := h.person("ann")
	h.account("ann", ann)
	h.Exec(`insert into lifecycle_policy (tenant_id, delete_after) values (current_tenant(), '30 days')`)
	h.Exec(`update identity set status = 'deactivated', status_changed_at = clock_timestamp() where id = $1`, ann)
	h.drain()
	h.sent("account.disable ann")
	keep := func() {
		t.Helper()
		if err := h.s.Keep(ctx); err != nil {
			t.Fatal(err)
		}
		h.drain()
	}
	keep()
	h.sent("account.disable ann")
	h.Exec(`update account set disabled_at = now() - interval '31 days'`)
	h.Exec(
		`update identity set status_changed_at = now() - interval '31 days', created_at = now() - interval '40 days'`,
	)
	h.Exec(`update account set created_at = now() - interval '40 days'`)
	keep()
	h.sent("account.disable ann", "account.delete ann")
	if got := h.accountOf(ann); got != "deleted" {
		t.Errorf("the account is %s", got)
	}
	keep()
	h.wants("disable done", "delete_account done")
}

func TestWhoReturnsFromLeaveGetsBackWhatWeTookAndNothingElse(t *testing.T) {
	h := Open(t)
	ann, bob, staff := h.person("ann"), h.person("bob"), h.Entitlement(h.connector, "staff")
	h.account("ann", ann)
	h.account("bob", bob)
	h.Exec(`update account set is_disabled = true, status = 'disabled' where identity_id = $1`, bob)
	h.give(ann, staff)
	h.drain()
	h.target.forget()
	h.Exec(`update identity set status = 'on_leave', status_changed_at = clock_timestamp()`)
	h.drain()
	h.sent("account.disable ann")
	if got := h.grantOf(ann, staff); got != "active" {
		t.Errorf("on leave the grant is %s", got)
	}
	h.Exec(`update identity set status = 'active', status_changed_at = clock_timestamp()`)
	h.drain()
	h.sent("account.disable ann", "account.enable ann")
	if got := h.accountOf(ann) + " " + h.accountOf(bob); got != "active disabled" {
		t.Errorf("back from leave they are %s; want what somebody else disabled to stay so", got)
	}
}

func TestLeaveKeepsAccessWhereTheTenantWantsItSo(t *testing.T) {
	h := Open(t)
	ann := h.person("ann")
	h.account("ann", ann)
	h.Exec(`insert into lifecycle_policy (tenant_id, leave_access) values (current_tenant(), 'keep')`)
	h.Exec(`update identity set status = 'on_leave', status_changed_at = clock_timestamp()`)
	h.drain()
	h.sent()
}

func TestWhatIsWantedAndThenNotIsGoneBeforeItWasSent(t *testing.T) {
	h := Open(t)
	ann, bob, staff := h.person("ann"), h.person("bob"), h.Entitlement(h.connector, "staff")
	h.account("bob", bob)
	h.give(ann, staff)
	h.give(bob, staff)
	h.plan()
	h.take(ann)
	h.take(bob)
	h.Exec(`update identity set status = 'deactivated', status_changed_at = clock_timestamp() where id = $1`, ann)
	h.drain()
	if got := h.tasks(); !slices.Equal(
		got,
		[]string{"create_account cancelled", "grant cancelled", "grant cancelled"},
	) {
		t.Errorf("tasks %q", got)
	}
	h.sent()
	if got := h.accountOf(ann) + " " + h.grantOf(
		ann,
		staff,
	) + " " + h.grantOf(
		bob,
		staff,
	); got != "deleted revoked revoked" {
		t.Errorf("they are %s", got)
	}
	h.give(bob, staff)
	h.plan()
	h.take(bob)
	h.give(bob, staff)
	h.drain()
	h.sent("entitlement.grant bob staff")
}

func TestARevokeIsTakenBackWhenTheReasonReturns(t *testing.T) {
	h := Open(t)
	bob, staff := h.person("bob"), h.Entitlement(h.connector, "staff")
	h.account("bob", bob)
	h.give(bob, staff)
	h.drain()
	h.target.forget()
	h.take(bob)
	h.plan()
	if got := h.grantOf(bob, staff); got != "revoking" {
		t.Errorf("the grant is %s", got)
	}
	h.give(bob, staff)
	h.drain()
	h.sent()
	if got := h.grantOf(bob, staff); got != "active" {
		t.Errorf("the grant is %s", got)
	}
}

func TestWhatComesBackByItselfIsNotTakenAwayAgain(t *testing.T) {
	h := Open(t)
	ann, staff := h.person("ann"), h.Entitlement(h.connector, "staff")
	h.account("ann", ann)
	h.give(ann, staff)
	h.drain()
	h.take(ann)
	h.drain()
	h.target.forget()
	h.Exec(`update access_grant set status = 'active', reappeared = true`) // as a reading does that sees it again
	h.as(func(tx *pg.Tx) error { return ledger.Touch(ctx, tx, false, ann) })
	h.drain()
	h.sent()
	if got := h.grantOf(ann, staff); got != "active" {
		t.Errorf("it is %s; want it to stay until somebody decides", got)
	}
	h.give(ann, staff) // somebody decides
	h.drain()
	if n := h.Count(`select count(*) from access_grant where reappeared`); n != 0 {
		t.Error("with a reason it still counts as come back by itself")
	}
	h.take(ann)
	h.drain()
	h.sent("entitlement.revoke ann staff")
}

func TestTheOppositeOfWhatIsBeingSentIsPlannedWhenItHasEnded(t *testing.T) {
	h := Open(t)
	bob, staff := h.person("bob"), h.Entitlement(h.connector, "staff")
	h.account("bob", bob)
	h.give(bob, staff)
	once := true
	h.target.after = func(v1.ProvisionRequest) {
		if once {
			once = false
			h.take(bob)
			h.plan()
		}
	}
	h.drain()
	h.sent("entitlement.grant bob staff", "entitlement.revoke bob staff")
	if got := h.grantOf(bob, staff); got != "revoked" {
		t.Errorf("the grant is %s", got)
	}
}

func TestAGrantIsEndingWhenItsEndIsNear(t *testing.T) {
	h := Open(t)
	bob, staff := h.person("bob"), h.Entitlement(h.connector, "staff")
	h.account("bob", bob)
	limited := func(end *time.Time) {
		t.Helper()
		r := ledger.Reason{
			IdentityID:    bob,
			ConnectorID:   h.connector,
			EntitlementID: &staff,
			Kind:          ledger.Request,
			SourceType:    "request",
			SourceID:      policy,
			EndsAt:        end,
		}
		h.as(func(tx *pg.Tx) error { _, err := ledger.Add(ctx, tx, []ledger.Reason{r}); return err })
		h.drain()
	}
	far, near := time.Now().AddDate(1, 0, 0), time.Now().AddDate(0, 0, 2)
	limited(&far)
	if got := h.grantOf(bob, staff); got != "active" {
		t.Errorf("a year before its end it is %s", got)
	}
	limited(&near)
	if got := h.grantOf(bob, staff); got != "ending" {
		t.Errorf("two days before its end it is %s", got)
	}
	limited(nil)
	if got := h.grantOf(bob, staff); got != "active" {
		t.Errorf("without an end it is %s", got)
	}
	limited(&near)
	h.Exec(`update access_reason set ends_at = now() - interval '1 second'`)
	if err := h.s.Keep(ctx); err != nil {
		t.Fatal(err)
	}
	h.drain()
	if got := h.grantOf(bob, staff); got != "revoked" {
		t.Errorf("after its end it is %s", got)
	}
}

func TestRulesLeaveAloneWhatIsProtectedOrNobodysOwn(t *testing.T) {
	for _, change := range []string{`managed = 'protected'`, `managed = 'unmanaged'`, `account_type = 'service'`,
		`account_type = 'privileged'`} {
		h := Open(t)
		ann, staff := h.person("ann"), h.Entitlement(h.connector, "staff")
		h.account("ann", ann)
		h.Exec(`update account set ` + change)
		h.Exec(`update identity set status = 'on_leave', status_changed_at = clock_timestamp()`)
		h.give(ann, staff)
		h.drain()
		if got := h.target.order(); slices.ContainsFunc(
			got,
			func(s string) bool { return strings.HasSuffix(s, "ann") && !strings.HasPrefix(s, "account.create") },
		) {
			t.Errorf("where %s, sent %q", change, got)
		}
	}
}

func TestTheMainAccountIsTheOldestOfAPersonsOwn(t *testing.T) {
	h := Open(t)
	ann, staff := h.person("ann"), h.Entitlement(h.connector, "staff")
	for _, name := range []string{"ann-missing", "ann-first", "ann-second", "ann-admin"} {
		h.account(name, ann)
		h.Exec(
			`update account set created_at = '2020-01-01'::timestamptz + make_interval(days => length(username))
				where username = $1`,
			name,
		)
	}
	h.Exec(`update account set status = 'missing' where username = 'ann-missing'`)
	h.Exec(`update account set account_type = 'privileged', created_at = '2000-01-01' where username = 'ann-admin'`)
	h.give(ann, staff)
	h.drain()
	h.sent("entitlement.grant ann-first staff")
}

func TestAThousandPeopleArePlannedInOnePass(t *testing.T) {
	h := Open(t)
	staff := h.Entitlement(h.connector, "staff")
	h.Exec(
		`insert into identity (tenant_id, id, external_id, username, display_name) select current_tenant(),
			gen_random_uuid(), 'p' || n, 'p' || n % 700, 'P ' || n from generate_series(1, 1500) n`,
	)
	h.Exec(
		`insert into access_reason (tenant_id, id, identity_id, connector_id, entitlement_id, kind, source_type,
		    source_id)
		select tenant_id, gen_random_uuid(), id, $1, $2, 'birthright', 'policy', $2 from identity`,
		h.connector,
		staff,
	)
	h.Exec(`insert into work_item (tenant_id, kind, subject) select tenant_id, 'provisioning', id from identity`)
	began := time.Now()
	h.plan()
	h.plan()
	t.Logf("1500 people in %s", time.Since(began))
	if n := h.Count(`select count(*) from provisioning_task where operation = 'create_account'`); n != 1500 {
		t.Errorf("%d accounts; want one for each", n)
	}
	if n := h.Count(`select count(distinct username_lc) from account`); n != 1500 {
		t.Errorf("%d names; want one for each", n)
	}
}

// A rule gives something to a person, and so to their main account; by hand it is given to that account itself. Both
// ask for the same.
func TestWhatIsAskedForAPersonAndForTheirAccountEndsWithTheLaterOfBoth(t *testing.T) {
	day := func(n int) *time.Time { at := time.Now().AddDate(0, 0, n).Truncate(time.Second); return &at }
	for _, tt := range []struct {
		name                        string
		person, account, want, then *time.Time
	}{
		{"the person's is later", day(60), day(30), day(60), day(60)},
		{"the account's is later", day(30), day(60), day(60), day(30)},
		{"the person's is for good", nil, day(30), nil, nil},
		{"the account's is for good", day(30), nil, nil, day(30)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := Open(t)
			ann, staff := h.person("ann"), h.Entitlement(h.connector, "staff")
			account := h.account("ann", ann)
			add := func(account *string, kind, from string, end *time.Time) {
				r := ledger.Reason{
					IdentityID:    ann,
					ConnectorID:   h.connector,
					EntitlementID: &staff,
					AccountID:     account,
					Kind:          kind,
					SourceType:    from,
					SourceID:      policy,
					EndsAt:        end,
				}
				h.as(func(tx *pg.Tx) error { _, err := ledger.Add(ctx, tx, []ledger.Reason{r}); return err })
			}
			ends := func() *time.Time {
				h.drain()
				var at *time.Time
				h.as(func(tx *pg.Tx) error { return tx.QueryRow(ctx, `select ends_at from access_grant`).Scan(&at) })
				return at
			}
			add(nil, ledger.Birthright, "policy", tt.person)
			add(&account, ledger.Manual, "user", tt.account)
			if got := ends(); !sameMoment(got, tt.want) {
				t.Errorf("it ends %v; want %v", got, tt.want)
			}
			if n := h.Count(
				`select jsonb_array_length(reason_refs) from provisioning_task where operation = 'grant'`,
			); n != 2 {
				t.Errorf("the task names %d reasons; want both", n)
			}
			h.as(func(tx *pg.Tx) error {
				_, err := ledger.End(
					ctx,
					tx,
					ledger.Which{IdentityIDs: []string{ann}, Kind: ledger.Manual},
					time.Time{},
					"over",
					false,
				)
				return err
			})
			if got := ends(); !sameMoment(got, tt.then) || h.grantOf(ann, staff) != "active" {
				t.Errorf(
					"without what was given by hand it ends %v and is %s; want %v",
					got,
					h.grantOf(ann, staff),
					tt.then,
				)
			}
		})
	}
}

func sameMoment(a, b *time.Time) bool { return a == b || a != nil && b != nil && a.Equal(*b) }

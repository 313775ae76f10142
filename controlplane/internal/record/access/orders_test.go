package access_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

const (
	grants = "/entitlements/grants"
	soon   = "2200-01-01T00:00:00Z"
	later  = "2201-01-01T00:00:00Z"
)

// pair is a person with an account, and an entitlement that it may hold.
type pair struct {
	*recordtest.House
	connector, person, account, entitlement string
}

func openPair(t *testing.T) pair {
	t.Helper()
	h := recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		say := func(condition []byte) string { return "everybody" }
		return (&access.Service{DB: db, Cursors: cursors, Now: time.Now, Say: say}).Routes()
	})
	p := pair{House: h, connector: uuid.NewString()}
	p.person = h.Person("ann", "")
	p.account, p.entitlement = h.Account(p.connector, "ann", p.person), h.Entitlement(p.connector, "staff")
	return p
}

// reason gives the person the entitlement by a rule, or as the change says.
func (p pair) reason(change func(*ledger.Reason)) string {
	p.T.Helper()
	r := ledger.Reason{
		ID:            uuid.Must(uuid.NewV7()).String(),
		IdentityID:    p.person,
		ConnectorID:   p.connector,
		EntitlementID: &p.entitlement,
		Kind:          ledger.Birthright,
		SourceType:    "policy",
		SourceID:      p.policy("Staff of the bank"),
	}
	if change != nil {
		change(&r)
	}
	ctx := context.Background()
	err := p.DB.As(
		ctx,
		p.Tenant,
		func(tx *pg.Tx) error { _, err := ledger.Add(ctx, tx, []ledger.Reason{r}); return err },
	)
	if err != nil {
		p.T.Fatal(err)
	}
	return r.ID
}

func (p pair) policy(name string) string {
	p.T.Helper()
	id := uuid.NewString()
	p.Exec(`insert into access_policy (tenant_id, id, name, subject) values (current_tenant(), $1, $2, '{}')`, id, name)
	return id
}

func (p pair) desired() int {
	p.T.Helper()
	ctx, n := context.Background(), 0
	err := p.DB.As(ctx, p.Tenant, func(tx *pg.Tx) error {
		wants, err := ledger.Desired(ctx, tx, []string{p.person})
		n = len(wants)
		return err
	})
	if err != nil {
		p.T.Fatal(err)
	}
	return n
}

func (p pair) turns() int {
	p.T.Helper()
	return p.Count(
		`with taken as (delete from work_item where kind = 'provisioning'
			returning subject) select count(distinct subject) from taken`,
	)
}

func reasonsOf(body map[string]any) (kinds []string) {
	list, _ := body["reasons"].([]any)
	for _, r := range list {
		kinds = append(kinds, r.(map[string]any)["kind"].(string)+" "+r.(map[string]any)["state"].(string))
	}
	return kinds
}

func TestGrantSaysWhatItStandsOn(t *testing.T) {
	p := openPair(t)
	grant := p.Grant(p.connector, p.account, p.entitlement)
	expect := func(story string, status any, desired bool, reasons ...string) map[string]any {
		t.Helper()
		body := p.Must(200, "admin", "GET", grants+"/"+grant, nil).Body
		if body["compliance_status"] != status || body["desired"] != desired ||
			!slices.Equal(reasonsOf(body), reasons) {
			t.Errorf(
				"%s: %v, desired %v, %v; want %v, %v, %v",
				story,
				body["compliance_status"],
				body["desired"],
				reasonsOf(body),
				status,
				desired,
				reasons,
			)
		}
		for _, filter := range []string{"", "&compliance_status=" + fmt.Sprint(status)} {
			if status == nil && filter != "" {
				continue
			}
			items := p.Must(200, "admin", "GET", grants+"?status=active,pending,revoked&limit=10"+filter, nil)
			if len(items.Items()) != 1 || items.Items()[0]["compliance_status"] != status ||
				items.Body["total"] != 1.0 {
				t.Errorf("%s: the list with %q has %v", story, filter, items.Body)
			}
		}
		return body
	}
	expect("nobody gave it", "native", false, "native active")
	rule := p.reason(nil)
	expect("a rule gives it", "implied", true, "birthright active")
	asked := p.reason(func(r *ledger.Reason) {
		r.Kind, r.SourceType, r.Details = ledger.Request, "access_request", map[string]any{
			"request_id":         r.SourceID,
			"approved_by":        []map[string]any{{"id": "x", "display": "Bea"}},
			"external_reference": "T-1",
		}
	})
	body := expect("somebody approved it as well", "approved", true, "birthright active", "request active")
	request := body["reasons"].([]any)[1].(map[string]any)
	if request["external_reference"] != "T-1" || fmt.Sprint(request["approved_by"]) != "[map[display:Bea id:x]]" ||
		request["request_id"] == nil {
		t.Errorf("the request's reason is %v", request)
	}
	source := body["reasons"].([]any)[0].(map[string]any)["source"].(map[string]any)
	if source["display"] != "Staff of the bank" {
		t.Errorf("the rule's source is %v", source)
	}
	p.end(rule)
	expect("the rule no longer does", "approved", true, "request active", "birthright ended")
	p.end(asked)
	expect("nobody asks for it any more", "ending", false, "birthright ended", "request ended")
	p.Exec(`update access_grant set status = 'revoking' where id = $1`, grant)
	p.Exec(`update access_grant set status = 'revoked', revoked_at = now() where id = $1`, grant)
	body = expect("it is gone", nil, false, "birthright ended", "request ended")
	if body["suppress_reimport_until"] == nil || body["revoked_at"] == nil {
		t.Errorf("after our revocation: %v, %v", body["suppress_reimport_until"], body["revoked_at"])
	}
	p.Exec(`update access_grant set status = 'active', revoked_at = null, reappeared = true where id = $1`, grant)
	expect("it came back", "native", false, "birthright ended", "request ended", "native active")
	p.Exec(`update identity set status = 'deactivated' where id = $1`, p.person)
	expect("its owner has left", "orphaned", false, "birthright ended", "request ended", "native active")
}

func (p pair) end(reason string) {
	p.T.Helper()
	ctx := context.Background()
	err := p.DB.As(ctx, p.Tenant, func(tx *pg.Tx) error {
		_, err := ledger.End(ctx, tx, ledger.Which{ReasonIDs: []string{reason}}, time.Time{}, "it is over", false)
		return err
	})
	if err != nil {
		p.T.Fatal(err)
	}
}

func TestGrantsAreFoundByReasonAndEnd(t *testing.T) {
	p := openPair(t)
	p.Grant(p.connector, p.account, p.entitlement)
	p.reason(func(r *ledger.Reason) { at, _ := time.Parse(time.RFC3339, soon); r.EndsAt = &at })
	other := p.Entitlement(p.connector, "books")
	p.Grant(p.connector, p.account, other)
	for query, want := range map[string]float64{
		"reason_kind=birthright": 1, "reason_kind=native": 1, "reason_kind=native,birthright": 2,
		"reason_kind=request":  0,
		"ends_before=" + later: 1, "ends_before=" + soon: 0, "compliance_status=implied,native": 2,
		"compliance_status=implied&reason_kind=native": 0,
	} {
		if got := p.Must(200, "admin", "GET", grants+"?"+query, nil).Body["total"]; got != want {
			t.Errorf("?%s finds %v; want %v", query, got, want)
		}
	}
	shown := p.Must(200, "admin", "GET", grants+"?reason_kind=birthright", nil).Items()[0]
	if shown["ends_at"] != soon {
		t.Errorf("it ends at %v; want %s, with its last reason", shown["ends_at"], soon)
	}
}

func TestReasonWithoutAccountIsForTheMainOne(t *testing.T) {
	p := openPair(t)
	second := p.Account(p.connector, "ann2", p.person)
	main, other := p.Grant(p.connector, p.account, p.entitlement), p.Grant(p.connector, second, p.entitlement)
	p.reason(nil)
	status := func(grant string) any {
		return p.Must(200, "admin", "GET", grants+"/"+grant, nil).Body["compliance_status"]
	}
	if a, b := status(main), status(other); a != "implied" || b != "native" {
		t.Errorf("main account %v, other %v; want implied and native", a, b)
	}
	p.Exec(`update account set account_type = 'person' where id = $1`, second)
	if a, b := status(main), status(other); a != "native" || b != "implied" {
		t.Errorf("when the other is known to be a person's: %v and %v; want native and implied", a, b)
	}
}

func TestAdministratorGivesDirectly(t *testing.T) {
	p := openPair(t)
	given := p.Must(
		202,
		"admin",
		"POST",
		grants,
		map[string]any{
			"identity_id":    p.person,
			"entitlement_id": p.entitlement,
			"ends_at":        soon,
			"justification":  "covers for Bob",
		},
	)
	reason := given.Body["reason"].(map[string]any)
	if reason["kind"] != "manual" || reason["until"] != soon || reason["note"] != "covers for Bob" ||
		reason["state"] != "active" {
		t.Errorf("the reason is %v", reason)
	}
	if p.desired() != 1 || p.turns() != 1 {
		t.Error("the person's access is not looked at")
	}
	p.Must(
		202,
		"admin",
		"POST",
		grants,
		map[string]any{
			"identity_id":    p.person,
			"entitlement_id": p.entitlement,
			"ends_at":        later,
			"justification":  "for longer",
		},
	)
	if n := p.Count(`select count(*) from access_reason`); n != 1 {
		t.Errorf("%d reasons; want the one, renewed", n)
	}
	second := p.Account(p.connector, "ann2", p.person)
	p.Must(
		202,
		"admin",
		"POST",
		grants,
		map[string]any{
			"account_id":     second,
			"entitlement_id": p.entitlement,
			"justification":  "test account",
			"starts_at":      soon,
		},
	)
	if n := p.Count(
		`select count(*) from access_reason where account_id = $1 and state = 'scheduled'`,
		second,
	); n != 1 {
		t.Errorf("%d reasons that begin later for the second account; want 1", n)
	}
	if n := p.Count(`select count(*) from audit_event where action = 'grant.ordered'`); n != 3 {
		t.Errorf("%d entries in the log; want 3", n)
	}
}

// TestAnOrderThatIsTriedAgainBeginsWithWhatWasAsked has PostgreSQL refuse the first attempt as a deadlock. The order
// names an account; whose it is was filled in by the first attempt, and must not count as given in the second.
func TestAnOrderThatIsTriedAgainBeginsWithWhatWasAsked(t *testing.T) {
	p := openPair(t)
	t.Cleanup(func() { p.Administer(`drop function deadlock_once cascade; drop sequence attempts`) })
	p.Administer(`
		create sequence attempts;
		grant usage on sequence attempts to public;
		create function deadlock_once() returns trigger language plpgsql as $$
		begin
		    if nextval('attempts') = 1 then
		        raise exception 'deadlock detected' using errcode = '40P01';
		    end if;
		    return null;
		end $$;
		create trigger deadlock_once after insert on access_reason for each row execute function deadlock_once()`)
	order := map[string]any{"account_id": p.account, "entitlement_id": p.entitlement, "justification": "because"}
	p.Must(202, "admin", "POST", grants, order)
	if n := p.Count(`select count(*) from access_reason where identity_id = $1`, p.person); n != 1 {
		t.Errorf("%d reasons; want 1", n)
	}
	if n := p.Count(`select nextval('attempts')`); n != 3 {
		t.Errorf("%d attempts; want 2", n-1)
	}
}

func TestOrderThatCannotBeIsExplained(t *testing.T) {
	p := openPair(t)
	order := func(change map[string]any) map[string]any {
		o := map[string]any{"identity_id": p.person, "entitlement_id": p.entitlement, "justification": "because"}
		for k, v := range change {
			o[k] = v
			if v == nil {
				delete(o, k)
			}
		}
		return o
	}
	nobodys, elsewhere := p.Account(p.connector, "machine", ""), p.Account(uuid.NewString(), "ann", p.person)
	gone := p.Person("ben", "")
	p.Exec(`update identity set status = 'deactivated' where id = $1`, gone)
	retired, fixed := p.Entitlement(p.connector, "old"), p.Entitlement(p.connector, "fixed")
	p.Exec(`update entitlement set lifecycle = 'retired' where id = $1`, retired)
	p.Exec(`update entitlement set grantable = false where id = $1`, fixed)
	for _, c := range []struct {
		story  string
		change map[string]any
		status int
		code   string
	}{
		{"an end that has passed", map[string]any{"ends_at": "2001-01-01T00:00:00Z"}, 422, "validation_failed"},
		{"an end before the start", map[string]any{"ends_at": soon, "starts_at": later}, 422, "validation_failed"},
		{"no word why", map[string]any{"justification": "  "}, 422, "validation_failed"},
		{"nobody", map[string]any{"identity_id": nil}, 422, "validation_failed"},
		{"both", map[string]any{"account_id": p.account}, 422, "validation_failed"},
		{"somebody unknown", map[string]any{"identity_id": uuid.NewString()}, 422, "validation_failed"},
		{"something unknown", map[string]any{"entitlement_id": uuid.NewString()}, 422, "validation_failed"},
		{"an account of another system", map[string]any{"identity_id": nil, "account_id": elsewhere}, 422,
			"validation_failed"},
		{"an account of nobody", map[string]any{"identity_id": nil, "account_id": nobodys}, 409,
			"account_without_owner"},
		{"somebody who has left", map[string]any{"identity_id": gone}, 409, "identity_inactive"},
		{"what is retired", map[string]any{"entitlement_id": retired}, 409, "not_grantable"},
		{"what cannot be granted", map[string]any{"entitlement_id": fixed}, 409, "not_grantable"},
	} {
		t.Run(c.story, func(t *testing.T) { p.Refused(c.status, c.code, "admin", "POST", grants, order(c.change)) })
	}
	p.reason(func(r *ledger.Reason) { r.Effect, r.Kind = ledger.Deny, ledger.Policy })
	denied := p.Refused(409, "access_denied", "admin", "POST", grants, order(nil))
	if detail := denied.Text("detail"); !strings.Contains(detail, "Staff of the bank") {
		t.Errorf("told %q; want the rule's name", detail)
	}
	if n := p.Count(
		`select count(*) from access_reason where effect = 'allow'`,
	) + p.Count(
		`select count(*) from audit_event where action = 'grant.ordered'`,
	); n != 0 {
		t.Errorf("refused orders left %d rows", n)
	}
}

func TestDirectAccessLastsNoLongerThanItsEntitlementAllows(t *testing.T) {
	p := openPair(t)
	p.Exec(
		`update entitlement set max_duration = 'P30D', default_duration = 'P7D', extension_max = 'P3D' where id = $1`,
		p.entitlement,
	)
	in := func(days int) time.Time { return time.Now().AddDate(0, 0, days).Truncate(time.Second) }
	order := func(starts, ends *time.Time) map[string]any {
		return map[string]any{
			"identity_id":    p.person,
			"entitlement_id": p.entitlement,
			"justification":  "because",
			"starts_at":      starts,
			"ends_at":        ends,
		}
	}
	at := func(t time.Time) *time.Time { return &t }
	refused := p.Refused(422, "validation_failed", "admin", "POST", grants, order(nil, at(in(31))))
	if field := refused.Body["errors"].([]any)[0].(map[string]any); field["pointer"] != "#/ends_at" ||
		!strings.Contains(field["detail"].(string), "P30D") {
		t.Errorf("refused with %v; want the limit at ends_at", field)
	}
	p.Refused(422, "validation_failed", "admin", "POST", grants, order(at(in(10)), at(in(41))))
	p.Must(202, "admin", "POST", grants, order(at(in(10)), at(in(39))))
	for _, days := range []int{7, 30} {
		given := p.Must(202, "admin", "POST", grants, order(nil, nil)).Body["reason"].(map[string]any)
		until, _ := given["until"].(string)
		if end, err := time.Parse(time.RFC3339, until); err != nil || end.Sub(in(days)).Abs() > time.Hour {
			t.Errorf("without an end it lasts until %q; want %d days", until, days)
		}
		p.Exec(`update entitlement set default_duration = null where id = $1`, p.entitlement)
	}
	grant := p.Grant(p.connector, p.account, p.entitlement)
	p.Refused(422, "validation_failed", "admin", "POST", grants+"/"+grant+"/extend", map[string]any{"ends_at": in(34)})
	p.Must(200, "admin", "POST", grants+"/"+grant+"/extend", map[string]any{"ends_at": in(32)})
}

func TestOneReasonEndsAndTheOthersKeepTheAccess(t *testing.T) {
	p := openPair(t)
	grant := p.Grant(p.connector, p.account, p.entitlement)
	revoke := grants + "/" + grant + "/revoke"
	rule := p.reason(nil)
	asked := p.reason(func(r *ledger.Reason) { r.Kind, r.SourceType = ledger.Request, "request" })
	p.turns()
	dry := p.Must(
		202,
		"admin",
		"POST",
		revoke+"?dry_run=true",
		map[string]any{"reason": "moved", "scope": "reason", "reason_id": asked},
	)
	if dry.Body["access_ends"] != false || p.turns() != 0 ||
		p.Count(`select count(*) from access_reason where state = 'ended'`) != 0 {
		t.Errorf("a dry run did something, or says %v", dry.Body)
	}
	p.Must(202, "admin", "POST", revoke, map[string]any{"reason": "moved", "scope": "reason", "reason_id": asked})
	if p.desired() != 1 {
		t.Error("the rule's reason ended as well")
	}
	again := p.Refused(
		409,
		"rule_gives_it_again",
		"admin",
		"POST",
		revoke,
		map[string]any{"reason": "moved", "scope": "reason", "reason_id": rule},
	)
	if would, _ := again.Body["would_return"].([]any); len(would) != 1 {
		t.Errorf("would_return is %v", again.Body["would_return"])
	}
	p.Refused(422, "validation_failed", "admin", "POST", revoke, map[string]any{"reason": "moved", "scope": "reason"})
	p.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		revoke,
		map[string]any{"reason": "moved", "scope": "reason", "reason_id": asked},
	)
}

func TestRevocationOfARuleStandsUntilItsDay(t *testing.T) {
	p := openPair(t)
	grant := p.Grant(p.connector, p.account, p.entitlement)
	revoke := grants + "/" + grant + "/revoke"
	p.reason(nil)
	p.Refused(409, "rule_gives_it_again", "admin", "POST", revoke, map[string]any{"reason": "abuse"})
	p.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		revoke,
		map[string]any{"reason": "abuse", "exclude_until": "2001-01-01T00:00:00Z"},
	)
	done := p.Must(202, "admin", "POST", revoke, map[string]any{"reason": "abuse", "exclude_until": soon})
	if done.Body["access_ends"] != true || done.Body["excluded_until"] != soon {
		t.Errorf("the impact is %v", done.Body)
	}
	p.reason(nil) // the rule at its next look
	if p.desired() != 0 {
		t.Error("the rule gave it again")
	}
	at, _ := time.Parse(time.RFC3339, soon)
	ctx := context.Background()
	if err := p.DB.As(
		ctx,
		p.Tenant,
		func(tx *pg.Tx) error { _, _, err := ledger.Settle(ctx, tx, at); return err },
	); err != nil {
		t.Fatal(err)
	}
	if p.desired() != 1 {
		t.Error("after its day the exclusion still stands")
	}
}

func TestNativeGrantIsRevokedByOrder(t *testing.T) {
	p := openPair(t)
	grant := p.Grant(p.connector, p.account, p.entitlement)
	done := p.Must(202, "admin", "POST", grants+"/"+grant+"/revoke", map[string]any{"reason": "nobody knows why"})
	if done.Body["native"] != true || done.Body["access_ends"] != true || p.turns() != 1 {
		t.Errorf("the impact is %v", done.Body)
	}
	body := p.Must(200, "admin", "GET", grants+"/"+grant, nil).Body
	if body["compliance_status"] != "ending" || !slices.Equal(reasonsOf(body), []string{"imported ended"}) {
		t.Errorf("it is %v by %v; want ending, with its history", body["compliance_status"], reasonsOf(body))
	}
	p.Refused(
		409,
		"invalid_transition",
		"admin",
		"POST",
		grants+"/"+grant+"/revoke",
		map[string]any{"reason": "once more"},
	)
}

func TestRevocationWithoutEffectIsRefused(t *testing.T) {
	p := openPair(t)
	fixed, bound, parent := p.Entitlement(
		p.connector,
		"fixed",
	), p.Entitlement(
		p.connector,
		"bound",
	), p.Entitlement(
		p.connector,
		"all",
	)
	p.Exec(`update entitlement set revocable = false where id = $1`, bound)
	immutable, unrevocable, direct := p.Grant(
		p.connector,
		p.account,
		fixed,
	), p.Grant(
		p.connector,
		p.account,
		bound,
	), p.Grant(
		p.connector,
		p.account,
		p.entitlement,
	)
	p.Exec(`update access_grant set immutable = true where id = $1`, immutable)
	p.Nest(p.connector, p.entitlement, parent)
	inherited := p.Grant(p.connector, p.account, parent)
	p.Exec(`update access_grant set directness = 'inherited' where id = $1`, inherited)
	nobodys := p.Grant(p.connector, p.Account(p.connector, "machine", ""), p.entitlement)
	revoke := func(id string) string { return grants + "/" + id + "/revoke" }
	why := map[string]any{"reason": "tidy"}
	p.Refused(409, "immutable_grant", "admin", "POST", revoke(immutable), why)
	p.Refused(409, "not_revocable", "admin", "POST", revoke(unrevocable), why)
	p.Refused(409, "account_without_owner", "admin", "POST", revoke(nobodys), why)
	told := p.Refused(409, "inherited_grant", "admin", "POST", revoke(inherited), why)
	if from, _ := told.Body["entitlement_ids"].([]any); len(from) != 1 || from[0] != p.entitlement {
		t.Errorf("told of %v; want %s, which brings it", told.Body["entitlement_ids"], p.entitlement)
	}
	if detail, _ := told.Body["detail"].(string); !strings.Contains(detail, `"staff"`) {
		t.Errorf("the refusal does not name what brings it: %s", detail)
	}
	explained := p.Must(200, "admin", "GET", grants+"/"+inherited+"/explain", nil).Body
	tells(t, explained, "staff → ", `It ends when the account no longer holds "staff"`)
	p.Exec(`update access_grant set status = 'revoked', revoked_at = now() where id = $1`, direct)
	gone := p.Refused(409, "invalid_transition", "admin", "POST", revoke(direct), why)
	if gone.Body["allowed"] == nil {
		t.Error("not told what is allowed")
	}
	p.Exec(`update access_grant set status = 'revoking' where id = $1`, direct)
	p.Refused(409, "invalid_transition", "admin", "POST", revoke(direct), why)
	p.Refused(404, "not_found", "admin", "POST", revoke(uuid.NewString()), why)
}

func TestDecisionIsExtendedAndARuleIsNot(t *testing.T) {
	p := openPair(t)
	grant := p.Grant(p.connector, p.account, p.entitlement)
	extend := grants + "/" + grant + "/extend"
	p.Refused(409, "invalid_transition", "admin", "POST", extend, map[string]any{"ends_at": later})
	at, _ := time.Parse(time.RFC3339, soon)
	rule := p.reason(func(r *ledger.Reason) { r.EndsAt = &at })
	p.Refused(409, "not_extendable", "admin", "POST", extend, map[string]any{"ends_at": later})
	p.end(rule)
	p.reason(func(r *ledger.Reason) { r.Kind, r.SourceType, r.EndsAt = ledger.Request, "request", &at })
	p.turns()
	p.Refused(422, "validation_failed", "admin", "POST", extend, map[string]any{"ends_at": "2100-01-01T00:00:00Z"})
	got := p.Must(200, "admin", "POST", extend, map[string]any{"ends_at": later})
	if got.Body["ends_at"] != later || p.turns() != 1 {
		t.Errorf("it ends at %v; want %s, and its holder looked at", got.Body["ends_at"], later)
	}
	p.reason(nil)
	p.Refused(409, "invalid_transition", "admin", "POST", extend, map[string]any{"ends_at": "2300-01-01T00:00:00Z"})
}

func TestAnExtensionAnswersWhatHolds(t *testing.T) {
	p := openPair(t)
	end := time.Now().Add(2 * 24 * time.Hour).UTC().Truncate(time.Second)
	far := end.Add(30 * 24 * time.Hour)
	p.reason(func(r *ledger.Reason) { r.Kind, r.SourceType, r.EndsAt = ledger.Manual, "user", &end })
	grant := p.Grant(p.connector, p.account, p.entitlement)
	// As provisioning leaves a grant that ends within the week.
	p.Exec(`update access_grant set wanted_at = now(), ends_at = $2, status = 'ending' where id = $1`, grant, end)
	stands := func(b map[string]any) string {
		return fmt.Sprint(b["ends_at"], " ", b["status"], " ", b["compliance_status"])
	}
	want := func(end time.Time, status, compliance string) string {
		return fmt.Sprint(end.Format(time.RFC3339), " ", status, " ", compliance)
	}
	short := end.Add(time.Hour)
	for _, step := range []struct {
		until              time.Time
		status, compliance string
	}{{short, "ending", "ending"}, {far, "active", "approved"}} {
		done := p.Must(200, "admin", "POST", grants+"/"+grant+"/extend", map[string]any{"ends_at": step.until})
		read := p.Must(200, "admin", "GET", grants+"/"+grant, nil)
		want := want(step.until, step.status, step.compliance)
		if stands(done.Body) != want || stands(read.Body) != want ||
			done.Header.Get("ETag") != read.Header.Get("ETag") {
			t.Errorf(
				"extended until %v it says %s, and %s when it is read; want %s",
				step.until,
				stands(done.Body),
				stands(read.Body),
				want,
			)
		}
	}
	other := end.Add(24 * time.Hour)
	p.Exec(`update access_grant set wanted_at = null, ends_at = $2 where id = $1`, grant, other)
	done := p.Must(200, "admin", "POST", grants+"/"+grant+"/extend", map[string]any{"ends_at": far.Add(time.Hour)})
	if done.Body["ends_at"] != other.Format(time.RFC3339) {
		t.Errorf("it says %v; want %v, when the target ends it", done.Body["ends_at"], other)
	}
}

func TestManyGrantsAreRevokedAtOnce(t *testing.T) {
	p := openPair(t)
	var ids []string
	for i := range 20 {
		ids = append(ids, p.Grant(p.connector, p.account, p.Entitlement(p.connector, fmt.Sprint("e", i))))
	}
	ruled := p.Grant(p.connector, p.account, p.entitlement)
	p.reason(nil)
	missing := uuid.NewString()
	ids = append(ids, ruled, missing, ids[0])
	dry := p.Must(
		200,
		"admin",
		"POST",
		grants+"/bulk-revoke?dry_run=true",
		map[string]any{"ids": ids, "reason": "tidy"},
	)
	if dry.Body["revoked"] != 20.0 || p.Count(`select count(*) from access_reason where state = 'ended'`) != 0 {
		t.Errorf("the dry run says %v, or wrote", dry.Body["revoked"])
	}
	done := p.Must(200, "admin", "POST", grants+"/bulk-revoke", map[string]any{"ids": ids, "reason": "tidy"})
	if done.Body["revoked"] != 20.0 || done.Body["refused"] != 2.0 {
		t.Errorf("%v revoked, %v refused; want 20 and 2", done.Body["revoked"], done.Body["refused"])
	}
	codes := map[any]any{}
	for _, r := range done.Body["results"].([]any) {
		result := r.(map[string]any)
		codes[result["id"]] = result["code"]
	}
	if codes[ruled] != "rule_gives_it_again" || codes[missing] != "not_found" {
		t.Errorf("refused by %v and %v", codes[ruled], codes[missing])
	}
	if n := p.Count(`select count(*) from audit_event where action = 'grant.revoke_ordered'`); n != 20 {
		t.Errorf("%d entries in the log; want 20", n)
	}
}

func TestOrdersAreForAdministrators(t *testing.T) {
	p := openPair(t)
	grant := p.Grant(p.connector, p.account, p.entitlement)
	p.Let("manager", p.Tenant.Tenant, p.Person("meg", ""), viewer.Manager)
	p.Let("auditor", p.Tenant.Tenant, "", viewer.Auditor)
	why := map[string]any{"reason": "x"}
	p.Refused(403, "forbidden", "manager", "POST", grants+"/"+grant+"/revoke", why)
	p.Refused(403, "read_only_role", "auditor", "POST", grants+"/"+grant+"/revoke", why)
}

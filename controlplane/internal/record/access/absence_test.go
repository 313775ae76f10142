package access_test

import (
	"testing"
)

func TestWhatIsMissingIsStillHeldAndShownUntilItsAbsenceIsProven(t *testing.T) {
	c := found(t)
	c.Exec(
		`update access_grant set status = 'missing', missing_since = now(), missing_runs = 1 where id = $1`,
		c.workerPayroll,
	)
	c.Exec(
		`update account set status = 'missing', first_seen_at = now() - interval '60 days', missing_since = now(),
			missing_runs = 1 where id = any($1::text[]::uuid[])`,
		[]string{c.workerAccount, c.strayAccount},
	)
	for _, as := range []string{"admin", "owner", "middle"} {
		if got := c.Must(
			200,
			as,
			"GET",
			"/entitlements/grants/"+c.workerPayroll,
			nil,
		); got.Text("status") != "missing" {
			t.Errorf("as %s the grant is %q", as, got.Text("status"))
		}
		if got := c.Must(200, as, "GET", "/accounts/"+c.workerAccount, nil); got.Text("status") != "missing" {
			t.Errorf("as %s the account is %q", as, got.Text("status"))
		}
		if got := c.Must(
			200,
			as,
			"GET",
			"/identities/"+c.worker+"?expand=accounts,grants",
			nil,
		); len(got.Body["accounts"].([]any)) != 1 ||
			len(got.Body["grants"].([]any)) == 0 {
			t.Errorf("as %s the worker has %v and %v", as, got.Body["accounts"], got.Body["grants"])
		}
	}
	if got := c.Must(200, "admin", "GET", "/entitlements/"+c.payroll, nil); got.Body["direct_member_count"] != 3.0 {
		t.Errorf("payroll has %v members; want all three", got.Body["direct_member_count"])
	}
	if got := c.Must(
		200,
		"admin",
		"GET",
		"/accounts?orphaned=true",
		nil,
	); got.Body["total"] != 1.0 ||
		got.Items()[0]["id"] != c.strayAccount {
		t.Errorf("orphaned: %v; want the stray account, which may well still be usable", got.Body)
	}
}

func TestWhatIsGoneIsHeldNoLongerAndShownOnlyWhenAskedFor(t *testing.T) {
	c := found(t)
	c.Exec(`update access_grant set status = 'revoked', revoked_at = now() where id = $1`, c.workerPayroll)
	c.Exec(`update account set status = 'deleted', deleted_at = now() where id = $1`, c.strayAccount)
	c.Exec(`update access_grant set status = 'revoked', revoked_at = now() where account_id = $1`, c.strayAccount)
	c.Exec(`update entitlement set lifecycle = 'retired', removed_at = now() where id = $1`, c.inner)
	for path, want := range map[string]float64{
		"/entitlements/grants?entitlement_id=" + c.payroll: 1, "/entitlements/grants?status=revoked": 2, "/accounts": 2,
		"/accounts?status=deleted": 1,
		"/entitlements":            2, "/entitlements?lifecycle=retired": 1, "/entitlements/" + c.payroll +
			"/members": 1,
		"/accounts?orphaned=true": 0,
	} {
		if got := c.Must(200, "admin", "GET", path, nil); got.Body["total"] != want {
			t.Errorf("%s: %v; want %v", path, got.Body["total"], want)
		}
	}
	if got := c.Must(200, "owner", "GET", "/identities", nil); got.Body["total"] != 1.0 {
		t.Errorf("the owner sees %v people; want the one who still holds payroll", got.Body["total"])
	}
}

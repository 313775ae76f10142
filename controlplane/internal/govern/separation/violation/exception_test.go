package violation_test

import "testing"

// TestExceptionCoversTheAccessThatItAllowed changes what an exception depends on. Its violation stays open, and refers
// to it while its access lasts.
func TestExceptionCoversTheAccessThatItAllowed(t *testing.T) {
	for _, tt := range []struct {
		what, change string
		shown        bool
		covers       bool
	}{
		{"nothing", `select 1`, true, true},
		{"higher severity", `update violation set severity = 'critical'`, true, false},
		{"more access", `update violation set entitlement_ids = entitlement_ids || gen_random_uuid()`, true, false},
		{"access that has ended", `update access_request_item set status = 'closed'`, false, false},
		{"access that was withdrawn", `update access_request_item set given = false`, false, false},
	} {
		t.Run(tt.what, func(t *testing.T) {
			h, _, _, id := conflicted(t)
			h.Except(h.Strings(`select id::text from separation_policy`)[0], "fulfilled", "VENDOR-EDIT", "PAY-RUN")
			h.Exec(tt.change)
			a := h.Must(200, "admin", "GET", path+"/"+id, nil)
			exception, shown := a.Body["exception"].(map[string]any)
			if a.Text("state") != "open" || shown != tt.shown || shown && exception["covers"] != tt.covers {
				t.Errorf("the violation is %s with the exception %v", a.Text("state"), a.Body["exception"])
			}
			if shown && (exception["number"] != "REQ-000007" || exception["rule"] != "Security" ||
				exception["justification"] != "year end") {
				t.Errorf("the exception is %v", exception)
			}
		})
	}
}

func TestEndOfExceptedAccessQueuesItsViolation(t *testing.T) {
	h, _, _, id := conflicted(t)
	h.Exec(`update separation_policy set effects = effects || '{"on_detect": "revoke_lower_risk"}'`)
	item := h.Except(h.Strings(`select id::text from separation_policy`)[0], "fulfilled", "VENDOR-EDIT", "PAY-RUN")
	h.Exec(`delete from work_item`)
	h.Exec(`update access_request_item set status = 'closed' where id = $1`, item)
	for _, kind := range []string{"inbox_sod_violation", "separation_revocation"} {
		if n := h.Count(`select count(*) from work_item where kind = $1 and subject = $2`, kind, id); n != 1 {
			t.Errorf("%d items of %s are queued; want 1", n, kind)
		}
	}
}

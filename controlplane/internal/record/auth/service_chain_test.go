package auth_test

import (
	"testing"
	"time"
)

func TestAServiceTokenLivesOnlyAsLongAsAllThatMadeIt(t *testing.T) {
	for _, tt := range []struct {
		name, change string
		status       int
	}{
		{"its maker is disabled", `update api_token set disabled_at = now(), disabled_reason = 'administrator'
			where id = $1`, 401},
		{"its maker fell idle", `update api_token set awake_since = awake_since - interval '61 days'
			where id = $1`, 401},
		{"its maker is revoked", `update api_token set revoked_at = now() where id = $1`, 401},
		{"its maker's administrator is none any more", `update api_token set created_by = gen_random_uuid()
			where id = $1`, 401},
		{"its maker has expired", `update api_token set expires_at = awake_since + interval '1 second'
			where id = $1`, 200},
		{"its maker was replaced long ago", `update api_token set awake_since = awake_since - interval '61 days',
			rotation_overlap_until = awake_since - interval '60 days' where id = $1`, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := open(t)
			maker, _ := h.integration("admin")
			child, childToken := h.integration("admin")
			grandchild, token := h.integration("admin")
			for made, by := range map[string]string{child: maker, grandchild: child} {
				h.sql(`update api_token set made_by = $2 where id = $1`, made, by)
			}
			if tt.name == "its maker's administrator is none any more" {
				other := h.user("left@acme.example", "manager")
				h.sql(`update api_token set created_by = $2 where id = $1`, maker, other)
			} else {
				h.asks(token).want(t, "before", 200, "")
				h.sql(tt.change, maker)
			}
			h.pass(5 * time.Second)
			for name, token := range map[string]string{"what it made": childToken, "what that made": token} {
				a := h.asks(token)
				if a.status != tt.status || a.status == 401 && a.code != "token_revoked" {
					t.Errorf("%s: %d %s; want %d", name, a.status, a.code, tt.status)
				}
			}
			if tt.status == 200 {
				return
			}
			h.sql(
				`update api_token set disabled_at = null, disabled_reason = null, revoked_at = null,
					awake_since = created_at, created_by = $2 where id = $1`,
				maker,
				h.admin,
			)
			h.pass(5 * time.Second)
			h.asks(token).want(t, "once its maker is back", 200, "")
		})
	}
}

func TestWhatADisabledTokenMadeIsDeadInEveryProcessAtOnce(t *testing.T) {
	h := open(t)
	other := h.process(true)
	maker, _ := h.integration("admin")
	child, token := h.integration("admin")
	h.sql(`update api_token set made_by = $2 where id = $1`, child, maker)
	h.within(time.Second, other, token, "")
	h.sql(`update api_token set disabled_at = now(), disabled_reason = 'administrator' where id = $1`, maker)
	// The clock stands still, so nothing that is remembered grows old.
	if took := h.within(5*time.Second, other, token, "token_revoked"); took > time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestATokenThatWasReplacedIsNotDisabledForBeingUnused(t *testing.T) {
	h := open(t)
	id, token := h.integration("admin")
	h.sql(`update api_token set rotation_overlap_until = $2 where id = $1`, id, h.now().Add(time.Hour))
	h.pass(61 * 24 * time.Hour)
	h.asks(token).want(t, "long after its overlap", 401, "token_expired")
	time.Sleep(100 * time.Millisecond)
	h.until("", `select coalesce(disabled_reason, '') from api_token where id = $1`, id)
}

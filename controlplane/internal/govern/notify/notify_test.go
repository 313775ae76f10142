package notify_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/mailtest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/settings"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/transport"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// office sends the notifications of a tenant to a mail server, on a clock of its own.
type office struct {
	*recordtest.House
	server  *mailtest.Server
	service *notify.Service
	queue   *queue.Queue
	now     time.Time
}

func open(t *testing.T) *office {
	t.Helper()
	o := &office{server: mailtest.Start(t, mailtest.Options{}), now: time.Now()}
	ranges, err := outbound.ParseCIDRs([]string{"127.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	o.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		o.service = &notify.Service{
			DB: db, Seal: ring(t), Guard: &outbound.Guard{AllowCIDRs: ranges}, Cursors: cursors,
			Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: func() time.Time { return o.now },
			BaseURL: func(slug string) string { return "https://iga.example.com/t/" + slug },
			Relay: &settings.Relay{From: "iga@example.com", Server: transport.Server{
				Host: o.server.Host, Port: o.server.Port, Security: transport.StartTLS, CA: o.server.CA,
				Dial: mailtest.Dial(t),
			}},
		}
		return o.service.Routes()
	})
	if err := o.service.Announce(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.queue = &queue.Queue{DB: o.DB, Log: slog.New(slog.DiscardHandler), Kinds: o.service.Kinds()}
	return o
}

func ring(t *testing.T) *seal.Keyring {
	t.Helper()
	k, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// work does what is due.
func (o *office) work() {
	o.T.Helper()
	for range 4 {
		if _, err := o.queue.Pass(context.Background(), o.Tenant.Tenant); err != nil {
			o.T.Fatal(err)
		}
	}
}

// person makes an identity with an address, and no user.
func (o *office) person(name string) string {
	o.T.Helper()
	id := uuid.NewString()
	o.ExecAs(o.Tenant, `insert into identity (tenant_id, id, external_id, display_name, email, timezone)
		values (current_tenant(), $1::uuid, $1::text, $2, $3, 'Europe/Zurich')`, id, name, strings.ToLower(name)+"@example.org")
	return id
}

// task makes a task that people can decide.
func (o *office) task(title string, people ...string) string {
	o.T.Helper()
	id := uuid.NewString()
	o.ExecAs(o.Tenant, `insert into decision_task (tenant_id, id, kind, key, subject, source, title)
		values (current_tenant(), $1::uuid, 'access_approval', $1::text, '{}', '{}', $2)`, id, title)
	for _, p := range people {
		o.ExecAs(o.Tenant, `insert into decision_assignee (tenant_id, task_id, identity_id)
			values (current_tenant(), $1, $2)`, id, p)
	}
	return id
}

// sent are the subjects of the accepted mails, by recipient.
func (o *office) sent() []string {
	var out []string
	for _, m := range o.server.Mails() {
		out = append(out, m.To+": "+m.Header.Get("Subject"))
	}
	return out
}

func (o *office) log(query string) []map[string]any {
	o.T.Helper()
	return o.Must(200, "admin", "GET", "/settings/notifications/deliveries"+query, nil).Items()
}

func TestAnAssigneeWithoutAUserReceivesAMailThatLeadsToTheTask(t *testing.T) {
	o := open(t)
	ann := o.person("Ann")
	id := o.task("Payroll for Bob", ann)
	o.work()
	mails := o.server.Mails()
	if len(mails) != 1 || mails[0].To != "ann@example.org" ||
		mails[0].Header.Get("Subject") != "Decision: Payroll for Bob" {
		t.Fatalf("sent %v", o.sent())
	}
	if !strings.Contains(mails[0].Body, "https://iga.example.com/t/first/inbox?task=3D"+id) {
		t.Errorf("the link is absent: %s", mails[0].Body)
	}
	log := o.log("?state=sent")
	if len(log) != 1 || log[0]["address"] != "ann@example.org" || log[0]["kind"] != "task.assigned" ||
		log[0]["attempts"] != 1.0 {
		t.Errorf("the delivery log has %v", log)
	}
	detail := o.Must(200, "admin", "GET", "/settings/notifications/deliveries/"+log[0]["id"].(string), nil)
	if !strings.Contains(detail.Text("text"), "Payroll for Bob") {
		t.Errorf("the text is %q", detail.Text("text"))
	}
	o.work()
	if n := len(o.server.Mails()); n != 1 {
		t.Errorf("%d mails after more work; want 1", n)
	}
}

func TestManyTasksAtOnceAreOneMail(t *testing.T) {
	o := open(t)
	ann := o.person("Ann")
	for i := range 30 {
		o.task(fmt.Sprintf("Task %02d", i), ann)
	}
	o.work()
	if got := o.sent(); len(got) != 1 || got[0] != "ann@example.org: 30 decisions wait for you" {
		t.Errorf("sent %v", got)
	}
}

func TestATaskThatWasDecidedMeanwhileIsNotToldOf(t *testing.T) {
	o := open(t)
	id := o.task("Payroll for Bob", o.person("Ann"))
	o.ExecAs(o.Tenant, `update decision_task set state = 'decided' where id = $1`, id)
	o.work()
	if got := o.sent(); len(got) != 0 {
		t.Errorf("sent %v", got)
	}
}

func TestADigestComesAtTheLocalHourWhileATaskIsOpen(t *testing.T) {
	o := open(t)
	o.now = time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	ann := o.person("Ann")
	id := o.task("Payroll for Bob", ann)
	o.work()
	o.now = time.Date(2026, 3, 29, 6, 59, 0, 0, time.UTC) // 08:59 after the change
	o.work()
	if got := o.sent(); len(got) != 1 {
		t.Fatalf("before the hour: %v", got)
	}
	o.now = time.Date(2026, 3, 29, 7, 0, 0, 0, time.UTC)
	o.work()
	o.work()
	if got := o.sent(); len(got) != 2 || got[1] != "ann@example.org: 1 decision waits for you" {
		t.Fatalf("at the hour: %v", got)
	}
	o.ExecAs(o.Tenant, `update decision_task set state = 'decided' where id = $1`, id)
	o.now = o.now.Add(24 * time.Hour)
	o.work()
	if got := o.sent(); len(got) != 2 {
		t.Errorf("nothing is open: %v", got)
	}
}

func TestAnAddressThatIsRejectedIsMarkedUntilAMessageIsResent(t *testing.T) {
	o := open(t)
	ann := o.person("Ann")
	o.server.Fail = func(step, _ string) error {
		if step == "rcpt" {
			return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
		}
		return nil
	}
	o.task("One", ann)
	o.work()
	bounced := o.log("?state=bounced")
	if len(bounced) != 1 || bounced[0]["reason"] != "address_rejected" || bounced[0]["reply_code"] != 550.0 {
		t.Fatalf("the delivery log has %v", o.log(""))
	}
	if log := o.log("?marked=true"); len(log) != 1 || log[0]["id"] != bounced[0]["id"] {
		t.Errorf("marked: %v", log)
	}
	o.server.Fail = nil
	o.task("Two", ann)
	o.work()
	if log := o.log("?state=suppressed"); len(log) != 1 || log[0]["reason"] != "address_bounced" {
		t.Fatalf("the delivery log has %v", o.log(""))
	}
	at := "/settings/notifications/deliveries/" + bounced[0]["id"].(string) + "/resend"
	o.Must(202, "admin", "POST", at, nil)
	o.work()
	if got := o.sent(); len(got) != 1 || got[0] != "ann@example.org: Decision: One" {
		t.Fatalf("sent %v", got)
	}
	o.Refused(409, "not_resendable", "admin", "POST", at, nil)
	if log := o.log("?marked=true"); len(log) != 0 {
		t.Errorf("marked after it was resent: %v", log)
	}
	o.task("Three", ann)
	o.work()
	if got := o.sent(); len(got) != 2 {
		t.Errorf("after the mark was removed: %v", got)
	}
}

func TestTroubleOfTheServerLosesNothing(t *testing.T) {
	o := open(t)
	o.server.Fail = func(step, _ string) error {
		if step == "mail" {
			return &smtp.SMTPError{Code: 421, EnhancedCode: smtp.EnhancedCode{4, 3, 2}, Message: "busy"}
		}
		return nil
	}
	for i := range 5 {
		o.task("Task", o.person(fmt.Sprintf("P%d", i)))
	}
	o.work()
	if log := o.log("?state=deferred"); len(log) != 5 || log[0]["reason"] != "try_later" {
		t.Fatalf("the delivery log has %v", o.log(""))
	}
	state := o.Must(200, "admin", "GET", "/settings/notifications", nil).Body["state"].(map[string]any)
	if state["failures"] != 1.0 || state["paused_until"] == nil ||
		!strings.Contains(state["last_error"].(string), "busy") {
		t.Errorf("the state of the server is %v", state)
	}
	o.server.Fail = nil
	o.ExecAs(o.Tenant, `update notification_settings set paused_until = now()`)
	o.ExecAs(o.Tenant, `update mail_message set due_at = now()`)
	o.work()
	if got := o.sent(); len(got) != 5 {
		t.Errorf("sent %v", got)
	}
	state = o.Must(200, "admin", "GET", "/settings/notifications", nil).Body["state"].(map[string]any)
	if state["failures"] != 0.0 || state["last_error"] != nil || state["succeeded_at"] == nil {
		t.Errorf("the state of the server is %v", state)
	}
}

func TestAnOwnServerAndItsSecret(t *testing.T) {
	o := open(t)
	own := mailtest.Start(t, mailtest.Options{Password: "right"})
	user := uuid.NewString()
	o.Change("admin", func(v *viewer.Viewer) { v.ID = user })
	o.ExecAs(o.Tenant, `insert into app_user (tenant_id, id, email, display_name, roles)
		values (current_tenant(), $1, 'root@example.org', 'Root', '{admin}')`, user)
	const at = "/settings/notifications"
	server := map[string]any{"use": "own", "host": own.Host, "port": own.Port, "security": "starttls", "auth": "plain",
		"username": "sender", "ca": own.CA}
	a := o.Must(200, "admin", "PATCH", at, map[string]any{
		"server": server,
		"secret": "wrong",
		"sender": map[string]any{"address": "access@example.net", "name": "Access"},
	})
	if a.Body["has_secret"] != true || strings.Contains(fmt.Sprint(a.Body), "wrong") {
		t.Errorf("the settings are %v", a.Body)
	}
	test := o.Must(200, "admin", "POST", at+"/test", nil).Body
	if test["accepted"] != false || test["reason"] != "server_sign_in" || test["reply_code"] != 535.0 {
		t.Errorf("with a wrong password: %v", test)
	}
	o.Must(200, "admin", "PATCH", at, map[string]any{"secret": "right"})
	test = o.Must(200, "admin", "POST", at+"/test", nil).Body
	if test["accepted"] != true || test["address"] != "root@example.org" {
		t.Errorf("with the right password: %v", test)
	}
	if m := own.Mails(); len(m) != 1 || m[0].From != "access@example.net" || m[0].To != "root@example.org" {
		t.Errorf("the server has %v", m)
	}
	o.Refused(
		422,
		"validation_failed",
		"admin",
		"PATCH",
		at,
		map[string]any{"server": map[string]any{"host": "other.example.com"}},
	)
	o.Refused(
		422,
		"validation_failed",
		"admin",
		"PATCH",
		at,
		map[string]any{"server": map[string]any{"security": "none"}},
	)
	o.Refused(
		422,
		"validation_failed",
		"admin",
		"PATCH",
		at,
		map[string]any{"sender": map[string]any{"address": "a@b.c\r\nBcc: d@e.f"}},
	)
	o.Refused(
		422,
		"validation_failed",
		"admin",
		"PATCH",
		at,
		map[string]any{"quiet_hours": map[string]any{"from": "25:00", "to": "07:00"}},
	)
	o.Refused(422, "validation_failed", "admin", "PATCH", at, map[string]any{"modes": map[string]any{"tasks": "loud"}})
}

func TestPeopleChooseForThemselves(t *testing.T) {
	o := open(t)
	ann, user := o.person("Ann"), uuid.NewString()
	o.Let("ann", o.Tenant.Tenant, ann)
	o.Change("ann", func(v *viewer.Viewer) { v.ID = user })
	o.ExecAs(o.Tenant, `insert into app_user (tenant_id, id, email, display_name, identity_id)
		values (current_tenant(), $1, 'ann@example.org', 'Ann', $2)`, user, ann)
	const at = "/settings/notifications/me"
	a := o.Must(200, "ann", "GET", at, nil).Body
	if a["address"] != "ann@example.org" || a["effective_time_zone"] != "Europe/Zurich" || a["ready"] != true {
		t.Errorf("at first: %v", a)
	}
	o.Must(200, "ann", "PATCH", at, map[string]any{"modes": map[string]any{"tasks": "off"}, "digest_hour": 7})
	o.task("Payroll for Bob", ann)
	o.work()
	if got := o.sent(); len(got) != 0 {
		t.Errorf("switched off: %v", got)
	}
	o.Must(200, "admin", "PATCH", "/settings/notifications", map[string]any{"locked": []string{"tasks"}})
	o.task("Payroll for Carl", ann)
	o.work()
	if got := o.sent(); len(got) != 1 {
		t.Errorf("locked by the tenant: %v", got)
	}
	o.Refused(422, "validation_failed", "ann", "PATCH", at, map[string]any{"time_zone": "Mars/Olympus"})
	o.Refused(403, "forbidden", "ann", "GET", "/settings/notifications/deliveries", nil)
}

func TestAnInvitationHoldsItsLinkSealed(t *testing.T) {
	o := open(t)
	user := uuid.NewString()
	o.ExecAs(o.Tenant, `insert into app_user (tenant_id, id, email, display_name, status)
		values (current_tenant(), $1, 'new@example.org', 'New', 'invited')`, user)
	if err := o.DB.As(t.Context(), o.Tenant, func(tx *pg.Tx) error {
		return o.service.Invite(t.Context(), tx, user, "top.secret")
	}); err != nil {
		t.Fatal(err)
	}
	const stored = `select count(*)::text from mail_message m where m::text like '%top.secret%'`
	if got := o.Strings(stored); got[0] != "0" {
		t.Error("the link is stored in the clear")
	}
	o.work()
	mails := o.server.Mails()
	if len(mails) != 1 ||
		!strings.Contains(mails[0].Body, "https://iga.example.com/t/first/invited?token=3Dtop.secret") {
		t.Fatalf("sent %+v", mails)
	}
	if got := o.Strings(`select (secret is null)::text from mail_message`); got[0] != "true" {
		t.Error("the link is kept after the message was sent")
	}
}

func TestTheRequesterAndTheBeneficiaryAreToldOfTheOutcome(t *testing.T) {
	o := open(t)
	ann, user, request := o.person("Ann"), uuid.NewString(), uuid.NewString()
	o.ExecAs(o.Tenant, `insert into app_user (tenant_id, id, email, display_name)
		values (current_tenant(), $1, 'root@example.org', 'Root')`, user)
	o.ExecAs(o.Tenant, `insert into access_request (tenant_id, id, number, requested_for, requested_by, requester_actor)
		values (current_tenant(), $1, 7, $2, '{"display": "Root"}', $3)`, request, ann, user)
	o.work()
	if got := o.sent(); len(got) != 0 {
		t.Errorf("a request for another person must wait for the digest, since it is not urgent: %v", got)
	}
	o.ExecAs(o.Tenant, `update access_request set told = 'approved', status = 'approved' where id = $1`, request)
	o.ExecAs(o.Tenant, `update access_request set status = 'fulfilled' where id = $1`, request)
	o.work()
	to := map[string]string{}
	for _, m := range o.server.Mails() {
		to[m.To] += m.Header.Get("Subject")
		if !strings.Contains(m.Body, "REQ-000007") {
			t.Errorf("the number is absent: %s", m.Body)
		}
	}
	const want = "Access is ready:"
	if len(to) != 2 || !strings.HasPrefix(to["ann@example.org"], want) ||
		!strings.HasPrefix(to["root@example.org"], want) {
		t.Errorf("told %v", to)
	}
}

package decisionkind_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
)

// bounced marks the address of a person, as the sender does when a server rejected a message to it.
func (h *house) bounced(person string) {
	h.T.Helper()
	message := uuid.NewString()
	h.Exec(`update identity set email = $2 where id = $1`, person, person+"@example.org")
	h.Exec(`insert into mail_message (tenant_id, id, kind, person_id, name, address, subject, state, reason, reply_code,
		    ended_at)
		values (current_tenant(), $1, 'task.assigned', $2, 'Ann', $3, 'Decision: Payroll', 'bounced',
		    'address_rejected', 550, now())`, message, person, person+"@example.org")
	h.Exec(
		`insert into mail_bounce (tenant_id, address_lc, message_id, reply) values (current_tenant(), $1, $2, '550')`,
		person+"@example.org",
		message,
	)
}

func TestARejectedAddressIsATaskUntilItIsSettled(t *testing.T) {
	h := open(t)
	ann, bob, eve := h.Person("ann", ""), h.Person("bob", ""), h.Person("eve", "")
	h.none(kind.MailBounce)
	h.bounced(ann)
	task := h.one(kind.MailBounce)
	h.shows(task, "The mail address of ann was rejected", "550")
	if got := actions(task); got != "try_again keep" || strings.Contains(task["summary"].(string), "@") {
		t.Errorf("the task takes %s and says %v", got, task["summary"])
	}
	h.decide(task, "try_again", "", nil)
	h.none(kind.MailBounce)
	if n := h.Count(`select count(*) from mail_bounce`); n != 0 || h.audited("mail_address.unmarked", "admin") != 1 {
		t.Errorf("%d addresses are marked after the decision", n)
	}

	h.bounced(bob)
	h.decide(h.one(kind.MailBounce), "keep", "a shared machine", nil)
	h.none(kind.MailBounce)
	if n := h.Count(`select count(*) from mail_bounce where kept_at is not null`); n != 1 {
		t.Errorf("%d addresses are kept as marked; want 1", n)
	}

	h.bounced(eve)
	task = h.one(kind.MailBounce)
	h.Exec(`update identity set email = 'eve.new@example.org' where id = $1`, eve)
	h.Exec(`update mail_bounce set reply = '' where kept_at is null`) // as the hourly comparison asks
	h.became(task, "superseded", "no active person has the address any more")
}

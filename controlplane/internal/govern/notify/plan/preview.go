package plan

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/compose"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/wording"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// newest is the newest object that notifications of a kind can be about, by the beginning of the kind's name.
var newest = map[string]struct{ subject, sql string }{
	"task":              {"decision_task", `select id from decision_task order by created_at desc limit 1`},
	"request":           {"access_request", `select id from access_request order by number desc limit 1`},
	"access.ending":     {"access_request_item", `select id from access_request_item order by ends_at limit 1`},
	"user":              {"user", `select id from app_user where deleted_at is null order by created_at desc limit 1`},
	"violation.found":   {"violation", `select id from violation order by first_seen_at desc limit 1`},
	"violation.revoked": {"violation", `select id from violation order by first_seen_at desc limit 1`},
	"access.revoked":    {"access_grant", `select id from access_grant order by id desc limit 1`},
	"mitigation.lapsed": {"mitigation", `select id from mitigation order by updated_at desc limit 1`},
	"provisioning.failed": {"provisioning_task", `select id from provisioning_task order by state = 'failed' desc,
		created_at desc limit 1`},
	"token.ending": {"api_token", `select id from api_token order by expires_at desc limit 1`},
	"sync.held":    {"sync_run", `select id from sync_run order by status = 'held' desc, created_at desc limit 1`},
	"sync.failing": {
		"connector",
		`select id from connector where deleted_at is null order by created_at desc limit 1`,
	},
	"agent.offline":    {"agent", `select id from agent order by created_at desc limit 1`},
	"webhook.disabled": {"webhook", `select id from webhook order by created_at desc limit 1`},
}

// source finds the newest objects of a kind.
func source(k notice.Kind) (subject, sql string) {
	if s, is := newest[k.Name]; is {
		return s.subject, s.sql
	}
	groups := map[notice.Group]string{notice.Tasks: "task", notice.Requests: "request", notice.Account: "user"}
	s := newest[groups[k.Group]]
	return s.subject, s.sql
}

// Preview writes a message about the newest object of a kind with some words, as a person would receive it. Nothing is
// stored.
func (s *Service) Preview(ctx context.Context, tx *pg.Tx, k notice.Kind, language string, words wording.Words,
	to string) (subject string, content compose.Content, err error) {
	w, err := s.writer(ctx, tx)
	if err != nil {
		return "", content, err
	}
	w.words = wording.Set{{k.Name, language}: words}
	kind, sql := source(k)
	// Facts are read of notifications. This one has no receiver, and is deleted before the transaction ends.
	const write = `insert into notification (tenant_id, kind, person_id, subject_type, subject_id, state)
		select current_tenant(), @kind, @nobody, @type, o.id, 'digest' from (`
	nobody := uuid.NewString()
	if err := pg.Exec(ctx, tx, "write a notification for a preview", write+sql+`) o`, pgx.NamedArgs{
		"kind": k.Name, "nobody": nobody, "type": kind,
	}); err != nil {
		return "", content, err
	}
	found, err := facts(ctx, tx, []string{nobody}, "digest")
	if err != nil {
		return "", content, err
	}
	if err := pg.Exec(ctx, tx, "delete the notification of a preview",
		`delete from notification where tenant_id = current_tenant() and person_id = $1`, nobody); err != nil {
		return "", content, err
	}
	if len(found) == 0 {
		return "", content, fault.Coded(fault.Conflict, "nothing_to_preview",
			"There is no object that a notification of the kind %s could be about.", k.Name)
	}
	m := w.single(person{Name: to, Language: language, Address: "preview@example.com"}, k, found[0])
	return m.Subject, m.Content, nil
}

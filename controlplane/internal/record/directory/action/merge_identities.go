package action

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/authority"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity/reference"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// Merged is an identity that another was merged into, or as a dry run says that it would be.
type Merged struct {
	identity.Identity
	// IDs of the identities that were merged into this one.
	MergedIDs []string `json:"merged_ids" nullable:"false"`
	// What moved; with dry_run what would move, and nothing was written.
	Impact *MergeImpact `json:"impact"`
}

// MergeImpact is what a merge moves.
type MergeImpact struct {
	// True if the request was a dry run: nothing was written.
	DryRun bool `json:"dry_run"`
	// How many of each moved: accounts, sources, reasons, reports, sponsorships, backup ownerships, owned entitlements,
	// roles and policies, users, tokens, provisioning tasks, rehire links.
	Moved map[string]int `json:"moved"`
	// Reasons for access that both had: the one that is left lasts as long as the longer of the two.
	Ended int `json:"ended_reasons"`
	// Differences between the two identities that need a check, in words.
	Warnings []string `json:"warnings" nullable:"false"`
}

// Merge joins two records of the same person: everything of the source moves to the target, and the source is
// archived. Conflicts are refused before anything moves.
func (s *Service) Merge(ctx context.Context, v viewer.Viewer, a Decision, source string) (merged Merged, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		target, gone, err := s.lockBoth(ctx, tx, a, source)
		if err != nil {
			return err
		}
		if err := mergeable(ctx, tx, target, gone); err != nil {
			return err
		}
		impact := &MergeImpact{DryRun: a.DryRun, Moved: map[string]int{}, Warnings: mergeWarnings(target, gone)}
		if impact.Ended, err = joinReasons(ctx, tx, target.ID, gone.ID); err != nil {
			return err
		}
		if err := moveAll(ctx, tx, target, gone, impact.Moved); err != nil {
			return err
		}
		if merged, err = s.archiveMerged(ctx, tx, a, target, gone, impact); err != nil {
			return err
		}
		if a.DryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return merged, err
}

// lockBoth locks the two in the order of their ids, so that two merges never wait for each other.
func (s *Service) lockBoth(ctx context.Context, tx *pg.Tx, a Decision, source string) (target,
	gone identity.Identity, err error) {
	if target, err = identity.Find(ctx, tx, a.ID); err != nil {
		return target, gone, err
	}
	if err := reference.CheckExist(ctx, tx, "source_id", source); err != nil {
		archived, findErr := identity.Find(ctx, tx, source)
		if findErr == nil && archived.Status == rules.Archived {
			return target, gone, notMergeable("identity_archived", "%s is archived already", archived.DisplayName)
		}
		return target, gone, err
	}
	if source == target.ID {
		return target, gone, fault.Coded(fault.Invalid, "merge_with_itself",
			"an identity cannot be merged with itself").
			With(fault.Field{Pointer: "#/source_id", Code: "merge_with_itself", Detail: "name the other record"})
	}
	both := map[string]*identity.Identity{a.ID: &target, source: &gone}
	ids := []string{target.ID, source}
	slices.Sort(ids)
	for _, id := range ids {
		if *both[id], err = identity.Lock(ctx, tx, id); err != nil {
			return target, gone, err
		}
	}
	return target, gone, a.Match.Check(target.Version)
}

// notMergeable is the conflict of two identities that cannot be merged.
func notMergeable(code, format string, args ...any) error {
	return fault.Coded(fault.Conflict, code, format, args...)
}

// mergeable refuses what would lose something, or what no source could keep apart afterwards.
func mergeable(ctx context.Context, tx *pg.Tx, target, gone identity.Identity) error {
	switch {
	case target.Status == rules.Archived:
		return notMergeable("identity_archived", "%s is archived; merge the other way round", target.DisplayName)
	case gone.Status == rules.Archived:
		return notMergeable("identity_archived", "%s is archived already", gone.DisplayName)
	case target.Kind != gone.Kind:
		return notMergeable("different_kinds", "a %s and a %s identity are not the same", target.Kind, gone.Kind)
	}
	const sql = `
		select exists (select
		                 from identity_source a
		                 join identity_source b
		                   on b.tenant_id = a.tenant_id
		                  and b.connector_id = a.connector_id
		                  and b.identity_id = $2
		                  and b.removed_at is null
		                where a.tenant_id = current_tenant()
		                  and a.identity_id = $1
		                  and a.removed_at is null),
		       (select count(*) from app_user u where u.tenant_id = current_tenant() and u.identity_id in ($1, $2)) = 2`
	var sameSource, bothSignIn bool
	if err := tx.QueryRow(ctx, sql, target.ID, gone.ID).Scan(&sameSource, &bothSignIn); err != nil {
		return fmt.Errorf("look whether two may be merged: %w", err)
	}
	switch {
	case sameSource:
		return notMergeable(
			"both_in_source",
			"both have a live record in the same source system, which calls them two people; end one there first",
		)
	case bothSignIn:
		return notMergeable("both_have_users", "both have a user; unlink or delete one of the users first")
	}
	return nil
}

// mergeWarnings are what an administrator should look at before merging; they prevent nothing.
func mergeWarnings(target, gone identity.Identity) []string {
	warnings := []string{}
	if target.Status == rules.Deactivated && gone.Status != rules.Deactivated {
		warnings = append(warnings, "the record that stays is deactivated: what is merged into it ends with it")
	}
	if identity.Text(target.EmployeeNumber) != "" && identity.Text(gone.EmployeeNumber) != "" &&
		*target.EmployeeNumber != *gone.EmployeeNumber {
		warnings = append(warnings, "the two have different employee numbers")
	}
	return warnings
}

// sameReason holds where two reasons for access would be one, but for whose they are.
const sameReason = `t.connector_id = s.connector_id and t.entitlement_id is not distinct from s.entitlement_id
	and t.account_id is not distinct from s.account_id
	and t.effect = s.effect and t.kind = s.kind and t.source_id = s.source_id and t.role_id is not distinct
	  from s.role_id`

// joinReasons ends the source's reasons that the target has too. The one that stays begins and lasts as the wider of
// the two.
func joinReasons(ctx context.Context, tx *pg.Tx, target, gone string) (n int, err error) {
	const widen = `
		update access_reason t
		   set ends_at = case when t.ends_at is null or s.ends_at is null then null else greatest(t.ends_at,
		       s.ends_at) end, starts_at = least(t.starts_at, s.starts_at),
		       state = case when 'active' in (t.state, s.state) then 'active' else 'scheduled' end
		  from access_reason s
		 where t.tenant_id = current_tenant() and t.identity_id = $1 and t.state <> 'ended'
		   and s.tenant_id = current_tenant() and s.identity_id = $2 and s.state <> 'ended'
		   and ` + sameReason
	const end = `
		update access_reason s
		   set state = 'ended', ended_at = now(), end_reason = 'merged'
		  from access_reason t
		 where t.tenant_id = current_tenant() and t.identity_id = $1 and t.state <> 'ended'
		   and s.tenant_id = current_tenant() and s.identity_id = $2 and s.state <> 'ended'
		   and ` + sameReason
	if err := pg.Exec(ctx, tx, "join reasons for access", widen, target, gone); err != nil {
		return 0, err
	}
	tag, err := tx.Exec(ctx, end, target, gone)
	if err != nil {
		return 0, fmt.Errorf("join reasons for access: %w", err)
	}
	return int(tag.RowsAffected()), nil
}

// moving are the statements that move what hangs on @gone to @target, in this order.
var moving = []struct{ what, sql string }{
	{
		"reasons",
		`update access_reason set identity_id = @target where tenant_id = current_tenant() and identity_id = @gone
			and state <> 'ended'`,
	},
	{"accounts", `
		update account
		   set identity_id = @target, correlation_rejected = array_remove(correlation_rejected, @target::uuid),
		       updated_at = now(), version = version + 1
		 where tenant_id = current_tenant() and identity_id = @gone`},
	// A record that becomes the authoritative one is read as if it had changed.
	{"sources", `
		update identity_source
		   set identity_id = @target, row_hash = case when @adopts then ''::bytea else row_hash end, changed_at = now()
		 where tenant_id = current_tenant() and identity_id = @gone`},
	{"reports", `
		update identity
		   set manager_id = case when id = @target then null else @target::uuid end,
		       manager_external_id = case when id <> @target then @target_external_id end, updated_at = now(),
		           version = version + 1
		 where tenant_id = current_tenant() and manager_id = @gone and status <> 'archived'`},
	{"sponsorships", `
		update identity
		   set sponsor_id = case when id <> @target then @target::uuid end, updated_at = now(), version = version + 1
		 where tenant_id = current_tenant() and sponsor_id = @gone and status <> 'archived'`},
	{"backup_ownerships", `
		update identity
		   set backup_owner_id = case when id <> @target then @target::uuid end, updated_at = now(),
		       version = version + 1
		 where tenant_id = current_tenant() and backup_owner_id = @gone and status <> 'archived'`},
	{"owned_entitlements", owned("entitlement", sourceOwners)},
	{"owned_roles", "with moved as (" + owned("role") + " returning tenant_id, id, version, owner_ids)" + keepOwners},
	{"owned_policies", owned("access_policy")},
	{
		"users",
		`update app_user set identity_id = @target, updated_at = now(),
			version = version + 1 where tenant_id = current_tenant() and identity_id = @gone`,
	},
	{
		"tokens",
		`update api_token set bound_identity_id = @target where tenant_id = current_tenant()
			and bound_identity_id = @gone`,
	},
	{"provisioning_tasks", `
		update provisioning_task
		   set identity_id = @target, updated_at = now()
		 where tenant_id = current_tenant() and identity_id = @gone
		   and state in ('queued', 'blocked', 'running', 'verifying', 'retrying', 'failed', 'manual')`},
	{"merged", `
		update identity set merged_into_id = @target, updated_at = now(), version = version + 1
		 where tenant_id = current_tenant() and merged_into_id = @gone`},
	{"rehire_links", `
		update identity
		   set previous_identity_id = case when id <> @target then @target::uuid end, updated_at = now(),
		       version = version + 1
		 where tenant_id = current_tenant() and previous_identity_id = @gone`},
}

// sourceOwners keeps track of which owners of an entitlement its target system names.
const sourceOwners = `source_owner_ids = case when @target::uuid = any(owner_ids) then array_remove(source_owner_ids,
	@gone::uuid)
		                               else array_replace(source_owner_ids, @gone::uuid, @target::uuid) end,
		       `

// owned gives what the source owns to the target, who may own it already. more are further assignments.
func owned(table string, more ...string) string {
	return `
		update ` + table + `
		   set ` + strings.Join(more, "") + `owner_ids = case when @target::uuid = any(owner_ids) then
		     array_remove(owner_ids, @gone::uuid)
		                        else array_replace(owner_ids, @gone::uuid, @target::uuid) end,
		       updated_at = now(), version = version + 1
		 where tenant_id = current_tenant() and @gone::uuid = any(owner_ids)`
}

// moveAll moves what belongs to the record that goes to the one that stays, table by table, and
// counts the rows. Policies and provisioning then look at both people again.
func moveAll(ctx context.Context, tx *pg.Tx, target, gone identity.Identity, moved map[string]int) error {
	args := pgx.NamedArgs{"target": target.ID, "gone": gone.ID, "target_external_id": target.ExternalID,
		"by":     actor(tx.Viewer),
		"adopts": target.SourceConnectorID == nil && gone.SourceConnectorID != nil}
	for _, m := range moving {
		tag, err := tx.Exec(ctx, m.sql, args)
		if err != nil {
			return fmt.Errorf("merge %s: %w", m.what, err)
		}
		moved[m.what] = int(tag.RowsAffected())
	}
	// What both should hold now is looked at anew.
	const turns = `
		with who as (select unnest(array[$1, $2]::uuid[]) as id), access as (
		    insert into work_item (tenant_id, kind, subject) select current_tenant(), 'provisioning', id from who
		)
		insert into work_item (tenant_id, kind, subject) select current_tenant(), 'policy', id from who`
	return pg.Exec(ctx, tx, "merge", turns, target.ID, gone.ID)
}

// archiveMerged archives the source and audits the merge for both.
func (s *Service) archiveMerged(ctx context.Context, tx *pg.Tx, a Decision, target, gone identity.Identity,
	impact *MergeImpact) (merged Merged, err error) {
	reason, after := "merged", gone
	after.Status, after.StatusReason, after.StatusSource, after.Standing, after.MergedIntoID = rules.Archived,
		&reason, "manual", rules.Deactivated, &target.ID
	if err := identity.Store(ctx, tx, after, s.Now()); err != nil {
		return merged, err
	}
	const adopt = `
		update identity
		   set source_connector_id = coalesce(source_connector_id, $2), updated_at = $3, version = version + 1
		 where tenant_id = current_tenant() and id = $1
		returning array(select m.id::text from identity m where m.tenant_id = current_tenant()
		    and m.merged_into_id = $1 order by m.id)`
	if err := tx.QueryRow(ctx, adopt, target.ID, gone.SourceConnectorID, s.Now()).Scan(&merged.MergedIDs); err != nil {
		return merged, fmt.Errorf("merge: %w", identity.Taken(err, target.ExternalID))
	}
	if _, err := authority.Reapply(ctx, tx, `select @target::uuid`, pgx.NamedArgs{"target": target.ID}); err != nil {
		return merged, err
	}
	if merged.Identity, err = identity.Find(ctx, tx, target.ID); err != nil {
		return merged, err
	}
	stored, err := identity.Find(ctx, tx, gone.ID)
	if err != nil {
		return merged, err
	}
	merged.Impact = impact
	changes := append(
		identity.StatusChanges(gone, stored),
		audit.Change{Field: "merged_into_id", From: nil, To: target.ID},
	)
	into := []audit.Change{{Field: "merged_ids", From: nil, To: gone.ID}}
	if err := identity.Publish(ctx, tx, "identity.archived", stored, changes); err != nil {
		return merged, err
	}
	if err := identity.Publish(ctx, tx, "identity.updated", merged.Identity, into); err != nil {
		return merged, err
	}
	subject := func(i identity.Identity) audit.Subject {
		return audit.Subject{Type: "identity", ID: i.ID, Display: i.DisplayName}
	}
	return merged, audit.RecordAll(ctx, tx, []audit.Entry{
		{
			Action:  "identity.merged",
			Subject: subject(stored),
			Objects: []audit.Subject{subject(merged.Identity)},
			Changes: changes,
			Reason:  a.Reason,
		},
		{
			Action:  "identity.merged",
			Subject: subject(merged.Identity),
			Objects: []audit.Subject{subject(stored)},
			Changes: into,
			Reason:  a.Reason,
			Context: map[string]any{"moved": impact.Moved, "ended_reasons": impact.Ended},
		},
	})
}

type mergeIn struct {
	// ID of the identity that stays.
	ID string `path:"id"`
	httpapi.IfMatch
	DryRun
	Body struct {
		// The record that goes.
		SourceID string `json:"source_id" format:"uuid"`
		// Why the identities are merged. It is recorded in the audit log.
		Reason string `json:"reason" minLength:"1" maxLength:"1000"`
	}
}

// merge is POST …/merge.
func (s *Service) merge(ctx context.Context, v viewer.Viewer, in *mergeIn) (*httpapi.One[Merged], error) {
	m, err := s.Merge(ctx, v, Decision{in.ID, in.IfMatch, in.DryRun.DryRun, in.Body.Reason}, in.Body.SourceID)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Merged]{ETag: httpapi.ETag(m.Version), Body: m}, nil
}

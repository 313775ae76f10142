package order

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/plan"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/planner"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	directoryaccount "github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// BulkDisable disables accounts, such as those of people who have left.
type BulkDisable struct {
	// IDs of the accounts to disable. Repeated IDs count once.
	IDs []string `json:"ids" minItems:"1" maxItems:"500" format:"uuid" nullable:"false"`
	// Why. It is kept with the tasks, and goes into the audit log.
	Note string `json:"note" minLength:"1" maxLength:"2000"`
}

// BulkDisabled are the results, in the order of the ids.
type BulkDisabled struct {
	// True for a dry run, which creates no tasks.
	DryRun bool `json:"dry_run"`
	// Accounts for which a task was placed, or would be.
	Disabled int `json:"disabled"`
	// Number of accounts that cannot be disabled.
	Refused int `json:"refused"`
	// Result for each account, in the order of the request.
	Results []BulkDisableEntry `json:"results" nullable:"false"`
}

// BulkDisableEntry is what became of one account.
type BulkDisableEntry struct {
	// ID of the account.
	ID string `json:"id"`
	// Result for the account. ordered: a provisioning task was created, or would be without the dry run. refused: the
	// account cannot be disabled.
	Outcome string `json:"outcome" enum:"ordered,refused"`
	// ID of the provisioning task; absent if the account was refused or in a dry run.
	TaskID string `json:"task_id,omitempty"`
	// Code of the reason why the account was refused, if it has one.
	Code string `json:"code,omitempty" example:"account_protected"`
	// Why the account was refused, for people; absent if it was not.
	Detail string `json:"detail,omitempty"`
}

type bulkDisableIn struct {
	// Say which accounts would be disabled, and write nothing.
	DryRun bool `query:"dry_run"`
	Body   BulkDisable
}

type bulkDisableOut struct{ Body BulkDisabled }

func (s *Service) bulkDisable(ctx context.Context, v viewer.Viewer, in *bulkDisableIn) (*bulkDisableOut, error) {
	out := &bulkDisableOut{}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out.Body, err = s.DisableAll(ctx, tx, in.Body, in.DryRun)
		return err
	})
	return out, err
}

// DisableAll orders the disabling of accounts with the same number of statements however many there are. One that is
// refused keeps nothing from the others.
func (s *Service) DisableAll(ctx context.Context, tx *pg.Tx, b BulkDisable, dryRun bool) (BulkDisabled, error) {
	out := BulkDisabled{DryRun: dryRun, Results: []BulkDisableEntry{}}
	if err := s.Planner.Refresh(ctx, tx); err != nil {
		return out, err
	}
	accounts, can, err := subjectsOf(ctx, tx, b.IDs)
	if err != nil {
		return out, err
	}
	pending, err := lifeTasksOf(ctx, tx, accounts)
	if err != nil {
		return out, err
	}
	p := &plan.Plan{Can: can}
	seen := map[string]bool{}
	for _, id := range b.IDs {
		if seen[strings.ToLower(id)] {
			continue
		}
		seen[strings.ToLower(id)] = true
		entry := BulkDisableEntry{ID: id, Outcome: "ordered"}
		d, err := disabling(accounts, pending, id, b.Note)
		var f *fault.Fault
		switch {
		case err != nil && !errors.As(err, &f):
			return out, err
		case err != nil:
			entry.Outcome, entry.Code, entry.Detail = "refused", f.Code, f.Message
			out.Refused++
		default:
			p.Tasks = append(p.Tasks, d)
			out.Disabled++
		}
		if err == nil && !dryRun {
			entry.TaskID = d.ID
		}
		out.Results = append(out.Results, entry)
	}
	if dryRun || len(p.Tasks) == 0 {
		return out, nil
	}
	return out, placeAll(ctx, tx, p, b.Note)
}

// disabling is the task that disables one of the accounts, or why it is refused.
func disabling(accounts map[string]subject, pending map[string][]task.Open, id, note string) (task.Draft, error) {
	t, there := accounts[strings.ToLower(id)]
	if !there {
		return task.Draft{}, fault.New(fault.NotFound, "Account %s was not found.", id)
	}
	o := Order{Operation: task.Disable, AccountID: t.ID, Note: note, CreatedFrom: task.FromManual}
	if err := t.check(o); err != nil {
		return task.Draft{}, err
	}
	replaces, err := overtakes(o, pending[t.ID])
	d := t.draft(o)
	d.Replaces = replaces
	return d, err
}

// placeAll writes what a user has ordered, all at once, and enters it into the audit log.
func placeAll(ctx context.Context, tx *pg.Tx, p *plan.Plan, note string) error {
	rows, err := planner.TaskRows(ctx, tx, p)
	if err != nil {
		return err
	}
	if err = taskstore.Replace(ctx, tx, p.Tasks); err == nil {
		_, err = taskstore.Insert(ctx, tx, rows)
	}
	if errors.Is(err, taskstore.ErrOvertaken) {
		return fault.Coded(
			fault.Conflict,
			"task_open",
			"another change of one of the accounts was ordered at the same moment; nothing was written, send the "+
				"request again",
		)
	}
	if err != nil {
		return err
	}
	entries := make([]audit.Entry, len(p.Tasks))
	for i, d := range p.Tasks {
		entries[i] = taskstore.AuditEntry(
			"provisioning.ordered",
			audit.Success,
			d.ID,
			d.Operation,
			d.AccountID,
			d.ConnectorID,
			nil,
		)
		entries[i].Reason = note
	}
	return audit.RecordAll(ctx, tx, entries)
}

// subjectsOf reads and locks accounts that the viewer sees, by id, with what can be changed in their systems.
func subjectsOf(ctx context.Context, tx *pg.Tx, ids []string) (map[string]subject, map[string]ability.Ability, error) {
	sql := `
		select a.id::text, a.connector_id::text, a.status, a.managed, a.account_type, a.identity_id::text,
		    coalesce(a.is_disabled, false), ` +
		directoryaccount.Display + `
		  from account a
		 where a.id = any($1::text[]::uuid[])
		   and exists (select from ` + listing.Readable(tx.Viewer, "account", "v") + ` where v.id = a.id)
		 order by a.id
		   for update of a`
	found := map[string]subject{}
	systems := map[string]bool{}
	var t subject
	if err := pg.Each(
		ctx,
		tx,
		"find accounts",
		[]any{&t.ID, &t.ConnectorID, &t.Status, &t.Managed, &t.Type, &t.IdentityID, &t.Disabled, &t.display},
		func() error {
			found[t.ID], systems[t.ConnectorID] = t, true
			t.IdentityID = nil
			return nil
		},
		sql,
		ids,
	); err != nil {
		return nil, nil, err
	}
	can, err := ability.Read(ctx, tx, slices.Sorted(maps.Keys(systems)))
	for id, t := range found {
		t.can = can[t.ConnectorID]
		found[id] = t
	}
	return found, can, err
}

// lifeTasksOf reads and locks the open tasks about whether these accounts can be used.
func lifeTasksOf(ctx context.Context, tx *pg.Tx, accounts map[string]subject) (map[string][]task.Open, error) {
	const sql = `
		select account_id::text, id::text, operation, state, unsure
		  from provisioning_task
		 where account_id = any($1::text[]::uuid[])
		   and mode <> 'simulate'
		   and state in ('queued', 'blocked', 'running', 'retrying', 'failed', 'manual')
		   and grant_id is null
		   and operation in ('create_account', 'enable', 'disable', 'delete_account')
		 order by id
		   for update`
	found := map[string][]task.Open{}
	var account string
	var t task.Open
	if err := pg.Each(
		ctx,
		tx,
		"find open tasks",
		[]any{&account, &t.ID, &t.Operation, &t.State, &t.Unsure},
		func() error {
			found[account] = append(found[account], t)
			return nil
		},
		sql,
		slices.Sorted(maps.Keys(accounts)),
	); err != nil {
		return nil, err
	}
	return found, nil
}

package provision

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const (
	aboutList = "The newest first. summary counts the tasks that match in each state, whatever state was " +
		"asked for."
	aboutRetry = "A failed task is sent again with all its attempts; a task that waits for its next attempt is " +
		"sent now. The values of a new account are computed again from its template. If the result of the last " +
		"attempt is unknown, the target is checked first."
	aboutComplete = "A person made the change in the target system. The task ends without waiting for the next " +
		"sync, except for a new account: a sync reads its key first."
	aboutCancel = "A task that was sent cannot be cancelled. Tasks that depend on it are cancelled too. Access " +
		"that people should still have is planned again at their next evaluation; to prevent that, end its reason."
	aboutBulk = "The tasks of the connector that failed are sent again: all of them, or those of one cause as " +
		"GET /accounts/provisioning-tasks/groups names it. One request takes 10,000; remaining says how many are left."
	aboutNew = "The account is made by the connector's template; attributes stand instead of what the " +
		"template says. Answers at once; follow the task."
	aboutAction = "Answers at once; follow the task. With dry_run=true nothing is written down or sent: the " +
		"answer is the exact request that would be sent, as the connector plans it."
	aboutDelete = aboutAction + " An account that can be used is disabled first, in a task of its own."
	aboutReset  = aboutAction + " The password is random and never shown; it must be changed at the first " +
		"sign-in unless force_change is false."
	aboutSwitch = "Without writes nothing is sent to any target of the tenant. Tasks are still planned; they " +
		"wait, and say so."
	aboutBulkDisable = "Disables at most 200 accounts, as the single call does. Those that cannot be are refused one " +
		"by one, and say why. With dry_run nothing is written."
	aboutBreaker = "The circuit breaker opens when too many changes in a row fail, or when removals and " +
		"alterations within its window exceed its limit. Tasks wait until it is reset; earlier changes do not count " +
		"after that."
)

// Routes of the room.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/accounts/provisioning-tasks", "List provisioning tasks", s.list).Describe(aboutList),
		httpapi.Handle("GET", "/accounts/provisioning-tasks/groups", "List open provisioning tasks by cause", s.groups).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutGroups),
		httpapi.Handle("GET", "/accounts/provisioning-tasks/{id}", "Retrieve a provisioning task", s.read),
		httpapi.Handle("POST", "/accounts/provisioning-tasks/{id}/retry", "Retry a provisioning task", s.retry).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutRetry),
		httpapi.Handle("POST", "/accounts/provisioning-tasks/{id}/complete", "Complete a manual provisioning task",
			s.complete).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutComplete),
		httpapi.Handle("POST", "/accounts/provisioning-tasks/{id}/cancel", "Cancel a provisioning task", s.cancel).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutCancel),
		httpapi.Handle("POST", "/accounts/provisioning-tasks/retry-failed", "Retry failed provisioning tasks",
			s.retryAll).
			For(viewer.Admin).
			Status(200).
			Describe(aboutBulk),
		httpapi.Handle("POST", "/accounts", "Create an account", s.create).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutNew),
		httpapi.Handle("POST", "/accounts/{id}/enable", "Enable an account", s.act(task.Enable)).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutAction),
		httpapi.Handle("POST", "/accounts/{id}/disable", "Disable an account", s.act(task.Disable)).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutAction),
		httpapi.Handle("POST", "/accounts/bulk-disable", "Disable accounts in bulk", s.bulkDisable).
			For(viewer.Admin).
			Status(200).
			Describe(aboutBulkDisable),
		httpapi.Handle("POST", "/accounts/{id}/unlock", "Unlock an account", s.act(task.Unlock)).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutAction),
		httpapi.Handle("POST", "/accounts/{id}/delete", "Delete an account", s.act(task.DeleteAccount)).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutDelete),
		httpapi.Handle("POST", "/accounts/{id}/rename", "Rename or move an account", s.rename).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutAction),
		httpapi.Handle("POST", "/accounts/{id}/reset-password", "Reset the password of an account", s.reset).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutReset),
		httpapi.Handle("GET", "/settings/provisioning", "Get the provisioning switch", s.readSwitch).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutSwitch),
		httpapi.Handle("PUT", "/settings/provisioning", "Set the provisioning switch", s.putSwitch).
			For(viewer.Admin).
			Errors(412).
			Describe(aboutSwitch),
		httpapi.Handle("POST", "/connectors/{id}/provisioning/breaker/reset", "Resume writes of a connector",
			s.resetBreaker).
			For(viewer.Admin).
			Status(200).
			Errors(409).
			Describe(aboutBreaker),
	}
}

// TaskList is a page of tasks with how many there are.
type TaskList struct {
	httpapi.List[Task]
	Summary TaskSummary `json:"summary"`
}

// TaskSummary counts tasks.
type TaskSummary struct {
	ByState map[string]int64 `json:"by_state" nullable:"false" doc:"How many of those that match, whatever their state, are in each; a state without any is absent."`
}

type listIn struct {
	httpapi.Paging
	TaskFilters
}

type listOut struct{ Body TaskList }

func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*listOut, error) {
	walk, err := s.Cursors.Walk(v, "provisioning_tasks", in.Paging, in.TaskFilters)
	if err != nil {
		return nil, err
	}
	var items []Task
	var total int64
	out := &listOut{}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		items, total, out.Body.Summary.ByState, err = listTasks(ctx, tx, in.TaskFilters, walk.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Body.List = httpapi.Out(walk, items, total, func(t Task) []string { return []string{t.ID, t.ID} }).Body
	return out, nil
}

type oneIn struct {
	ID string `path:"id"`
}

type taskOut = httpapi.One[TaskDetail]

func (s *Service) read(ctx context.Context, v viewer.Viewer, in *oneIn) (out *taskOut, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error { out, err = shownTask(ctx, tx, in.ID); return err })
	return out, err
}

func shownTask(ctx context.Context, tx *pg.Tx, id string) (*taskOut, error) {
	d, err := Find(ctx, tx, id)
	return &taskOut{ETag: httpapi.ETag(d.Version), Body: d}, err
}

// Accepted is a task that was written down, or what would be sent.
type Accepted struct {
	TaskID *string             `json:"task_id" doc:"null of a dry run."`
	State  string              `json:"state" doc:"planned of a dry run."`
	Mode   string              `json:"mode"`
	Links  map[string]string   `json:"links" nullable:"false"`
	Plan   []v1.PlannedRequest `json:"plan" nullable:"false" doc:"Of a dry run: what would be sent, with secrets masked."`
	Error  *v1.ErrorDetail     `json:"error" doc:"Of a dry run: why the target would refuse it."`
	Note   string              `json:"note,omitempty"`
}

type acceptedOut struct {
	Status   int
	Location string `header:"Location"`
	Body     Accepted
}

type actIn struct {
	ID     string `path:"id"`
	DryRun bool   `query:"dry_run" doc:"true: return what would be sent, and send nothing."`
	Body   *ActionNote
}

// ActionNote is why somebody has something done with an account.
type ActionNote struct {
	Note string `json:"note,omitempty" maxLength:"2000" doc:"It is kept with the task, and goes into the audit log."`
}

func (s *Service) act(operation string) httpapi.Handler[actIn, acceptedOut] {
	return func(ctx context.Context, v viewer.Viewer, in *actIn) (*acceptedOut, error) {
		o := Order{Operation: operation, AccountID: in.ID}
		if in.Body != nil {
			o.Note = in.Body.Note
		}
		return s.accept(ctx, v, o, in.DryRun)
	}
}

type renameIn struct {
	ID     string `path:"id"`
	DryRun bool   `query:"dry_run"`
	Body   Rename
}

// Rename is what an account is to be called, or where it is to lie.
type Rename struct {
	Username  *string `json:"username,omitempty" minLength:"1" maxLength:"256"`
	Container *string `json:"container,omitempty" minLength:"1" maxLength:"1024" doc:"The new container: for LDAP the parent's DN."`
	Note      string  `json:"note,omitempty" maxLength:"2000"`
}

func (s *Service) rename(ctx context.Context, v viewer.Viewer, in *renameIn) (*acceptedOut, error) {
	if in.Body.Username == nil && in.Body.Container == nil {
		return nil, lacking("username", "set the new username, the new container, or both")
	}
	return s.accept(
		ctx,
		v,
		Order{
			Operation: task.RenameAccount,
			AccountID: in.ID,
			Account:   &v1.ProvisionAccount{Username: in.Body.Username, Container: in.Body.Container},
			Note:      in.Body.Note,
		},
		in.DryRun,
	)
}

type resetIn struct {
	ID     string `path:"id"`
	DryRun bool   `query:"dry_run"`
	Body   *PasswordReset
}

// PasswordReset says how a password is reset.
type PasswordReset struct {
	ForceChange *bool  `json:"force_change,omitempty" doc:"The default is true: the password must be changed at the first sign-in."`
	Note        string `json:"note,omitempty" maxLength:"2000"`
}

func (s *Service) reset(ctx context.Context, v viewer.Viewer, in *resetIn) (*acceptedOut, error) {
	o := Order{
		Operation:  task.SetPassword,
		AccountID:  in.ID,
		Credential: &v1.NewCredential{Mode: "random", ForceChange: true},
	}
	if in.Body != nil {
		o.Note = in.Body.Note
		if in.Body.ForceChange != nil {
			o.Credential.ForceChange = *in.Body.ForceChange
		}
	}
	return s.accept(ctx, v, o, in.DryRun)
}

// NewAccount asks for an account of somebody.
type NewAccount struct {
	ConnectorID string             `json:"connector_id" format:"uuid"`
	IdentityID  string             `json:"identity_id" format:"uuid"`
	Attributes  *AccountAttributes `json:"attributes,omitempty" doc:"The value in the target system."`
	DryRun      bool               `json:"dry_run,omitempty" doc:"true: return what would be sent, and send nothing."`
	Note        string             `json:"note,omitempty" maxLength:"2000"`
}

// AccountAttributes are what an account is made with.
type AccountAttributes struct {
	Username       *string        `json:"username,omitempty" maxLength:"256"`
	Email          *string        `json:"email,omitempty" maxLength:"320"`
	DisplayName    *string        `json:"display_name,omitempty" maxLength:"256"`
	FirstName      *string        `json:"first_name,omitempty" maxLength:"256"`
	LastName       *string        `json:"last_name,omitempty" maxLength:"256"`
	EmployeeNumber *string        `json:"employee_number,omitempty" maxLength:"256"`
	Container      *string        `json:"container,omitempty" maxLength:"1024"`
	Attributes     map[string]any `json:"attributes,omitempty" doc:"By the target's own names."`
}

func (a *AccountAttributes) account() *v1.ProvisionAccount {
	if a == nil {
		return nil
	}
	return &v1.ProvisionAccount{
		Username:       a.Username,
		Email:          a.Email,
		DisplayName:    a.DisplayName,
		FirstName:      a.FirstName,
		LastName:       a.LastName,
		EmployeeNumber: a.EmployeeNumber,
		Container:      a.Container,
		Attributes:     a.Attributes,
	}
}

type createIn struct{ Body NewAccount }

func (s *Service) create(ctx context.Context, v viewer.Viewer, in *createIn) (*acceptedOut, error) {
	o := Order{
		Operation:   task.CreateAccount,
		ConnectorID: in.Body.ConnectorID,
		IdentityID:  in.Body.IdentityID,
		Account:     in.Body.Attributes.account(),
		Note:        in.Body.Note,
	}
	return s.accept(ctx, v, o, in.Body.DryRun)
}

// transitions are what may be done with a task in each of its states.
var transitions = map[string][]string{
	task.Queued: {
		"cancel",
	},
	task.Blocked:  {"cancel"},
	task.Retrying: {"retry", "cancel"},
	task.Failed:   {"retry", "complete", "cancel"},
	task.Manual:   {"complete", "cancel"},
}

func may(state, action string) bool { return slices.Contains(transitions[state], action) }

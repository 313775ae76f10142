package order

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Accepted is a task that was written down, or what would be sent.
type Accepted struct {
	// ID of the provisioning task; null for a dry run.
	TaskID *string `json:"task_id"`
	// State of the provisioning task; planned for a dry run.
	State string `json:"state"`
	// How the task is carried out. auto: it is sent. manual: a person does it. simulate: it is planned only, as in a
	// dry run.
	Mode string `json:"mode"`
	// Path of the provisioning task as self; empty for a dry run.
	Links map[string]string `json:"links" nullable:"false"`
	// Of a dry run: what would be sent, with secrets masked.
	Plan []v1.PlannedRequest `json:"plan" nullable:"false"`
	// Of a dry run: why the target would refuse it.
	Error *v1.ErrorDetail `json:"error"`
}

type acceptedOut struct {
	Status   int
	Location string `header:"Location"`
	Body     Accepted
}

type actIn struct {
	ID string `path:"id"`
	// true: return what would be sent, and send nothing.
	DryRun bool `query:"dry_run"`
	Body   *ActionNote
}

// ActionNote is why a user orders an action on an account.
type ActionNote struct {
	// It is kept with the task, and goes into the audit log.
	Note string `json:"note,omitempty" maxLength:"2000"`
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
	// New username of the account. If it is absent, the username stays.
	Username *string `json:"username,omitempty" minLength:"1" maxLength:"256"`
	// The new container: for LDAP the parent's DN.
	Container *string `json:"container,omitempty" minLength:"1" maxLength:"1024"`
	// Note on the order. It is kept with the task and goes into the audit log.
	Note string `json:"note,omitempty" maxLength:"2000"`
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
	// The default is true: the password must be changed at the first sign-in.
	ForceChange *bool `json:"force_change,omitempty"`
	// Note on the order. It is kept with the task and goes into the audit log.
	Note string `json:"note,omitempty" maxLength:"2000"`
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

// NewAccount asks for an account of a person.
type NewAccount struct {
	// ID of the connector of the system in which the account is created.
	ConnectorID string `json:"connector_id" format:"uuid"`
	// ID of the identity that gets the account.
	IdentityID string `json:"identity_id" format:"uuid"`
	// The value in the target system.
	Attributes *AccountAttributes `json:"attributes,omitempty"`
	// Set it to true to return the requests that would be sent, and to send nothing.
	DryRun bool `json:"dry_run,omitempty"`
	// Note on the order. It is kept with the task and goes into the audit log.
	Note string `json:"note,omitempty" maxLength:"2000"`
}

// AccountAttributes are what an account is made with.
type AccountAttributes struct {
	// Username of the account; if it is absent, the account template sets it.
	Username *string `json:"username,omitempty" maxLength:"256"`
	// E-mail address of the account; if it is absent, the account template sets it.
	Email *string `json:"email,omitempty" maxLength:"320"`
	// Display name of the account; if it is absent, the account template sets it.
	DisplayName *string `json:"display_name,omitempty" maxLength:"256"`
	// First name of the account; if it is absent, the account template sets it.
	FirstName *string `json:"first_name,omitempty" maxLength:"256"`
	// Last name of the account; if it is absent, the account template sets it.
	LastName *string `json:"last_name,omitempty" maxLength:"256"`
	// Employee number of the account; if it is absent, the account template sets it.
	EmployeeNumber *string `json:"employee_number,omitempty" maxLength:"256"`
	// Container of the account, for LDAP the parent's DN; if it is absent, the account template sets it.
	Container *string `json:"container,omitempty" maxLength:"1024"`
	// By the target's own names.
	Attributes map[string]any `json:"attributes,omitempty"`
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

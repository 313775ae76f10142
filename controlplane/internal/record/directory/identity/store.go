package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// VersionCheck refuses a version that is not the one the caller has seen.
type VersionCheck interface{ Check(version int) error }

// LockVersion locks an identity for a write, if the caller has seen its current version.
func LockVersion(ctx context.Context, tx *pg.Tx, id string, match VersionCheck) (Identity, error) {
	i, err := Lock(ctx, tx, id)
	if err != nil {
		return i, err
	}
	return i, match.Check(i.Version)
}

// Columns are the columns of an Identity, from identity i.
const Columns = `i.id, i.external_id, i.source_connector_id, i.kind,
	i.employment_type, i.email, i.secondary_emails, i.username, i.first_name, i.middle_name, i.last_name,
	i.preferred_name, i.display_name, i.employee_number, i.department, i.division, i.organization, i.cost_center,
	i.title, i.job_code, i.job_family, i.location, i.country, i.locale, i.timezone, i.manager_external_id, i.sponsor_id,
	i.backup_owner_id, i.hire_date::text as hire_date, i.start_date::text as start_date,
	i.termination_date::text as termination_date, i.last_working_at, i.leave_from::text as leave_from,
	i.leave_to::text as leave_to, i.attributes, i.labels, i.manager_id,
	(i.manager_id is null and i.manager_external_id is not null) as manager_unresolved, i.manager_from_source,
	i.status, i.status_reason, i.status_source, i.status_changed_at,
	(i.status in ('deactivated', 'archived')) as is_disabled, i.urgent, i.merged_into_id, i.previous_identity_id,
	coalesce(i.standing, i.status) as standing, i.pins, i.last_synced_at, i.created_at, i.updated_at, i.version`

// Find reads the identity if the transaction's viewer may see it; else, and when there is none, it is a fault of kind
// NotFound.
func Find(ctx context.Context, tx *pg.Tx, id string) (Identity, error) {
	return find(ctx, tx, id, "")
}

// Lock is Find for a write: no one else changes the row until the transaction ends.
func Lock(ctx context.Context, tx *pg.Tx, id string) (Identity, error) {
	return find(ctx, tx, id, " for update of i")
}

// find reads an identity that the viewer sees; any other is not_found, so that nothing is learned
// about it. locking is empty or a locking clause.
func find(ctx context.Context, tx *pg.Tx, id, locking string) (Identity, error) {
	if !listing.IsID(id) {
		return Identity{}, notFound(id)
	}
	sql := `select ` + Columns + ` from ` + listing.Readable(tx.Viewer, "identity", "i") + ` where i.id = @id`
	found, err := pg.One[Identity](ctx, tx, "find identity", sql+locking, pgx.NamedArgs{"id": id})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Identity{}, notFound(id)
	case err != nil:
		return Identity{}, err
	}
	return found, nil
}

// notFound is the fault for an identity that is not there or not visible.
func notFound(id string) error { return fault.New(fault.NotFound, "Identity %s was not found.", id) }

// Insert stores a new identity and returns its id.
func Insert(ctx context.Context, tx *pg.Tx, n NewIdentity, status string, previous *string,
	now time.Time) (string, error) {
	const sql = `
		insert into identity (tenant_id, id, external_id, kind, employment_type, email, secondary_emails, username,
			first_name, middle_name, last_name, preferred_name, display_name, employee_number, department, division,
			organization, cost_center, title, job_code, job_family, location, country, locale, timezone,
			manager_external_id, sponsor_id, backup_owner_id, hire_date, start_date, termination_date, last_working_at,
			leave_from, leave_to, attributes, labels, status, standing, previous_identity_id, status_changed_at,
			    created_at, updated_at)
		values (current_tenant(), @id, @external_id, @kind, @employment_type, @email, @secondary_emails, @username,
			@first_name, @middle_name, @last_name, @preferred_name, @display_name, @employee_number, @department,
			@division, @organization, @cost_center, @title, @job_code, @job_family, @location, @country, @locale,
			@timezone, @manager_external_id, @sponsor_id, @backup_owner_id, @hire_date, @start_date, @termination_date,
			@last_working_at, @leave_from, @leave_to, @attributes, @labels, @status, 'active', @previous, @now, @now,
			    @now)`
	id := uuid.Must(uuid.NewV7()).String()
	args := n.Args()
	args["id"], args["external_id"], args["kind"], args["status"], args["now"] = id, n.ExternalID, n.Kind, status, now
	args["previous"] = previous
	if _, err := tx.Exec(ctx, sql, args); err != nil {
		return "", Taken(err, n.ExternalID)
	}
	return id, nil
}

// Store writes the fields and the state of an existing identity.
func Store(ctx context.Context, tx *pg.Tx, after Identity, now time.Time) error {
	const sql = `
		update identity
		   set employment_type = @employment_type, email = @email, secondary_emails = @secondary_emails,
		       username = @username, first_name = @first_name, middle_name = @middle_name, last_name = @last_name,
		       preferred_name = @preferred_name, display_name = @display_name, employee_number = @employee_number,
		       department = @department, division = @division, organization = @organization, cost_center = @cost_center,
		       title = @title, job_code = @job_code, job_family = @job_family, location = @location, country = @country,
		       locale = @locale, timezone = @timezone, manager_external_id = @manager_external_id,
		       sponsor_id = @sponsor_id, backup_owner_id = @backup_owner_id, hire_date = @hire_date,
		       start_date = @start_date, termination_date = @termination_date, last_working_at = @last_working_at,
		       leave_from = @leave_from, leave_to = @leave_to, attributes = @attributes, labels = @labels,
		       standing = @standing, status = @status, status_reason = @status_reason, status_source = @status_source,
		       status_changed_at = case when status <> @status or status_reason is distinct
		           from @status_reason then @now else status_changed_at end, urgent = @urgent, pins = @pins,
		           merged_into_id = @merged_into_id,
		       updated_at = @now, version = version + 1
		 where id = @id`
	args := after.IdentityFields.Args()
	args["id"], args["now"], args["standing"], args["status"], args["status_reason"] = after.ID, now, after.Standing,
		after.Status, after.StatusReason
	args["status_source"], args["urgent"], args["pins"], args["merged_into_id"] = after.StatusSource, after.Urgent,
		after.Pins.Stored(), after.MergedIntoID
	if _, err := tx.Exec(ctx, sql, args); err != nil {
		return Taken(err, "")
	}
	return nil
}

// Taken turns a unique violation into a fault that names the member.
func Taken(err error, externalID string) error {
	switch {
	case pg.Violates(err, "identity_external_id_unique"):
		return fault.Coded(fault.Conflict, "duplicate_external_id",
			"there is an identity with the external_id %q already", externalID).
			With(fault.Field{Pointer: "#/external_id", Code: "duplicate_external_id", Detail: "it is taken"})
	case pg.Violates(err, "identity_email_unique"):
		return fault.Coded(fault.Conflict, "duplicate_email", "there is a person with this e-mail address already").
			With(fault.Field{Pointer: "#/email", Code: "duplicate_email", Detail: "it is taken"})
	}
	return fmt.Errorf("write identity: %w", err)
}

// Args are the fields as arguments of SQL, by column.
func (f *IdentityFields) Args() pgx.NamedArgs {
	return pgx.NamedArgs{
		"employment_type":     f.EmploymentType,
		"email":               f.Email,
		"secondary_emails":    f.SecondaryEmails,
		"username":            f.Username,
		"first_name":          f.FirstName,
		"middle_name":         f.MiddleName,
		"last_name":           f.LastName,
		"preferred_name":      f.PreferredName,
		"display_name":        f.DisplayName,
		"employee_number":     f.EmployeeNumber,
		"department":          f.Department,
		"division":            f.Division,
		"organization":        f.Organization,
		"cost_center":         f.CostCenter,
		"title":               f.Title,
		"job_code":            f.JobCode,
		"job_family":          f.JobFamily,
		"location":            f.Location,
		"country":             f.Country,
		"locale":              f.Locale,
		"timezone":            f.Timezone,
		"manager_external_id": f.ManagerExternalID,
		"sponsor_id":          f.SponsorID,
		"backup_owner_id":     f.BackupOwnerID,
		"hire_date":           f.HireDate,
		"start_date":          f.StartDate,
		"termination_date":    f.TerminationDate,
		"last_working_at":     f.LastWorkingAt,
		"leave_from":          f.LeaveFrom,
		"leave_to":            f.LeaveTo,
		"attributes":          f.Attributes,
		"labels":              f.Labels,
	}
}

// LockAll locks people in the order of their ids until the transaction ends. A check of what people may have locks
// them first.
func LockAll(ctx context.Context, tx *pg.Tx, ids []string) error {
	const sql = `select from identity where id = any($1::text[]::uuid[]) order by id for no key update`
	return pg.Exec(ctx, tx, "lock people", sql, ids)
}

package provision

import (
	"cmp"
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Classes of errors of attempts.
const (
	classTransient   = "transient"
	classThrottled   = "throttled"
	classAuth        = "auth"
	classConfig      = "config"
	classConflict    = "conflict"
	classInvalid     = "invalid"
	classNotFound    = "not_found"
	classUnsupported = "unsupported"
)

// classOf is the class of a target's error.
func classOf(d *v1.ErrorDetail) string {
	switch d.Class {
	case v1.ClassRateLimited:
		return classThrottled
	case v1.ClassAuth:
		return classAuth
	case v1.ClassConfig:
		if d.Code == "read_only_connector" || strings.Contains(d.Code, "unsupported") || strings.Contains(d.Code, "not_supported") {
			return classUnsupported
		}
		return classConfig
	case v1.ClassPermission, v1.ClassPolicy, v1.ClassData:
		return classInvalid
	case v1.ClassConflict:
		return classConflict
	case v1.ClassNotFound:
		return classNotFound
	}
	return classTransient
}

// stops says that the trouble is not with the change: nothing can be changed through the connector until it is mended.
func stops(class string) bool {
	return class == classAuth || class == classConfig || class == classThrottled
}

// namesOfThings are what people call the records of tasks.
type namesOfThings map[string]string

func (n namesOfThings) of(id, otherwise string) string { return cmp.Or(n[id], otherwise) }

// namesOf reads what people call the records of tasks that people are to do.
func namesOf(ctx context.Context, tx *pg.Tx, tasks []draft) (namesOfThings, error) {
	var people, accounts, entitlements []string
	for _, d := range tasks {
		if d.Mode == ModeManual {
			people, accounts, entitlements = append(people, d.IdentityID), append(accounts, d.AccountID), append(entitlements, d.EntitlementID)
		}
	}
	names := namesOfThings{}
	if len(people) == 0 {
		return names, nil
	}
	const sql = `
		select id::text, display_name from identity where id = any(array_remove($1::text[], '')::uuid[])
		 union all
		select a.id::text, ` + directory.AccountDisplay + ` from account a where a.id = any(array_remove($2::text[], '')::uuid[])
		 union all
		select id::text, coalesce(nullif(display_name, ''), nullif(name, ''), external_id) from entitlement where id = any(array_remove($3::text[], '')::uuid[])`
	rows, err := tx.Query(ctx, sql, people, accounts, entitlements)
	if err != nil {
		return nil, fmt.Errorf("read names: %w", err)
	}
	var id, name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error { names[id] = name; return nil })
	return names, err
}

// byHand says what a person has to do.
func byHand(d draft, can ability, names namesOfThings) string {
	who := names.of(d.IdentityID, "the person")
	account := names.of(d.AccountID, "the account of "+who)
	where := "In " + cmp.Or(can.Name, "the target system") + ", "
	end := " Then complete this task with a note."
	switch d.Operation {
	case CreateAccount:
		if d.failed != nil {
			return where + "create an account for " + who + ". Its template cannot be filled: " + d.failed.Message + "." + end
		}
		return where + "create an account for " + who + described(d.Payload.Account) + "." + end + " The next reading of the system finds the account by its name."
	case UpdateAccount, RenameAccount:
		return where + "change " + account + described(d.Payload.Account) + "." + end
	case Enable:
		return where + "enable " + account + " of " + who + "." + end
	case Disable:
		return where + "disable " + account + " of " + who + ", so that nobody can sign in with it." + end
	case DeleteAccount:
		return where + "delete " + account + " of " + who + "." + end
	case Unlock:
		return where + "unlock " + account + " of " + who + "." + end
	case SetPassword:
		return where + "give " + account + " of " + who + " a new password, which has to be changed at the first sign-in." + end
	case Grant:
		return where + "give " + account + " the entitlement " + names.of(d.EntitlementID, "named here") + "." + end
	case Revoke:
		return where + "take the entitlement " + names.of(d.EntitlementID, "named here") + " from " + account + "." + end
	}
	return ""
}

// described is what an account is to look like, in words.
func described(a *v1.ProvisionAccount) string {
	if a == nil {
		return ""
	}
	var parts []string
	for _, field := range []struct {
		name  string
		value *string
	}{{"user name", a.Username}, {"e-mail", a.Email}, {"display name", a.DisplayName}, {"first name", a.FirstName}, {"last name", a.LastName},
		{"employee number", a.EmployeeNumber}, {"place", a.Container}} {
		if field.value != nil {
			parts = append(parts, field.name+" "+*field.value)
		}
	}
	var more []string
	for name, value := range a.Attributes {
		more = append(more, fmt.Sprintf("%s %v", name, value))
	}
	sort.Strings(more)
	if parts = append(parts, more...); len(parts) == 0 {
		return ""
	}
	return " with " + strings.Join(parts, ", ")
}

// unmakable says what to do about an account that cannot be made of its person.
func unmakable(d *v1.ErrorDetail) string {
	if d.Code == "invalid_template" {
		return "Mend the account template of the connector, then retry this task: the account is made anew of the template."
	}
	return "Complete what is missing about the person in their source, or change the account template of the connector; then retry this task: the account is made anew of the template."
}

// advise says what to do about a task that has failed.
func advise(operation, class string, d *v1.ErrorDetail) string {
	text := strings.ToLower(d.Code + " " + d.Message + " " + d.Hint)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	aboutAccount := operation != Grant && operation != Revoke
	switch {
	case class == classUnsupported:
		return "The connector cannot make this change. Do it by hand in the target and complete this task, or set the connector's write_mode to manual."
	case (operation == CreateAccount || operation == SetPassword) && has("password", "pwd", "passwd"):
		return "The target's password policy refuses the password. Change the credential in the connector's account template (or the policy of the target) so that the two agree; then retry."
	case operation == CreateAccount && class == classConflict:
		return "The target has this login name already, for somebody else. If it is this person's account, link it to them and cancel this task; if not, change the template's rule for names, or the person's preferred name, and retry: the account is made anew of the template."
	case operation == RenameAccount && class == classConflict:
		return "The target has the new login name already. Choose another name, or free it in the target; then retry."
	case class == classNotFound && !aboutAccount && has("entitlement", "group", "role", "nosuchobject", "no_such_object") && !has("account", "user "):
		return "The group or role is not in the target any more. Sync the connector, so that it is seen to be gone; then remove it from the policies and roles that give it, and cancel this task."
	case class == classNotFound && !aboutAccount:
		return "The target does not know the account, or the group or role, any more. Sync the connector to see which, then retry, or cancel this task."
	case class == classNotFound:
		return "The target does not know the account any more. Sync the connector, so that it is seen to be gone; then cancel this task."
	case d.Class == v1.ClassPermission:
		return "The connector's own sign-in may not make this change. Give it the right in the target, then retry."
	case d.Class == v1.ClassPolicy:
		return "A policy between here and the target forbids the change: " + cmp.Or(d.Hint, d.Message) + ". Change the policy, then retry."
	case class == classInvalid:
		return "The target refuses the values. Compare them with what the target accepts, mend the person's data or the connector's account template, then retry."
	case class == classAuth:
		return "The target refuses the connector's sign-in. Renew its credentials and test the connection; then retry."
	case class == classConfig:
		return strings.TrimSpace("The connector's settings do not fit the target. "+d.Hint) + " Mend them, then retry."
	case class == classConflict:
		return "The target's state does not allow the change. Look at the record there, then retry."
	}
	return "The target could not be reached, or did not answer, in all attempts. Test the connection; then retry this task, or all that failed at the connector."
}

package provision

import (
	"cmp"
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	directoryaccount "github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
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

// unsupportedCodes are the codes of errors that say that a connector or its target cannot make a change at all.
var unsupportedCodes = map[string]bool{
	"read_only_connector":      true,
	"operation_not_supported":  true,
	"unsupported_operation":    true,
	"agent_type_unsupported":   true,
	"container_unsupported":    true,
	"force_change_unsupported": true,
	"password_unsupported":     true,
	"principal_unsupported":    true,
}

// classOf is the class of a target's error.
func classOf(d *v1.ErrorDetail) string {
	switch d.Class {
	case v1.ClassRateLimited:
		return classThrottled
	case v1.ClassAuth:
		return classAuth
	case v1.ClassConfig:
		if unsupportedCodes[d.Code] {
			return classUnsupported
		}
		return classConfig
	case v1.ClassPermission, v1.ClassPolicy, v1.ClassData:
		return classInvalid
	case v1.ClassConflict:
		return classConflict
	case v1.ClassNotFound:
		return classNotFound
	case v1.ClassTargetFault:
		if refusedForGood(d) {
			return classInvalid
		}
	}
	return classTransient
}

// refusedForGood says that the target has understood the change and does not make it: sent again, it is refused again.
func refusedForGood(d *v1.ErrorDetail) bool {
	return ldapResult(d) == ldapUnwillingToPerform
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
			people, accounts, entitlements = append(
				people,
				d.IdentityID,
			), append(
				accounts,
				d.AccountID,
			), append(
				entitlements,
				d.EntitlementID,
			)
		}
	}
	names := namesOfThings{}
	if len(people) == 0 {
		return names, nil
	}
	const sql = `
		select id::text, display_name from identity where id = any(array_remove($1::text[], '')::uuid[])
		 union all
		select a.id::text, ` + directoryaccount.Display + ` from account a where a.id = any(array_remove($2::text[],
		    '')::uuid[])
		 union all
		select id::text, coalesce(nullif(display_name, ''), nullif(name, ''), external_id) from entitlement
		    where id = any(array_remove($3::text[], '')::uuid[])`
	rows, err := tx.Query(ctx, sql, people, accounts, entitlements)
	if err != nil {
		return nil, fmt.Errorf("read names: %w", err)
	}
	var id, name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error { names[id] = name; return nil })
	return names, err
}

// byHand says what a person has to do, and why the connector does not do it where it writes other changes.
func byHand(d draft, can ability, names namesOfThings) string {
	what := toDo(d, can, names)
	if why := can.missing(d.Operation); what != "" && why != "" {
		return what + " " + why
	}
	return what
}

// toDo says what a person has to do.
func toDo(d draft, can ability, names namesOfThings) string {
	who := names.of(d.IdentityID, "the person")
	account := names.of(d.AccountID, "the account of "+who)
	where := "In " + cmp.Or(can.Name, "the target system") + ", "
	end := " Then complete this task with a note."
	switch d.Operation {
	case CreateAccount:
		if d.failed != nil {
			return where + "create an account for " + who + ". Its template cannot be filled: " + d.failed.Message +
				"." + end
		}
		return where + "create an account for " + who + described(
			d.Payload.Account,
		) + "." + end + " The next reading of the system finds the account by its name."
	case UpdateAccount, RenameAccount:
		return where + "change " + account + described(d.Payload.Account) + "." + end
	case Enable:
		return where + "enable " + account + " of " + who + "." + end
	case Disable:
		return where + "disable " + account + " of " + who + ", so that it can no longer be used to sign in." + end
	case DeleteAccount:
		return where + "delete " + account + " of " + who + "." + end
	case Unlock:
		return where + "unlock " + account + " of " + who + "." + end
	case SetPassword:
		return where + "give " + account + " of " + who + " a new password, which has to be changed at the first " +
			"sign-in." + end
	case Grant:
		return where + "give " + account + " the entitlement " + names.of(d.EntitlementID, "named here") + "." + end
	case Revoke:
		return where + "take the entitlement " + names.of(
			d.EntitlementID,
			"named here",
		) + " from " + account + "." + end
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
	}{{"user name", a.Username}, {"e-mail", a.Email}, {"display name", a.DisplayName}, {"first name", a.FirstName},
		{"last name", a.LastName},
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
		return "Correct the account template of the connector, then retry this task: the account is computed again " +
			"from the template."
	}
	return "Complete the missing values of the person in their source system, or change the account template of the " +
		"connector. Then retry this task: the account is computed again from the template."
}

package manual

import (
	"cmp"
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	directoryaccount "github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Names are what people call the records of tasks.
type Names map[string]string

// of is the name of an object, or a text in place of it.
func (n Names) of(id, otherwise string) string { return cmp.Or(n[id], otherwise) }

// ReadNames reads what people call the records of tasks that people are to do.
func ReadNames(ctx context.Context, tx *pg.Tx, tasks []task.Draft) (Names, error) {
	var people, accounts, entitlements []string
	for _, d := range tasks {
		if d.Mode == task.ModeManual {
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
	names := Names{}
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

// Instructions says what a person has to do, and why the connector does not do it where it writes other changes.
func Instructions(d task.Draft, can ability.Ability, names Names) string {
	what := toDo(d, can.Name, names)
	if why := can.WhyByHand(d.Operation); what != "" && why != "" {
		return what + " " + why
	}
	return what
}

// toDo says what a person has to do.
func toDo(d task.Draft, system string, names Names) string {
	who := names.of(d.IdentityID, "the person")
	account := names.of(d.AccountID, "the account of "+who)
	where := "In " + cmp.Or(system, "the target system") + ", "
	end := " Then complete this task with a note."
	switch d.Operation {
	case task.CreateAccount:
		if d.Failed != nil {
			return where + "create an account for " + who + ". Its template cannot be filled: " + d.Failed.Message +
				"." + end
		}
		return where + "create an account for " + who + described(
			d.Payload.Account,
		) + "." + end + " The next reading of the system finds the account by its name."
	case task.UpdateAccount, task.RenameAccount:
		return where + "change " + account + described(d.Payload.Account) + "." + end
	case task.Enable:
		return where + "enable " + account + " of " + who + "." + end
	case task.Disable:
		return where + "disable " + account + " of " + who + ", so that it can no longer be used to sign in." + end
	case task.DeleteAccount:
		return where + "delete " + account + " of " + who + "." + end
	case task.Unlock:
		return where + "unlock " + account + " of " + who + "." + end
	case task.SetPassword:
		return where + "give " + account + " of " + who + " a new password, which has to be changed at the first " +
			"sign-in." + end
	case task.Grant:
		return where + "give " + account + " the entitlement " + names.of(d.EntitlementID, "named here") + "." + end
	case task.Revoke:
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

package attempt

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// shown says whether what was read is what the task asks for. A password cannot be seen.
func (j Job) shown(seen v1.ReadResponse) bool {
	if j.Operation == task.Grant || j.Operation == task.Revoke {
		for _, g := range seen.Grants {
			if g.EntitlementRemoteID == j.Right {
				return g.Held == (j.Operation == task.Grant)
			}
		}
		return false
	}
	if len(seen.Accounts) != 1 {
		return false
	}
	a := seen.Accounts[0].Account
	if a == nil || a.Deleted {
		// That a record is not shown is no proof that it has gone: it may lie outside of what the connector reads.
		return j.Operation == task.DeleteAccount && (a != nil || seen.Accounts[0].Presence == v1.PresenceGone)
	}
	switch j.Operation {
	case task.CreateAccount, task.UpdateAccount, task.RenameAccount:
		return j.Payload.Account != nil && isAsAsked(*j.Payload.Account, *a, j.Operation == task.CreateAccount)
	case task.Enable, task.Disable:
		return a.IsDisabled != nil && *a.IsDisabled == (j.Operation == task.Disable)
	case task.Unlock:
		return a.IsLocked != nil && !*a.IsLocked
	}
	return false
}

// isAsAsked says whether an account is as asked. Of a new one that has the name it was to get, what the target does not
// show is taken for right, and so is a target's own spelling in upper or lower case; a change of one that is there must
// be seen as it was asked for.
func isAsAsked(asked v1.ProvisionAccount, is v1.RemoteAccount, isNew bool) bool {
	if isNew && is.Username == nil {
		return false
	}
	for _, f := range []struct{ asked, is *string }{
		{asked.Username, is.Username}, {asked.Email, is.Email}, {asked.DisplayName, is.DisplayName},
		{asked.FirstName, is.FirstName},
		{asked.LastName, is.LastName}, {asked.EmployeeNumber, is.EmployeeNumber},
	} {
		if f.is == nil && isNew {
			continue
		}
		if f.asked != nil && (f.is == nil || *f.asked != *f.is && !(isNew && strings.EqualFold(*f.asked, *f.is))) {
			return false
		}
	}
	if asked.Container != nil && !strings.EqualFold(parentOf(is.NativeIdentity), tight(*asked.Container)) {
		return false
	}
	for name, value := range asked.Attributes {
		if is, seen := is.Attributes[name]; seen && !same(value, is) {
			return false
		}
	}
	return true
}

// parentOf is the DN of what an entry lies in directly: what follows the first comma that is not escaped.
func parentOf(dn string) string {
	for i := 0; i < len(dn); i++ {
		switch dn[i] {
		case '\\':
			i++
		case ',':
			return tight(dn[i+1:])
		}
	}
	return ""
}

// tight is a DN without the blanks that may follow its commas.
func tight(dn string) string { return strings.ReplaceAll(strings.TrimSpace(dn), ", ", ",") }

// same compares a value that was written with one that was read. A list of one value equals the
// value, and texts equal numbers that are written alike: directories know only texts.
func same(a, b any) bool {
	if list, ok := b.([]any); ok && len(list) == 1 {
		b = list[0]
	}
	return reflect.DeepEqual(a, b) || fmt.Sprint(a) == fmt.Sprint(b)
}

// ReadOne reads a change's record, and gives its outcome where what is read shows it, or proves that its account is
// gone.
func (c *Caller) ReadOne(ctx context.Context, j Job) (o Outcome, shown bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	j.Mode = task.ModeAuto // a person may have made it; it is in the target now
	seen, err := c.read(ctx, j)
	if err != nil {
		return o, false, err
	}
	o = Outcome{Job: j, State: task.Done, Result: v1.OutcomeAlready, Verified: true}
	if len(seen.Accounts) == 1 {
		o.Account = seen.Accounts[0].Account
		o.Vanished = j.takesAway() && o.Account == nil && seen.Accounts[0].Presence == v1.PresenceGone
	}
	return o, j.shown(seen) || o.Vanished && j.Operation != task.Revoke, nil
}

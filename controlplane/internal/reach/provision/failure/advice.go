package failure

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// AdviceOfDraft says what to do about an account that cannot be made of its person.
func AdviceOfDraft(d *v1.ErrorDetail) string {
	if d.Code == "invalid_template" {
		return "Correct the account template of the connector, then retry this task: the account is computed again " +
			"from the template."
	}
	return "Complete the missing values of the person in their source system, or change the account template of the " +
		"connector. Then retry this task: the account is computed again from the template."
}

// Results of LDAP (RFC 4511 appendix A) that have an advice of their own.
const (
	ldapUndefinedAttribute = 17
	ldapUnwillingToPerform = 53
	ldapObjectClass        = 65
)

// ldapResult is the result that a directory gave, 0 where there is none.
func ldapResult(d *v1.ErrorDetail) int {
	if d.Target == nil || d.Target.LDAP == nil {
		return 0
	}
	return d.Target.LDAP.ResultCode
}

// adviceOfCode says what to do about errors that connectors name exactly. %s is the connector's own hint.
var adviceOfCode = map[string]string{
	"account_not_found": "The target does not know the account any more. Sync the connector, so that it is seen to " +
		"be gone; then cancel this task.",
	"account_outside": "The account has been moved out of what the connector reads, and was left as it is. Make the " +
		"change in the target and complete " +
		"this task, or widen what the connector reads and retry.",
	"account_not_visible": "The connector does not see the account, and cannot prove that it is gone: the access may " +
		"still exist. Look for the account in " +
		"the target, give the connector's sign-in the right to see it, and retry; or make the change by hand and " +
		"complete this task.",
	"entitlement_not_found": "The group or role is not in the target any more. Sync the connector, so that it is " +
		"seen to be gone; then remove it from the " +
		"policies and roles that give it, and cancel this task.",
	"entitlement_outside": "The group or role has been moved out of what the connector reads. Widen what it reads, " +
		"or make the change in the target and " +
		"complete this task.",
	"entitlement_not_visible": "The connector does not see the group or role, and cannot prove that it is gone: the " +
		"access may still exist. Look for it in " +
		"the target, give the connector's sign-in the right to see it, and retry.",
	"stale_membership": "A group of the target still lists an earlier account of this name, and the new account " +
		"would inherit the membership. Remove the " +
		"value from the group that the error names; then retry.",
	"primary_group": "The group is the account's primary group, which it cannot leave. Give the account another " +
		"primary group in the target; then retry.",
}

// aboutPassword says that the target refuses the password. Connectors say so by the step or by the code.
func aboutPassword(d *v1.ErrorDetail) bool {
	return d.Phase == "password" || d.Code == "password_refused" || d.Code == "password_needs_tls"
}

// Advice says what to do about a task that has failed: by the code where the connector gives an exact one, else by
// operation and class. The message of the target is not part of it: a task shows it beside the advice.
func Advice(operation, class string, d *v1.ErrorDetail) string {
	text, exact := adviceOfCode[d.Code]
	switch {
	case class == classUnsupported:
		return "The connector cannot make this change. Do it by hand in the target and complete this task, or set " +
			"the connector's write_mode to manual."
	case exact:
		return text
	case aboutPassword(d):
		return withHint(
			"The target's password policy refuses the password. Change the credential in the connector's account "+
				"template (or the policy of "+
				"the target) so that the two agree; then retry.",
			d,
		)
	case ldapResult(d) == ldapUndefinedAttribute:
		return withHint(
			"The directory's schema does not have an attribute that the change writes, and so the connector's "+
				"settings do not fit the target. "+
				"Correct the account template or the connector's settings, or extend the schema; then retry.",
			d,
		)
	case operation == task.Revoke && ldapResult(d) == ldapObjectClass:
		return withHint("The directory does not allow groups without members.", d) + " Then retry."
	case operation == task.CreateAccount && class == ClassConflict:
		return "Another account in the target already has this username. If it belongs to this person, link it to " +
			"them and cancel this task. If not, change the username rule of the account template or the person's " +
			"preferred name, and retry: the account is computed again from the template."
	case operation == task.RenameAccount && class == ClassConflict:
		return "The target has the new login name already. Choose another name, or free it in the target; then retry."
	}
	return adviseClass(operation, class, d)
}

// adviseClass is the advice that follows from the class of an error alone.
func adviseClass(operation, class string, d *v1.ErrorDetail) string {
	switch {
	case class == classNotFound && (operation == task.Grant || operation == task.Revoke):
		return "The target does not know the account, or the group or role, any more. Sync the connector to see " +
			"which, then retry, or cancel this task."
	case class == classNotFound:
		return adviceOfCode["account_not_found"]
	case d.Class == v1.ClassPermission:
		return withHint(
			"The connector's own login is not allowed to make this change. "+
				"Grant it the right in the target, then retry.",
			d,
		)
	case d.Class == v1.ClassPolicy && d.Target == nil:
		return "A policy between here and the target forbids the change: " + cmp.Or(
			d.Hint,
			d.Message,
		) + ". Change the policy, then retry."
	case d.Class == v1.ClassPolicy, IsPermanent(d):
		return withHint(
			"A rule of the target system refuses the change, and will refuse every retry. "+
				"Fix the cause in the target system, then retry.",
			d,
		)
	case class == classInvalid:
		return withHint(
			"The target refuses the values. Compare them with what the target accepts, correct the person's data or "+
				"the connector's account template, then retry.",
			d,
		)
	case class == classAuth:
		return "The target refuses the connector's sign-in. Renew its credentials and test the connection; then retry."
	case class == ClassConfig:
		return strings.TrimSpace(
			"The connector's settings do not fit the target. "+d.Hint,
		) + " Correct them, then retry."
	case class == ClassConflict:
		return withHint("The target's state does not allow the change. Look at the record there, then retry.", d)
	}
	return adviseAfterTries(d)
}

// adviseAfterTries is the advice when a change did not succeed in all of its attempts. A target that answered was
// reached.
func adviseAfterTries(d *v1.ErrorDetail) string {
	const end = " Then retry this task, or all that failed at the connector."
	switch {
	case d.Target != nil && d.Target.HTTP != nil:
		return fmt.Sprintf(
			"The target was reached, and answered all attempts with an error (HTTP status %d). See its log.",
			d.Target.HTTP.Status,
		) + end
	case d.Target != nil && d.Target.LDAP != nil:
		return fmt.Sprintf(
			"The directory was reached, and answered all attempts with an error (result %d, %s). See its log.",
			d.Target.LDAP.ResultCode,
			d.Target.LDAP.Name,
		) + end
	case d.Class == v1.ClassInternal, d.Class == v1.ClassProtocol, d.Class == v1.ClassTargetFault:
		return withHint("All attempts ended with an error.", d) + end
	}
	return "The target could not be reached, or did not answer, in all attempts. Test the connection." + end
}

// withHint adds what the connector itself advises.
func withHint(text string, d *v1.ErrorDetail) string {
	if d.Hint == "" {
		return text
	}
	return text + " " + sentence(d.Hint)
}

// sentence ends a text with a full stop.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

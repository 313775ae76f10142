package failure

import (
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func ldapAnswer(class v1.ErrorClass, result int, diagnostic string) *v1.ErrorDetail {
	return &v1.ErrorDetail{Class: class, Code: "ldap", Message: diagnostic, Target: &v1.Target{
		Kind: "ldap", LDAP: &v1.LDAPResult{ResultCode: result, Diagnostic: diagnostic},
	}}
}

func TestAdviceFollowsTheCodeAndNotTheWords(t *testing.T) {
	noSuchAttribute := ldapAnswer(v1.ClassConfig, 17, "pwdAccountLockedTime: attribute type undefined")
	unwilling := ldapAnswer(v1.ClassTargetFault, 53, "no global superior knowledge")
	password := ldapAnswer(v1.ClassPolicy, 19, "too short")
	password.Phase = "password"
	for _, tt := range []struct {
		name      string
		operation string
		detail    *v1.ErrorDetail
		class     string
		want      string
		not       string
	}{
		{"an attribute that the schema lacks", task.CreateAccount, noSuchAttribute, ClassConfig, "schema", "password"},
		{"the same with a disable", task.Disable, noSuchAttribute, ClassConfig, "schema", "password"},
		{"a change that the directory is unwilling to make", task.Disable, unwilling, classInvalid,
			"refuse every retry", "no global superior knowledge"},
		{"a password that is refused", task.CreateAccount, password, classInvalid, "password policy", ""},
		{"an e-mail address with such a word", task.CreateAccount,
			ldapAnswer(v1.ClassData, 21, "mail: pwd@password.example"), classInvalid, "refuses the values",
			"password policy"},
		{"a group with a telling name", task.Grant, ldapAnswer(v1.ClassNotFound, 32, "cn=account role,ou=group"),
			classNotFound, "to see which", ""},
		{"a container that the target has not", task.CreateAccount,
			&v1.ErrorDetail{Class: v1.ClassConfig, Code: "container_unsupported"}, classUnsupported, "by hand", ""},
		{"a setting with a telling code", task.CreateAccount,
			&v1.ErrorDetail{Class: v1.ClassConfig, Code: "tls_version_unsupported_by_policy"}, ClassConfig,
			"settings do not fit", ""},
		{"an account outside", task.DeleteAccount, &v1.ErrorDetail{Class: v1.ClassConflict, Code: "account_outside"},
			ClassConflict, "moved out", "cancel"},
		{"an account that is not seen", task.Revoke, &v1.ErrorDetail{Class: v1.ClassNotFound, Code: "account_not_visible"},
			classNotFound, "may still exist", "cancel"},
		{"an internal error of a directory", task.Grant, ldapAnswer(v1.ClassTargetFault, 80, "internal"), ClassTransient,
			"result 80", "could not be reached"},
		{"an internal error of a service", task.Grant,
			&v1.ErrorDetail{Class: v1.ClassTargetFault, Target: &v1.Target{HTTP: &v1.HTTPResult{Status: 500}}},
			ClassTransient, "500", "could not be reached"},
		{"a connection that is refused", task.Grant,
			&v1.ErrorDetail{Class: v1.ClassTransient, Code: "tcp_refused", Target: &v1.Target{Net: &v1.NetResult{}}},
			ClassTransient, "could not be reached", ""},
	} {
		class := ClassOf(tt.detail)
		text := Advice(tt.operation, class, tt.detail)
		if class != tt.class || !strings.Contains(text, tt.want) || tt.not != "" && strings.Contains(text, tt.not) {
			t.Errorf("%s: %s, %q; want %s with %q and without %q", tt.name, class, text, tt.class, tt.want, tt.not)
		}
	}
}

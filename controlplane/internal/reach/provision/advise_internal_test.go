package provision

import (
	"strings"
	"testing"

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
		{"an attribute that the schema lacks", CreateAccount, noSuchAttribute, classConfig, "schema", "password"},
		{"the same with a disable", Disable, noSuchAttribute, classConfig, "schema", "password"},
		{"a change that the directory is unwilling to make", Disable, unwilling, classInvalid,
			"no global superior knowledge", "reached"},
		{"a password that is refused", CreateAccount, password, classInvalid, "password policy", ""},
		{"an e-mail address with such a word", CreateAccount,
			ldapAnswer(v1.ClassData, 21, "mail: pwd@password.example"), classInvalid, "refuses the values",
			"password policy"},
		{"a group with a telling name", Grant, ldapAnswer(v1.ClassNotFound, 32, "cn=account role,ou=group"),
			classNotFound, "to see which", ""},
		{"a container that the target has not", CreateAccount,
			&v1.ErrorDetail{Class: v1.ClassConfig, Code: "container_unsupported"}, classUnsupported, "by hand", ""},
		{"a setting with a telling code", CreateAccount,
			&v1.ErrorDetail{Class: v1.ClassConfig, Code: "tls_version_unsupported_by_policy"}, classConfig,
			"settings do not fit", ""},
		{"an account outside", DeleteAccount, &v1.ErrorDetail{Class: v1.ClassConflict, Code: "account_outside"},
			classConflict, "moved out", "cancel"},
		{"an account that is not seen", Revoke, &v1.ErrorDetail{Class: v1.ClassNotFound, Code: "account_not_visible"},
			classNotFound, "may still exist", "cancel"},
		{"an internal error of a directory", Grant, ldapAnswer(v1.ClassTargetFault, 80, "internal"), classTransient,
			"result 80", "could not be reached"},
		{"an internal error of a service", Grant,
			&v1.ErrorDetail{Class: v1.ClassTargetFault, Target: &v1.Target{HTTP: &v1.HTTPResult{Status: 500}}},
			classTransient, "500", "could not be reached"},
		{"a connection that is refused", Grant,
			&v1.ErrorDetail{Class: v1.ClassTransient, Code: "tcp_refused", Target: &v1.Target{Net: &v1.NetResult{}}},
			classTransient, "could not be reached", ""},
	} {
		class := classOf(tt.detail)
		text := advise(tt.operation, class, tt.detail)
		if class != tt.class || !strings.Contains(text, tt.want) || tt.not != "" && strings.Contains(text, tt.not) {
			t.Errorf("%s: %s, %q; want %s with %q and without %q", tt.name, class, text, tt.class, tt.want, tt.not)
		}
	}
}

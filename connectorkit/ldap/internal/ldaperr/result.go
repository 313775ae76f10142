package ldaperr

import (
	"regexp"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// meaning explains a result code to the person who set up the connection.
type meaning struct {
	// class decides whether a run is tried again, and how it is counted.
	class v1.ErrorClass
	// hint says what to do, in words for an administrator.
	hint string
}

// meanings of the result codes (RFC 4511 appendix A) met when reading.
var meanings = map[int]meaning{
	goldap.LDAPResultOperationsError: {
		v1.ClassTargetFault,
		"The directory could not do this in the present state of the connection. Many directories mean: sign in first.",
	},
	goldap.LDAPResultProtocolError: {
		v1.ClassProtocol,
		"The directory did not understand the request. Check that host and port are those of an LDAP service, and " +
			"that it knows StartTLS where that is chosen.",
	},
	goldap.LDAPResultTimeLimitExceeded: {
		v1.ClassPermission,
		"The search took longer than the directory allows for this login. Raise its time limit, narrow the base DN " +
			"or the filter, or have the attributes of the filter indexed.",
	},
	goldap.LDAPResultSizeLimitExceeded: {
		v1.ClassPermission,
		"The directory gives this login fewer entries than there are. Raise the size limit of the login for paged " +
			"searches, or narrow the base DN or the filter.",
	},
	goldap.LDAPResultAuthMethodNotSupported: {
		v1.ClassConfig,
		"The directory does not accept a simple bind here. Allow it for this login, or choose LDAPS or StartTLS.",
	},
	goldap.LDAPResultStrongAuthRequired: {
		v1.ClassConfig,
		"The directory requires an encrypted connection. Set security to ldaps (port 636) or to starttls.",
	},
	goldap.LDAPResultReferral: {
		v1.ClassConfig,
		"The base DN is kept by another server. Use the host that the referral names, or a base DN of this server; " +
			"referrals are not followed.",
	},
	goldap.LDAPResultAdminLimitExceeded: {
		v1.ClassPermission,
		"The search exceeds a limit set by the directory's administrator. Allow paged results to the login, raise " +
			"its look-through limit, or have the attributes of the filter indexed.",
	},
	goldap.LDAPResultUnavailableCriticalExtension: {
		v1.ClassTargetFault,
		"The directory does not support paged results (RFC 2696) or denies them to this login. Allow the control " +
			"1.2.840.113556.1.4.319.",
	},
	goldap.LDAPResultConfidentialityRequired: {
		v1.ClassConfig,
		"The directory talks to encrypted connections only. Set security to starttls, or to ldaps (port 636).",
	},
	goldap.LDAPResultInappropriateMatching: {
		v1.ClassConfig, "An attribute in the filter cannot be compared in this way. Correct the filter.",
	},
	goldap.LDAPResultNoSuchObject: {
		v1.ClassNotFound,
		"The base DN does not exist on this server, or the login cannot see it. Correct the base DN.",
	},
	goldap.LDAPResultInvalidDNSyntax: {
		v1.ClassConfig, "A DN is not written correctly. It looks like ou=people,dc=example,dc=com.",
	},
	goldap.LDAPResultInappropriateAuthentication: {
		v1.ClassAuth,
		"The directory does not let this login sign in this way. It may have no password, or anonymous binds may " +
			"be switched off: give a bind DN and a password.",
	},
	goldap.LDAPResultInvalidCredentials: {
		v1.ClassAuth,
		"Wrong bind DN or password. The bind DN is a whole DN such as cn=reader,dc=example,dc=com, or user@domain " +
			"on Active Directory.",
	},
	goldap.LDAPResultInsufficientAccessRights: {
		v1.ClassPermission,
		"The login is not allowed to do this. Grant it the right to read and search below the base DN.",
	},
	goldap.LDAPResultBusy: {v1.ClassTransient, "The directory is busy. Try again later."},
	goldap.LDAPResultUnavailable: {
		v1.ClassTransient, "The directory is shutting down or not ready. Try again later.",
	},
	goldap.LDAPResultUnwillingToPerform: {
		v1.ClassTargetFault,
		"The directory refuses this. Common reasons: it wants a login, it wants TLS, or it denies paged results to " +
			"this login.",
	},
	goldap.LDAPResultLoopDetect: {
		v1.ClassTargetFault, "The directory found a loop in its own references. Its administrator has to mend it.",
	},
	goldap.LDAPResultAliasProblem: {
		v1.ClassTargetFault, "An alias in the directory is broken. Its administrator has to mend it.",
	},
	goldap.LDAPResultOther: {v1.ClassTargetFault, "The directory reported an internal error. See its log."},
}

// adMeaning is what a sub-code of Active Directory's result 49 says, in short and as advice.
type adMeaning struct{ short, hint string }

// adMeanings are the sub-codes in the diagnostic of result 49, in lower-case hexadecimal.
var adMeanings = map[string]adMeaning{
	"525": {"no such user", "There is no such user. Check the bind DN."},
	"52e": {
		"bad user name or password",
		"The user exists, but the password is wrong, or the bind DN does not name the user as the domain expects.",
	},
	"52f": {"account restriction", "Restrictions of the account forbid this sign-in."},
	"530": {"not at this time", "The account is not allowed to sign in at this time of day."},
	"531": {"not from this machine", "The account is not allowed to sign in from this machine."},
	"532": {"password expired", "The account's password has expired. Set a new one."},
	"533": {"account disabled", "The account is disabled. Enable it, or use another."},
	"568": {"too many groups", "The account is in too many groups for a sign-in."},
	"701": {"account expired", "The account has expired. Extend it, or use another."},
	"773": {
		"password must be changed",
		"The account has to change its password first. Set a password without that demand.",
	},
	"775": {
		"account locked", "The account is locked. Unlock it; a wrong password stored elsewhere may lock it again.",
	},
	"80090346": {
		"channel binding demanded",
		"The directory demands a channel binding that a simple bind cannot give. Set \"LDAP server channel binding " +
			"token requirements\" to \"when supported\".",
	},
}

var (
	// adData finds the sub-code in a diagnostic such as "80090308: LdapErr: …, data 52e, v3839".
	adData = regexp.MustCompile(`(?i)\bdata ([0-9a-f]{1,8})\b`)
	// adPrefix is the Windows error that Active Directory puts before its diagnostics.
	adPrefix = regexp.MustCompile(`^([0-9A-Fa-f]{8}): `)
)

const (
	adBindRequired    = "000004DC"               // Active Directory: a bind must be completed on the connection first
	sambaBindRequired = "without authentication" // the same from Samba, whose code 00002020 means any operations error
	channelBinding    = "80090346"               // SEC_E_BAD_BINDINGS
)

// ResultName is a result code's name as RFC 4511 spells it.
func ResultName(code int) string {
	switch code {
	case goldap.LDAPResultStrongAuthRequired:
		return "strongerAuthRequired"
	case goldap.LDAPResultInvalidAttributeSyntax:
		return "invalidAttributeSyntax"
	}
	words := goldap.LDAPResultCodeMap[uint16(code)] //nolint:gosec // A code beyond the map's range has no name.
	if code < 0 || code > 0xFFFF || words == "" {
		return "unknown"
	}
	name := strings.ReplaceAll(words, " ", "")
	return strings.ToLower(name[:1]) + name[1:]
}

// adSubcode finds the Windows error in a diagnostic of Active Directory's: of result 49 the one behind "data".
func adSubcode(code int, diagnostic string) string {
	prefix := adPrefix.FindStringSubmatch(diagnostic)
	if prefix == nil {
		return ""
	}
	if code == goldap.LDAPResultInvalidCredentials && prefix[1] == channelBinding {
		return channelBinding
	}
	if m := adData.FindStringSubmatch(diagnostic); m != nil && code == goldap.LDAPResultInvalidCredentials {
		return strings.ToLower(m[1])
	}
	return strings.ToUpper(prefix[1])
}

// explainCode returns class and hint of a result.
func explainCode(r *v1.LDAPResult) meaning {
	m, known := meanings[r.ResultCode]
	if !known {
		m = meaning{v1.ClassTargetFault, "The directory refused the request. See its log."}
	}
	switch {
	case r.ResultCode == goldap.LDAPResultInvalidCredentials && adMeanings[r.ADSubcode].hint != "":
		m.hint = adMeanings[r.ADSubcode].hint
	case r.ResultCode == goldap.LDAPResultOperationsError && (r.ADSubcode == adBindRequired ||
		strings.Contains(r.Diagnostic, sambaBindRequired)):
		m = meaning{v1.ClassAuth, "The directory shows nothing without a sign-in. Give a bind DN and a password."}
	case r.ResultCode == goldap.LDAPResultNoSuchObject && r.MatchedDN != "":
		m.hint += " What exists of it is " + r.MatchedDN + "."
	}
	return m
}

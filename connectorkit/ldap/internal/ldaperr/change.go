package ldaperr

import (
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// isChange says whether an operation changes something. Result codes then have other meanings than
// in a search.
func isChange(op string) bool {
	switch op {
	case wire.OpAdd, wire.OpModify, wire.OpModifyDN, wire.OpDelete, "password_modify":
		return true
	}
	return false
}

// changeMeanings are the meanings of the result codes that differ, or are only met, when something is changed.
var changeMeanings = map[int]meaning{
	goldap.LDAPResultTimeLimitExceeded: {
		v1.ClassTransient, "The directory took too long to make the change. Try again later.",
	},
	goldap.LDAPResultReferral: {
		v1.ClassConfig,
		"This server only reads and refers changes to another. Set host to the server that takes them; referrals " +
			"are not followed.",
	},
	goldap.LDAPResultAdminLimitExceeded: {
		v1.ClassPermission,
		"The change exceeds a limit set by the directory's administrator. Have it raised for this login.",
	},
	goldap.LDAPResultConfidentialityRequired: {
		v1.ClassConfig,
		"The directory takes this change on encrypted connections only. Set security to starttls, or to ldaps " +
			"(port 636).",
	},
	goldap.LDAPResultNoSuchAttribute: {
		v1.ClassConflict, "A value to remove no longer exists. Try again: the current values are read again.",
	},
	goldap.LDAPResultUndefinedAttributeType: {
		v1.ClassConfig,
		"The directory does not know one of these attributes. Correct its name in the template or in " +
			"create_defaults, or extend the directory's schema. Where it is pwdAccountLockedTime or pwdReset, the " +
			"directory has no password policy (ppolicy): set disable_strategy to another way.",
	},
	goldap.LDAPResultConstraintViolation: {
		v1.ClassData,
		"A value breaks a rule of the directory: it is too long, of the wrong form, one too many, or has to be " +
			"unique and is not.",
	},
	goldap.LDAPResultAttributeOrValueExists: {
		v1.ClassConflict, "A value to add already exists. Try again: the current values are read again.",
	},
	goldap.LDAPResultInvalidAttributeSyntax: {
		v1.ClassData,
		"A value does not have the form that its attribute demands. Correct it at its source, or in the template.",
	},
	goldap.LDAPResultNoSuchObject: {
		v1.ClassNotFound, "The entry was deleted or renamed in the meantime. Try again: it is searched for again.",
	},
	goldap.LDAPResultInvalidDNSyntax: {
		v1.ClassData,
		"The directory does not accept this name or container. Look for characters that it does not take.",
	},
	goldap.LDAPResultInsufficientAccessRights: {
		v1.ClassPermission,
		"The login is not allowed to make this change. Grant it the right to write there, in the directory's access " +
			"rules or, on Active Directory, by delegation. Members of its protected groups (adminCount) are kept " +
			"from delegated logins by AdminSDHolder.",
	},
	goldap.LDAPResultUnwillingToPerform: {
		v1.ClassPolicy,
		"The directory refused this change, and it was not made. See its message and its log for the reason.",
	},
	goldap.LDAPResultNamingViolation: {
		v1.ClassConfig,
		"The directory does not allow an entry of this name or in this place. Check create_rdn_attribute, the object " +
			"classes and the container.",
	},
	goldap.LDAPResultObjectClassViolation: {
		v1.ClassData,
		"The object classes demand an attribute that is missing, or do not allow one that was given. Check " +
			"create_object_classes, create_defaults and the template.",
	},
	goldap.LDAPResultNotAllowedOnNonLeaf: {
		v1.ClassConflict,
		"There are entries below this one, and it was not deleted. Move or delete those first, or set " +
			"delete_leaf_only to false where the directory can delete whole trees.",
	},
	goldap.LDAPResultNotAllowedOnRDN: {
		v1.ClassData, "The attribute is part of the entry's name. Ask for account.rename.",
	},
	goldap.LDAPResultEntryAlreadyExists: {
		v1.ClassConflict,
		"There is an entry of this name, or one that has a value which must be unique. Choose another user name, " +
			"or correlate the account that is there.",
	},
	goldap.LDAPResultObjectClassModsProhibited: {v1.ClassData, "The entry's main object class cannot be changed."},
	goldap.LDAPResultAffectsMultipleDSAs: {
		v1.ClassConfig, "The entry cannot be moved there: another server, or another database, keeps that place.",
	},
	goldap.LDAPResultUnavailableCriticalExtension: {
		v1.ClassTargetFault, "The directory offers a control and then refuses it to this login. Allow it.",
	},
}

// windowsMeanings are what the Windows errors behind refusals of Active Directory say (MS-ERREF).
var windowsMeanings = map[string]meaning{
	"0000001F": {v1.ClassPolicy, "Active Directory takes passwords over TLS only. Set security to ldaps or starttls."},
	"00000005": {
		v1.ClassPermission,
		"The login is not allowed to make this change. Grant it the right by delegation; members of protected groups " +
			"(adminCount) are kept from delegated logins by AdminSDHolder.",
	},
	"00000056": {v1.ClassPolicy, "The present password is not the one that was given."},
	"0000052D": {
		v1.ClassPolicy,
		"The domain's password policy refuses this: the password is too short, too simple or was used before; or " +
			"the account is to be enabled and has no password. Reset its password first.",
	},
	"00000524": {
		v1.ClassConflict,
		"There is another object with this sAMAccountName in the domain, be it a group or a machine. Choose " +
			"another user name.",
	},
	"00000565": {v1.ClassConflict, "A group of this scope cannot hold this member."},
	"000021C8": {
		v1.ClassConflict, "Another account of the forest has this userPrincipalName. Choose another user name.",
	},
	"000021C7": {v1.ClassConflict, "Another account of the forest has this servicePrincipalName."},
	"00002089": {v1.ClassConfig, "The place of the new entry does not exist. Set create_container to one that does."},
	"00002015": {
		v1.ClassConflict,
		"There are entries below this one, and it was not deleted. Move or delete those first, or set " +
			"delete_leaf_only to false.",
	},
	"0000209A": {v1.ClassPermission, "Only Active Directory itself can write this attribute."},
}

// explainChange returns class and hint of a refused change; m is what the result means when reading.
func explainChange(r *v1.LDAPResult, m meaning) meaning {
	if special, ok := windowsMeanings[r.ADSubcode]; ok {
		return special
	}
	special, ok := changeMeanings[r.ResultCode]
	if !ok {
		return m
	}
	if r.ResultCode == goldap.LDAPResultConstraintViolation &&
		strings.Contains(strings.ToLower(r.Diagnostic), "unique") {
		special = meaning{
			v1.ClassConflict,
			"Another entry has one of these values, and the directory requires unique values. Correct the value at " +
				"its source, or correlate the account that has it.",
		}
	}
	if r.ResultCode == goldap.LDAPResultNoSuchObject && r.MatchedDN != "" {
		special.hint += " What exists of it is " + r.MatchedDN + "."
	}
	return special
}

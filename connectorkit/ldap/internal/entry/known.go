package entry

import (
	"strings"
)

// Format says how the values of an attribute become text.
type Format uint8

const (
	asText Format = iota // unless it cannot be: then binary
	AsBinary
	AsGUID
	AsSID
	AsFiletime
	AsTime
)

// slot is a place for an attribute whose values the connector itself understands.
type slot uint8

const (
	noSlot slot = iota
	slotAccountControl
	slotAccountExpires
	slotAdminCount
	SlotCN
	slotComputedControl
	SlotCreated
	SlotDescription
	slotDisabled
	SlotDisplayName
	slotEmployeeID
	slotEmployeeNumber
	slotGivenName
	slotLastLogin
	slotLastLoginReplicated
	slotLocked
	slotLockoutTime
	slotMail
	SlotManager
	SlotModified
	SlotObjectClass
	slotPasswordExpires
	slotPasswordSet
	slotPrimaryGroup
	slotPwdLastSet
	slotPwdLockedTime
	SlotSAM
	SlotSID
	slotSurname
	slotUID
	slotUnlockTime
	slotCount
)

// KnownAttributes holds, by lower-case name, what the connector makes of attributes.
var KnownAttributes = map[string]Attribute{
	"useraccountcontrol":                      {Slot: slotAccountControl},
	"msds-user-account-control-computed":      {Slot: slotComputedControl},
	"accountexpires":                          {Slot: slotAccountExpires, Format: AsFiletime},
	"lockouttime":                             {Slot: slotLockoutTime, Format: AsFiletime},
	"pwdlastset":                              {Slot: slotPwdLastSet, Format: AsFiletime},
	"lastlogontimestamp":                      {Slot: slotLastLoginReplicated, Format: AsFiletime},
	"lastlogon":                               {Slot: slotLastLogin, Format: AsFiletime},
	"lastlogoff":                              {Format: AsFiletime},
	"badpasswordtime":                         {Format: AsFiletime},
	"msds-userpasswordexpirytimecomputed":     {Format: AsFiletime},
	"ms-mcs-admpwdexpirationtime":             {Format: AsFiletime},
	"creationtime":                            {Format: AsFiletime},
	"mslaps-passwordexpirationtime":           {Format: AsFiletime},
	"msds-lastsuccessfulinteractivelogontime": {Format: AsFiletime},
	"msds-lastfailedinteractivelogontime":     {Format: AsFiletime},
	"objectguid":                              {Format: AsGUID},
	"ms-ds-consistencyguid":                   {Format: AsGUID},
	"objectsid":                               {Format: AsSID, Slot: SlotSID},
	"sidhistory":                              {Format: AsSID},
	"primarygroupid":                          {Slot: slotPrimaryGroup},
	"admincount":                              {Slot: slotAdminCount},
	"samaccountname":                          {Slot: SlotSAM},
	"whencreated":                             {Slot: SlotCreated, Format: AsTime},
	"whenchanged":                             {Slot: SlotModified, Format: AsTime},
	"createtimestamp":                         {Slot: SlotCreated, Format: AsTime},
	"modifytimestamp":                         {Slot: SlotModified, Format: AsTime},
	"accountunlocktime":                       {Slot: slotUnlockTime, Format: AsTime},
	"pwdaccountlockedtime":                    {Slot: slotPwdLockedTime, Format: AsTime},
	"pwdchangedtime":                          {Slot: slotPasswordSet, Format: AsTime},
	"pwdupdatetime":                           {Slot: slotPasswordSet, Format: AsTime},
	"krblastpwdchange":                        {Slot: slotPasswordSet, Format: AsTime},
	"passwordexpirationtime":                  {Slot: slotPasswordExpires, Format: AsTime},
	"krbpasswordexpiration":                   {Slot: slotPasswordExpires, Format: AsTime},
	"krbprincipalexpiration":                  {Slot: slotAccountExpires, Format: AsTime},
	"loginexpirationtime":                     {Slot: slotAccountExpires, Format: AsTime},
	"pwdlastsuccess":                          {Slot: slotLastLogin, Format: AsTime},
	"authtimestamp":                           {Slot: slotLastLogin, Format: AsTime},
	"lastlogintime":                           {Slot: slotLastLogin, Format: AsTime},
	"krblastsuccessfulauth":                   {Slot: slotLastLogin, Format: AsTime},
	"logintime":                               {Slot: slotLastLogin, Format: AsTime},
	"krblastfailedauth":                       {Format: AsTime},
	"nsaccountlock":                           {Slot: slotDisabled},
	"logindisabled":                           {Slot: slotDisabled},
	"ds-pwp-account-disabled":                 {Slot: slotDisabled},
	"msds-useraccountdisabled":                {Slot: slotDisabled},
	"lockedbyintruder":                        {Slot: slotLocked},
	"ibm-pwdaccountlocked":                    {Slot: slotLocked},
	"cn":                                      {Slot: SlotCN},
	"uid":                                     {Slot: slotUID},
	"mail":                                    {Slot: slotMail},
	"displayname":                             {Slot: SlotDisplayName},
	"givenname":                               {Slot: slotGivenName},
	"sn":                                      {Slot: slotSurname},
	"employeenumber":                          {Slot: slotEmployeeNumber},
	"employeeid":                              {Slot: slotEmployeeID},
	"manager":                                 {Slot: SlotManager},
	"description":                             {Slot: SlotDescription},
	"objectclass":                             {Slot: SlotObjectClass},
	"jpegphoto":                               {Format: AsBinary},
	"thumbnailphoto":                          {Format: AsBinary},
	"thumbnaillogo":                           {Format: AsBinary},
	"photo":                                   {Format: AsBinary},
	"audio":                                   {Format: AsBinary},
	"usercertificate":                         {Format: AsBinary},
	"usersmimecertificate":                    {Format: AsBinary},
	"cacertificate":                           {Format: AsBinary},
	"msexchmailboxguid":                       {Format: AsGUID},
	"msexchmailboxsecuritydescriptor":         {Format: AsBinary},
	"ntsecuritydescriptor":                    {Format: AsBinary},
	"logonhours":                              {Format: AsBinary},
	"userparameters":                          {Format: AsBinary},
	"managedby":                               {owner: true},
	"owner":                                   {owner: true},
	"telephonenumber":                         {phone: "work"},
	"mobile":                                  {phone: "mobile"},
	"objectcategory":                          {},
	"dscorepropagationdata":                   {Omit: true},
}

// requested are the attributes of known that are asked for when the settings narrow what is read.
var requested = []string{
	"objectClass", "cn", "uid", "mail", "displayName", "givenName", "sn", "employeeNumber", "manager", "description",
	"createTimestamp", "modifyTimestamp", "owner",
}

// requestedAD are the further ones on Active Directory.
var requestedAD = []string{
	"sAMAccountName", "userAccountControl", "accountExpires", "lockoutTime", "pwdLastSet", "lastLogonTimestamp",
	"lastLogon",
	"objectSid", "primaryGroupID", "adminCount", "whenCreated", "whenChanged", "employeeID", "managedBy",
}

// secrets are attributes whose values never leave this package, whatever the settings say: passwords, their
// hashes and keys.
var secrets = map[string]bool{
	"userpassword": true, "unicodepwd": true, "dbcspwd": true, "lmpwdhistory": true, "ntpwdhistory": true,
	"supplementalcredentials": true,
	"sambantpassword":         true, "sambalmpassword": true, "sambapasswordhistory": true,
	"sambacleartextpassword": true, "pwdhistory": true, "passwordhistory": true,
	"krbprincipalkey": true, "krbextradata": true, "krb5key": true, "ipanthash": true, "ipatokenotpkey": true,
	"authpassword":         true,
	"msds-managedpassword": true, "ms-mcs-admpwd": true, "mslaps-password": true, "mslaps-encryptedpassword": true,
	"mslaps-encryptedpasswordhistory": true, "mslaps-encrypteddsrmpassword": true,
	"mslaps-encrypteddsrmpasswordhistory": true,
	"nspmpassword":                        true, "nspmdistributionpassword": true, "nspmpasswordkey": true,
	"privatekey": true, "sasloginsecret": true, "sasloginsecretkey": true,
	"userpkcs12": true, "initialauthincoming": true, "initialauthoutgoing": true, "trustauthincoming": true,
	"trustauthoutgoing": true,
	"radiuspassword":    true, "goipphonepin": true, "passwordretrycount": false,
}

// IsSecret tells an attribute that holds a secret by its lower-case name, those that somebody's own schema
// adds included.
func IsSecret(lower string) bool {
	if v, listed := secrets[lower]; listed {
		return v
	}
	for _, end := range []string{"password", "passwd", "pwd", "secret", "passphrase", "privatekey", "passwordhash"} {
		if strings.HasSuffix(lower, end) {
			return true
		}
	}
	return false
}

// IsBackLink tells an attribute that the directory works out from others: it changes without a change of its
// entry, and its information is read where it is stored.
func IsBackLink(lower string, activeDir bool) bool {
	switch {
	case lower == "memberof":
		return true
	case !activeDir:
		return false
	}
	return lower == "directreports" || lower == "managedobjects" || strings.HasPrefix(lower, "ms") &&
		strings.HasSuffix(lower, "bl")
}

// MemberAttributes list who is in a group; the last by user name, the others by DN.
var MemberAttributes = []string{"member", "uniqueMember", "memberUid"}

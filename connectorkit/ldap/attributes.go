package ldap

import (
	"slices"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// format says how the values of an attribute become text.
type format uint8

const (
	asText format = iota // unless it cannot be: then binary
	asBinary
	asGUID
	asSID
	asFiletime
	asTime
)

// slot is a place for an attribute whose values the connector itself understands.
type slot uint8

const (
	noSlot slot = iota
	slotAccountControl
	slotAccountExpires
	slotAdminCount
	slotCN
	slotComputedControl
	slotCreated
	slotDescription
	slotDisabled
	slotDisplayName
	slotEmployeeID
	slotEmployeeNumber
	slotGivenName
	slotLastLogin
	slotLastLoginReplicated
	slotLocked
	slotLockoutTime
	slotMail
	slotManager
	slotModified
	slotObjectClass
	slotPasswordExpires
	slotPasswordSet
	slotPrimaryGroup
	slotPwdLastSet
	slotPwdLockedTime
	slotSAM
	slotSID
	slotSurname
	slotUID
	slotUnlockTime
	slots
)

// known holds, by lower-case name, what the connector makes of attributes.
var known = map[string]attribute{
	"useraccountcontrol": {slot: slotAccountControl}, "msds-user-account-control-computed": {slot: slotComputedControl},
	"accountexpires": {slot: slotAccountExpires, format: asFiletime}, "lockouttime": {slot: slotLockoutTime, format: asFiletime},
	"pwdlastset": {slot: slotPwdLastSet, format: asFiletime}, "lastlogontimestamp": {slot: slotLastLoginReplicated, format: asFiletime},
	"lastlogon": {slot: slotLastLogin, format: asFiletime}, "lastlogoff": {format: asFiletime}, "badpasswordtime": {format: asFiletime},
	"msds-userpasswordexpirytimecomputed": {format: asFiletime}, "ms-mcs-admpwdexpirationtime": {format: asFiletime}, "creationtime": {format: asFiletime},
	"mslaps-passwordexpirationtime": {format: asFiletime}, "msds-lastsuccessfulinteractivelogontime": {format: asFiletime}, "msds-lastfailedinteractivelogontime": {format: asFiletime},
	"objectguid": {format: asGUID}, "ms-ds-consistencyguid": {format: asGUID}, "objectsid": {format: asSID, slot: slotSID}, "sidhistory": {format: asSID},
	"primarygroupid": {slot: slotPrimaryGroup}, "admincount": {slot: slotAdminCount}, "samaccountname": {slot: slotSAM},
	"whencreated": {slot: slotCreated, format: asTime}, "whenchanged": {slot: slotModified, format: asTime},
	"createtimestamp": {slot: slotCreated, format: asTime}, "modifytimestamp": {slot: slotModified, format: asTime},
	"accountunlocktime": {slot: slotUnlockTime, format: asTime}, "pwdaccountlockedtime": {slot: slotPwdLockedTime, format: asTime}, "pwdchangedtime": {slot: slotPasswordSet, format: asTime},
	"pwdupdatetime": {slot: slotPasswordSet, format: asTime}, "krblastpwdchange": {slot: slotPasswordSet, format: asTime},
	"passwordexpirationtime": {slot: slotPasswordExpires, format: asTime}, "krbpasswordexpiration": {slot: slotPasswordExpires, format: asTime},
	"krbprincipalexpiration": {slot: slotAccountExpires, format: asTime}, "loginexpirationtime": {slot: slotAccountExpires, format: asTime},
	"pwdlastsuccess": {slot: slotLastLogin, format: asTime}, "authtimestamp": {slot: slotLastLogin, format: asTime}, "lastlogintime": {slot: slotLastLogin, format: asTime},
	"krblastsuccessfulauth": {slot: slotLastLogin, format: asTime}, "logintime": {slot: slotLastLogin, format: asTime}, "krblastfailedauth": {format: asTime},
	"nsaccountlock": {slot: slotDisabled}, "logindisabled": {slot: slotDisabled}, "ds-pwp-account-disabled": {slot: slotDisabled}, "msds-useraccountdisabled": {slot: slotDisabled},
	"lockedbyintruder": {slot: slotLocked}, "ibm-pwdaccountlocked": {slot: slotLocked},
	"cn": {slot: slotCN}, "uid": {slot: slotUID}, "mail": {slot: slotMail}, "displayname": {slot: slotDisplayName}, "givenname": {slot: slotGivenName}, "sn": {slot: slotSurname},
	"employeenumber": {slot: slotEmployeeNumber}, "employeeid": {slot: slotEmployeeID}, "manager": {slot: slotManager}, "description": {slot: slotDescription}, "objectclass": {slot: slotObjectClass},
	"jpegphoto": {format: asBinary}, "thumbnailphoto": {format: asBinary}, "thumbnaillogo": {format: asBinary}, "photo": {format: asBinary}, "audio": {format: asBinary},
	"usercertificate": {format: asBinary}, "usersmimecertificate": {format: asBinary}, "cacertificate": {format: asBinary}, "msexchmailboxguid": {format: asGUID},
	"msexchmailboxsecuritydescriptor": {format: asBinary}, "ntsecuritydescriptor": {format: asBinary}, "logonhours": {format: asBinary}, "userparameters": {format: asBinary},
	"managedby": {owner: true}, "owner": {owner: true},
	"telephonenumber": {phone: "work"}, "mobile": {phone: "mobile"},
	"objectcategory": {}, "dscorepropagationdata": {drop: true},
}

// requested are the attributes of known that are asked for when the settings narrow what is read.
var requested = []string{
	"objectClass", "cn", "uid", "mail", "displayName", "givenName", "sn", "employeeNumber", "manager", "description",
	"createTimestamp", "modifyTimestamp", "owner",
}

var requestedAD = []string{
	"sAMAccountName", "userAccountControl", "accountExpires", "lockoutTime", "pwdLastSet", "lastLogonTimestamp", "lastLogon",
	"objectSid", "primaryGroupID", "adminCount", "whenCreated", "whenChanged", "employeeID", "managedBy",
}

// secrets are attributes whose values never leave this package, whatever the settings say: passwords, their hashes and keys.
var secrets = map[string]bool{
	"userpassword": true, "unicodepwd": true, "dbcspwd": true, "lmpwdhistory": true, "ntpwdhistory": true, "supplementalcredentials": true,
	"sambantpassword": true, "sambalmpassword": true, "sambapasswordhistory": true, "sambacleartextpassword": true, "pwdhistory": true, "passwordhistory": true,
	"krbprincipalkey": true, "krbextradata": true, "krb5key": true, "ipanthash": true, "ipatokenotpkey": true, "authpassword": true,
	"msds-managedpassword": true, "ms-mcs-admpwd": true, "mslaps-password": true, "mslaps-encryptedpassword": true,
	"mslaps-encryptedpasswordhistory": true, "mslaps-encrypteddsrmpassword": true, "mslaps-encrypteddsrmpasswordhistory": true,
	"nspmpassword": true, "nspmdistributionpassword": true, "nspmpasswordkey": true, "privatekey": true, "sasloginsecret": true, "sasloginsecretkey": true,
	"userpkcs12": true, "initialauthincoming": true, "initialauthoutgoing": true, "trustauthincoming": true, "trustauthoutgoing": true,
	"radiuspassword": true, "goipphonepin": true, "passwordretrycount": false,
}

// isSecret tells an attribute that holds a secret by its lower-case name, those that somebody's own schema adds included.
func isSecret(lower string) bool {
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

// isBackLink tells an attribute that the directory works out from others: it changes without a change of its entry, and what it
// tells is told where it is kept.
func isBackLink(lower string, activeDir bool) bool {
	switch {
	case lower == "memberof":
		return true
	case !activeDir:
		return false
	}
	return lower == "directreports" || lower == "managedobjects" || strings.HasPrefix(lower, "ms") && strings.HasSuffix(lower, "bl")
}

// memberAttributes list who is in a group; the last by user name, the others by DN.
var memberAttributes = []string{"member", "uniqueMember", "memberUid"}

// attribute is what becomes of an attribute of the target.
type attribute struct {
	key      string // its name in a record's Attributes
	format   format
	slot     slot
	drop     bool // not part of a record's Attributes
	id       bool
	username bool
	closing  bool   // disables, as the settings say
	member   bool   // lists members
	byName   bool   // members are user names
	owner    bool   // names who answers for a group
	phone    string // which kind of phone number it holds
	base     string // the name without options
	rangeEnd string // of member;range=0-1499: 1499; * in the last one; empty without a range
}

// maxNames bounds how many names are remembered: a target could make up new ones for ever.
const maxNames = 4096

// dictionary remembers what becomes of the attributes met in one call.
type dictionary struct {
	byName map[string]*attribute
	se     *session
	wanted map[string]bool // lower-case names that records may carry; nil: all
}

func newDictionary(se *session, o *v1.SyncOptions) *dictionary {
	d := &dictionary{byName: map[string]*attribute{}, se: se}
	for _, list := range [][]string{se.attributes, allowlist(o)} {
		if len(list) > 0 {
			d.wanted = narrower(d.wanted, list)
		}
	}
	return d
}

func allowlist(o *v1.SyncOptions) []string {
	if o == nil {
		return nil
	}
	return o.FieldAllowlist
}

// narrower keeps what is both in wanted and in list.
func narrower(wanted map[string]bool, list []string) map[string]bool {
	out := map[string]bool{}
	for _, n := range list {
		if n = strings.ToLower(n); wanted == nil || wanted[n] {
			out[n] = true
		}
	}
	return out
}

// lookup finds what becomes of the attribute that the target calls name.
func (d *dictionary) lookup(name []byte) *attribute {
	if a, ok := d.byName[string(name)]; ok {
		return a
	}
	a := d.resolve(string(name))
	if len(d.byName) < maxNames {
		d.byName[string(name)] = a
	}
	return a
}

func (d *dictionary) resolve(name string) *attribute {
	key, end := splitOptions(name)
	base, _, _ := strings.Cut(key, ";")
	lower := strings.ToLower(base)
	a := known[lower]
	a.key, a.base, a.rangeEnd = key, base, end
	if key != base {
		a.slot = noSlot // cn;lang-fr is not the cn that others know
	}
	a.id = strings.EqualFold(base, d.se.idAttribute)
	a.username = strings.EqualFold(base, d.se.usernameAttribute)
	a.closing = strings.EqualFold(base, d.se.writing.closingAttribute)
	a.member, a.byName = d.membership(lower)
	if slices.ContainsFunc(d.se.binary, func(b string) bool { return strings.EqualFold(b, base) }) {
		a.format = asBinary
	}
	backLink := isBackLink(lower, d.se.flavor.activeDir) && !d.wanted[lower]
	unwanted := d.wanted != nil && !d.wanted[lower]
	a.drop = a.drop || a.member || unwanted || backLink || isSecret(lower)
	return &a
}

// membership tells whether an attribute lists members, and whether by user name.
func (d *dictionary) membership(lower string) (member, byName bool) {
	if configured := d.se.memberAttribute; configured != "" {
		return strings.EqualFold(configured, lower), strings.HasSuffix(lower, "uid")
	}
	return slices.ContainsFunc(memberAttributes, func(m string) bool { return strings.EqualFold(m, lower) }), lower == "memberuid"
}

// splitOptions takes the options off that only tell how values came: ;binary (RFC 4522) and AD's ;range=.
func splitOptions(name string) (key, rangeEnd string) {
	parts := strings.Split(name, ";")
	kept := parts[:1]
	for _, o := range parts[1:] {
		lower := strings.ToLower(o)
		if bounds, ok := strings.CutPrefix(lower, "range="); ok {
			_, rangeEnd, _ = strings.Cut(bounds, "-")
			continue
		}
		if lower != "binary" {
			kept = append(kept, o)
		}
	}
	return strings.Join(kept, ";"), rangeEnd
}

// request lists the attributes to ask for when people, or groups, are read.
func (d *dictionary) request() []string {
	f := d.se.flavor
	extra := append([]string{d.se.idAttribute}, f.operational...)
	if d.wanted == nil {
		return append([]string{"*", "createTimestamp", "modifyTimestamp"}, append(extra, ifSet(d.se.usernameAttribute, d.se.memberAttribute, d.se.writing.closingAttribute)...)...)
	}
	list := append(slices.Clone(requested), extra...)
	if f.activeDir {
		list = append(list, requestedAD...)
	}
	list = append(list, memberAttributes...)
	list = append(list, ifSet(d.se.usernameAttribute, d.se.memberAttribute, d.se.writing.closingAttribute)...)
	for n := range d.wanted {
		list = append(list, n)
	}
	// Names given by the user are asked for in their spelling, and none twice.
	slices.Sort(list)
	return slices.CompactFunc(list, strings.EqualFold)
}

func ifSet(names ...string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return n == "" })
}

package scim

import (
	"net/url"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// enterpriseUser is the extension of RFC 7643 section 4.3.
const enterpriseUser = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"

// identityOf reads a User as a person.
func identityOf(rec record, attributes map[string]any) v1.RemoteIdentity {
	name, work := rec.sub("name"), rec.sub(enterpriseUser)
	p := v1.RemoteIdentity{
		ExternalID:     rec.text("id"),
		Username:       rec.opt("userName"),
		Email:          mailOf(rec),
		DisplayName:    displayName(rec),
		FirstName:      name.opt("givenName"),
		MiddleName:     name.opt("middleName"),
		LastName:       name.opt("familyName"),
		PreferredName:  rec.opt("nickName"),
		Title:          rec.opt("title"),
		EmploymentType: rec.opt("userType"),
		EmployeeNumber: work.opt("employeeNumber"),
		CostCenter:     work.opt("costCenter"),
		Organization:   work.opt("organization"),
		Division:       work.opt("division"),
		Department:     work.opt("department"),
		ManagerRef:     managerOf(work),
		IsDisabled:     disabled(rec),
		ModifiedAt:     rec.sub("meta").moment("lastModified"),
		ETag:           rec.sub("meta").text("version"),
		Attributes:     attributes,
		PhoneNumbers:   phonesOf(rec),
		Addresses:      addressesOf(rec),
	}
	return p
}

// accountOf reads a User as a login. linked says that the same user is told as an identity too.
func accountOf(rec record, attributes map[string]any, linked bool) v1.RemoteAccount {
	name, meta := rec.sub("name"), rec.sub("meta")
	a := v1.RemoteAccount{
		ExternalID:     rec.text("id"),
		NativeIdentity: rec.text("userName"),
		Username:       rec.opt("userName"),
		Email:          mailOf(rec),
		DisplayName:    displayName(rec),
		FirstName:      name.opt("givenName"),
		LastName:       name.opt("familyName"),
		EmployeeNumber: rec.sub(enterpriseUser).opt("employeeNumber"),
		IsDisabled:     disabled(rec),
		CreatedAt:      meta.moment("created"),
		ModifiedAt:     meta.moment("lastModified"),
		ETag:           meta.text("version"),
		Attributes:     attributes,
	}
	if linked {
		a.IdentityExternalID = opt(a.ExternalID)
	}
	return a
}

// phonesOf are the phone numbers of a User; an empty list if there are none.
func phonesOf(rec record) []v1.PhoneNumber {
	out := []v1.PhoneNumber{}
	for _, item := range rec.items("phoneNumbers") {
		if number := item.text("value"); number != "" {
			out = append(
				out,
				v1.PhoneNumber{Value: number, Type: strings.ToLower(item.text("type")), Primary: isPrimary(item)},
			)
		}
	}
	return out
}

// addressesOf are the addresses of a User; an empty list if there are none.
func addressesOf(rec record) []v1.Address {
	out := []v1.Address{}
	for _, item := range rec.items("addresses") {
		a := v1.Address{
			Formatted:     item.text("formatted"),
			StreetAddress: item.text("streetAddress"),
			Locality:      item.text("locality"),
			Region:        item.text("region"),
			PostalCode:    item.text("postalCode"),
			Country:       item.text("country"),
		}
		if a == (v1.Address{}) {
			continue
		}
		a.Type, a.Primary = strings.ToLower(item.text("type")), isPrimary(item)
		out = append(out, a)
	}
	return out
}

// isPrimary says whether one of several values is the preferred one.
func isPrimary(item record) bool {
	p := item.flag("primary")
	return p != nil && *p
}

// disabled is the opposite of active; absent means that the target does not say.
func disabled(rec record) *bool {
	active := rec.flag("active")
	if active == nil {
		return nil
	}
	off := !*active
	return &off
}

// mailOf picks the primary address, else one for work, else the first.
func mailOf(rec record) *string {
	best, rank := "", 0
	for _, mail := range rec.items("emails") {
		if v, r := mail.text("value"), standing(mail); v != "" && r > rank {
			best, rank = v, r
		}
	}
	return opt(best)
}

func displayName(rec record) *string {
	if d := rec.opt("displayName"); d != nil {
		return d
	}
	name := rec.sub("name")
	if f := name.opt("formatted"); f != nil {
		return f
	}
	return opt(strings.TrimSpace(name.text("givenName") + " " + name.text("familyName")))
}

// managerOf points to the manager. The value is a SCIM id by the standard, an externalId or an e-mail by habit, so that
// every kind of key is tried, the id first.
func managerOf(work record) *v1.Ref {
	manager := work.sub("manager")
	value := manager.text("value")
	if value == "" {
		value = work.text("manager") // some send the bare value
	}
	if value == "" {
		value = lastSegment(manager.text("$ref"))
	}
	if value == "" {
		return nil
	}
	return &v1.Ref{Kind: v1.RefAny, Value: value}
}

// lastSegment is the id at the end of a resource's URI.
func lastSegment(ref string) string {
	ref, _, _ = strings.Cut(ref, "?")
	last := ref[strings.LastIndexByte(ref, '/')+1:]
	if plain, err := url.PathUnescape(last); err == nil {
		return plain
	}
	return last
}

// knownKinds are words of entitlements[].type that name a kind of entitlement.
var knownKinds = map[string]string{
	"role": "role", "license": "license", "licence": "license", "profile": "profile",
	"permission_set": "permission_set", "permissionset": "permission_set", "app_access": "app_access", "group": "group",
}

// rightsOf reads roles[] and entitlements[] of a User. Their key is value and type, with the attribute's name in front
// so that they never meet the id of a group.
func rightsOf(rec record) (rights []v1.RemoteEntitlement, skipped int) {
	for _, of := range []struct{ attribute, prefix, kind string }{{"roles", "role", "role"},
		{"entitlements", "entitlement", "permission_set"}} {
		for _, item := range rec.items(of.attribute) {
			value, typ := item.text("value"), item.text("type")
			if value == "" {
				value = item.text("display")
			}
			if value == "" {
				skipped++
				continue
			}
			right := v1.RemoteEntitlement{
				ExternalID:  of.prefix + ":" + value,
				Kind:        of.kind,
				Name:        opt(value),
				DisplayName: item.opt("display"),
			}
			if typ != "" {
				right.ExternalID = of.prefix + ":" + typ + ":" + value
				right.Attributes = map[string]any{"type": typ, "value": value}
			}
			if known := knownKinds[strings.ToLower(typ)]; known != "" && of.attribute == "entitlements" {
				right.Kind = known
			}
			if right.DisplayName == nil {
				right.DisplayName = opt(value)
			}
			rights = append(rights, right)
		}
	}
	return rights, skipped
}

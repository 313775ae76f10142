package resource

import (
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// ToIdentity returns a User as an identity.
func ToIdentity(rec Record, attributes map[string]any) v1.RemoteIdentity {
	name, work := rec.Object("name"), rec.Object(EnterpriseUser)
	p := v1.RemoteIdentity{
		ExternalID:     rec.Text("id"),
		Username:       rec.OptionalText("userName"),
		Email:          mailOf(rec),
		DisplayName:    displayName(rec),
		FirstName:      name.OptionalText("givenName"),
		MiddleName:     name.OptionalText("middleName"),
		LastName:       name.OptionalText("familyName"),
		PreferredName:  rec.OptionalText("nickName"),
		Title:          rec.OptionalText("title"),
		EmploymentType: rec.OptionalText("userType"),
		EmployeeNumber: work.OptionalText("employeeNumber"),
		CostCenter:     work.OptionalText("costCenter"),
		Organization:   work.OptionalText("organization"),
		Division:       work.OptionalText("division"),
		Department:     work.OptionalText("department"),
		ManagerRef:     managerOf(work),
		IsDisabled:     disabled(rec),
		ModifiedAt:     rec.Object("meta").Time("lastModified"),
		ETag:           rec.Object("meta").Text("version"),
		Attributes:     attributes,
		PhoneNumbers:   phonesOf(rec),
		Addresses:      addressesOf(rec),
	}
	return p
}

// ToAccount returns a User as an account. linked means that the same user is sent as an identity too.
func ToAccount(rec Record, attributes map[string]any, linked bool) v1.RemoteAccount {
	name, meta := rec.Object("name"), rec.Object("meta")
	a := v1.RemoteAccount{
		ExternalID:     rec.Text("id"),
		NativeIdentity: rec.Text("userName"),
		Username:       rec.OptionalText("userName"),
		Email:          mailOf(rec),
		DisplayName:    displayName(rec),
		FirstName:      name.OptionalText("givenName"),
		LastName:       name.OptionalText("familyName"),
		EmployeeNumber: rec.Object(EnterpriseUser).OptionalText("employeeNumber"),
		IsDisabled:     disabled(rec),
		CreatedAt:      meta.Time("created"),
		ModifiedAt:     meta.Time("lastModified"),
		ETag:           meta.Text("version"),
		Attributes:     attributes,
	}
	if linked {
		a.IdentityExternalID = Optional(a.ExternalID)
	}
	return a
}

// phonesOf are the phone numbers of a User; an empty list if there are none.
func phonesOf(rec Record) []v1.PhoneNumber {
	out := []v1.PhoneNumber{}
	for _, item := range rec.Items("phoneNumbers") {
		if number := item.Text("value"); number != "" {
			out = append(
				out,
				v1.PhoneNumber{Value: number, Type: strings.ToLower(item.Text("type")), Primary: isPrimary(item)},
			)
		}
	}
	return out
}

// addressesOf are the addresses of a User; an empty list if there are none.
func addressesOf(rec Record) []v1.Address {
	out := []v1.Address{}
	for _, item := range rec.Items("addresses") {
		a := v1.Address{
			Formatted:     item.Text("formatted"),
			StreetAddress: item.Text("streetAddress"),
			Locality:      item.Text("locality"),
			Region:        item.Text("region"),
			PostalCode:    item.Text("postalCode"),
			Country:       item.Text("country"),
		}
		if a == (v1.Address{}) {
			continue
		}
		a.Type, a.Primary = strings.ToLower(item.Text("type")), isPrimary(item)
		out = append(out, a)
	}
	return out
}

// disabled is the opposite of active; absent means that the target does not say.
func disabled(rec Record) *bool {
	active := rec.Bool("active")
	if active == nil {
		return nil
	}
	off := !*active
	return &off
}

// mailOf picks the primary address, else one for work, else the first.
func mailOf(rec Record) *string {
	best, rank := "", 0
	for _, mail := range rec.Items("emails") {
		if v, r := mail.Text("value"), precedence(mail); v != "" && r > rank {
			best, rank = v, r
		}
	}
	return Optional(best)
}

// displayName is the first of displayName, name.formatted, and given and family name together that
// a user has.
func displayName(rec Record) *string {
	if d := rec.OptionalText("displayName"); d != nil {
		return d
	}
	name := rec.Object("name")
	if f := name.OptionalText("formatted"); f != nil {
		return f
	}
	return Optional(strings.TrimSpace(name.Text("givenName") + " " + name.Text("familyName")))
}

// managerOf points to the manager. The value is a SCIM id by the standard, an externalId or an e-mail by habit, so that
// every kind of key is tried, the id first.
func managerOf(work Record) *v1.Ref {
	manager := work.Object("manager")
	value := manager.Text("value")
	if value == "" {
		value = work.Text("manager") // some send the bare value
	}
	if value == "" {
		value = IDOfURI(manager.Text("$ref"))
	}
	if value == "" {
		return nil
	}
	return &v1.Ref{Kind: v1.RefAny, Value: value}
}

// FullAccount returns a User as an account with all its attributes, linked to no identity.
func FullAccount(rec Record) *v1.RemoteAccount {
	attributes, _ := Flatten(rec)
	a := ToAccount(rec, attributes, false)
	return &a
}

package identity

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// countries are the codes of ISO 3166-1 alpha-2, and XK, which the standard leaves to its users and all use for Kosovo.
var countries = strings.Fields(
	`AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
		CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO
		FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE
		JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO
		MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW
		PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM
		TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW`,
)

// employments are the kinds of employment, as the enum of IdentityFields names them.
var employments = []string{"employee", "contractor", "intern", "vendor", "partner", "student", "service", "other"}

// checkFormats finds malformed values, for the API, tokens and imports alike. Only values that differ from before are
// checked: a value that a source has set must not block other changes.
func (f *IdentityFields) checkFormats(before IdentityFields) []fault.Field {
	var wrong []fault.Field
	judge := func(member string, value, was *string, form func(string) (string, string)) {
		if value == nil || was != nil && *was == *value {
			return
		}
		kept, mend := form(*value)
		if *value = kept; mend != "" {
			wrong = append(wrong, fault.Field{Pointer: "#/" + member, Code: "invalid", Detail: mend})
		}
	}
	judge("email", f.Email, before.Email, addressForm)
	for i := range f.SecondaryEmails {
		if !slices.Contains(before.SecondaryEmails, f.SecondaryEmails[i]) {
			judge(fmt.Sprint("secondary_emails/", i), &f.SecondaryEmails[i], nil, addressForm)
		}
	}
	judge("employment_type", f.EmploymentType, before.EmploymentType, employmentForm)
	judge("country", f.Country, before.Country, countryForm)
	judge("locale", f.Locale, before.Locale, localeForm)
	judge("timezone", f.Timezone, before.Timezone, zoneForm)
	return append(wrong, f.wrongDates()...)
}

// The forms give a value as it is kept, and how it has to be mended when it cannot be.

// addressForm checks an e-mail address. Like the other forms it gives the text to keep, and what to
// do about one that is wrong.
func addressForm(s string) (kept, mend string) {
	if !isAddress(s) {
		return s, "this is not an e-mail address; write only the address, such as ada@example.com"
	}
	return s, ""
}

// employmentForm checks a type of employment.
func employmentForm(s string) (kept, mend string) {
	if !slices.Contains(employments, s) {
		return s, "write one of " + strings.Join(employments, ", ")
	}
	return s, ""
}

// countryForm checks a country. Two letters are kept in capitals; for other names the code is
// suggested.
func countryForm(s string) (kept, mend string) {
	code := strings.ToUpper(s)
	if len(code) == 2 && isCountry(code) {
		return code, ""
	}
	mend = "write the two letters of ISO 3166-1, such as CH for Switzerland"
	// Three letters, and what people write beside the standard, such as UK.
	if r, err := language.ParseRegion(code); err == nil && isCountry(r.Canonicalize().String()) {
		mend += "; here " + r.Canonicalize().String()
	}
	return s, mend
}

// isCountry says whether a code is one of ISO 3166-1.
func isCountry(code string) bool { return slices.Contains(countries, code) }

// localeForm checks a language tag (BCP 47).
func localeForm(s string) (kept, mend string) {
	tag, err := language.Parse(s)
	switch {
	case err != nil:
		return s, "write a language tag (BCP 47), such as de-CH"
	case strings.Contains(s, "_"):
		return s, "write a language tag (BCP 47), such as de-CH, with hyphens; here " + tag.String()
	}
	return s, ""
}

// zoneForm checks the name of a time zone. Local is refused: it would be that of the server.
func zoneForm(s string) (kept, mend string) {
	if _, err := time.LoadLocation(s); err != nil || s == "Local" {
		return s, "write a time zone by its IANA name, such as Europe/Zurich"
	}
	return s, ""
}

package directory_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// forms are members with values that cannot be stored, and what the refusal has to tell.
var forms = []struct {
	member string
	value  any
	says   string
}{
	{
		"country",
		"Switzerland",
		"such as CH",
	},
	{"country", "CHE", "here CH"},
	{"country", "UK", "here GB"},
	{"country", "SU", "ISO 3166-1"},
	{"country", "C", "ISO 3166-1"},
	{"locale", "Deutsch", "such as de-CH"},
	{"locale", "de_CH", "here de-CH"},
	{"locale", "xx-YY", "BCP 47"},
	{
		"timezone",
		"CET+1",
		"Europe/Zurich",
	},
	{"timezone", "Local", "Europe/Zurich"},
	{"timezone", "../etc/passwd", "Europe/Zurich"},
	{"email", "Ada <a@example.com>", "ada@example.com"},
	{"employment_type", "friend", "employee, contractor"},
	{"employment_type", "Employee", "employee, contractor"},
	{
		"hire_date",
		"31.01.2026",
		"date",
	},
	{"termination_date", "2026-02-30", "date"},
	{"start_date", "0000-01-01", "year 0"},
	{"last_working_at", "0000-01-01T00:00:00Z", "year 0"},
	{"last_working_at", "tomorrow", "date-time"},
}

func TestFormsAreJudgedAlikeHoweverAPersonIsWritten(t *testing.T) {
	h := open(t)
	ben := "/identities/" + hire(h, "ben", nil).Text("id")
	for _, tt := range forms {
		t.Run(fmt.Sprint(tt.member, " ", tt.value), func(t *testing.T) {
			row := map[string]any{"external_id": "ada", "email": "ben@example.com", tt.member: tt.value}
			of := func(errors any) string {
				list, _ := errors.([]any)
				if len(list) != 1 {
					return fmt.Sprint(list)
				}
				f := list[0].(map[string]any)
				return fmt.Sprint(f["pointer"], " ", f["code"], " ", f["detail"])
			}
			told := map[string]string{
				"POST": of(h.Refused(422, "validation_failed", "admin", "POST", "/identities", row).Body["errors"]),
				"PATCH": of(
					h.Refused(422, "validation_failed", "admin", "PATCH", ben,
						map[string]any{tt.member: tt.value}).Body["errors"],
				),
			}
			line, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			for _, mode := range []string{"preview", "apply"} {
				for _, id := range []string{"ada", "ben"} { // somebody new, and somebody known
					data := strings.Replace(string(line), `"external_id":"ada"`, `"external_id":"`+id+`"`, 1)
					a := h.Must(200, "admin", "POST", "/identities/import", map[string]any{"mode": mode, "data": data})
					told[mode+" "+id] = of(a.Body["results"].([]any)[0].(map[string]any)["errors"])
				}
			}
			for how, says := range told {
				if !strings.HasPrefix(says, "#/"+tt.member+" invalid ") || !strings.Contains(says, tt.says) {
					t.Errorf("%s: %s; want #/%s invalid, and how to mend it: %s", how, says, tt.member, tt.says)
				}
			}
		})
	}
}

func TestFormsAreKeptAsTheStandardsWriteThem(t *testing.T) {
	h := open(t)
	a := hire(h, "ada", map[string]any{"country": "ch", "locale": "de-CH", "timezone": "Europe/Zurich"})
	if got := fmt.Sprint(
		a.Text("country"),
		" ",
		a.Text("locale"),
		" ",
		a.Text("timezone"),
	); got != "CH de-CH Europe/Zurich" {
		t.Errorf("she is kept as %s", got)
	}
}

func TestASourcesWordIsNotInTheWayOfOtherChanges(t *testing.T) {
	h := open(t)
	at := "/identities/" + hire(h, "ada", nil).Text("id")
	h.Exec(
		`update identity set source_connector_id = $1, country = 'Switzerland', timezone = 'CET+1', locale = 'Deutsch', employment_type = 'Festangestellt',
		email = 'ada@', secondary_emails = '{"home: ada"}'`,
		ldap,
	)
	h.Must(200, "admin", "PATCH", at, map[string]any{"title": "Head"})
	again := exported(t, h, "csv", "")
	for _, mode := range []string{"preview", "apply"} {
		a := h.Must(200, "admin", "POST", "/identities/import?mode="+mode, again, "Content-Type", "text/csv")
		if diff := cmp.Diff([]string{"2 ada unchanged"}, outcomes(a.Body)); diff != "" {
			t.Errorf("%s of what was exported: -want +got\n%s", mode, diff)
		}
	}
	h.Refused(422, "validation_failed", "admin", "PATCH", at, map[string]any{"country": "Schweiz"})
	if got := h.Must(200, "admin", "PATCH", at, map[string]any{"country": "CH"}).Text("country"); got != "CH" {
		t.Errorf("the country is %s", got)
	}
}

func TestARowThatCannotBeStoredIsOneRow(t *testing.T) {
	h := open(t)
	data := `{"external_id":"good","email":"good@example.com"}
{"external_id":"nul","email":"nul@example.com","department":"a\u0000b"}
{"external_id":"deep","email":"deep@example.com","attributes":{"list":["a\u0000"]}}
{"external_id":"\u0000","email":"id@example.com"}
{"external_id":"huge","email":"huge@example.com","attributes":{"n":1e400}}`
	for _, mode := range []string{"preview", "apply"} {
		a := h.Must(200, "admin", "POST", "/identities/import", map[string]any{"mode": mode, "data": data})
		if diff := cmp.Diff(
			[]string{
				"1 good created",
				"2 nul failed invalid #/department",
				"3 deep failed invalid #/attributes/list/0",
				"4 \x00 failed invalid #/external_id",
				"5 huge failed invalid #/attributes/n",
			},
			outcomes(a.Body),
		); diff != "" {
			t.Errorf("%s: -want +got\n%s", mode, diff)
		}
	}
}

package shape

import (
	"fmt"
	"strings"
	"testing"
	"testing/quick"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/romanize"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/template"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

func TestNamesAreWrittenInTheLettersOfASCII(t *testing.T) {
	for _, tt := range []struct{ name, plain, german string }{
		{"Jane Doe", "Jane Doe", "Jane Doe"},
		{"Jürgen Größe", "Jurgen Grosse", "Juergen Groesse"},
		{"ÄÖÜ äöü ẞ", "AOU aou Ss", "AeOeUe aeoeue Ss"},
		{"Ju\u0308rgen", "Jurgen", "Juergen"}, // the same letter in two characters
		{"Łukasz Żółć", "Lukasz Zolc", "Lukasz Zolc"},
		{"Đặng Văn Hùng", "Dang Van Hung", "Dang Van Hung"},
		{"Øster Ærø", "Oster Aero", "Oster Aero"},
		{"Þór Guðmundsson", "Thor Gudmundsson", "Thor Gudmundsson"},
		{"İpek Işık", "Ipek Isik", "Ipek Isik"},
		{"O’Brien", "O'Brien", "O'Brien"},
		{"Žofie Nováková", "Zofie Novakova", "Zofie Novakova"},
		{"Владимир Щербаков", "Vladimir Shcherbakov", "Vladimir Shcherbakov"},
		{"Олександр Ґалаґан", "Oleksandr Galagan", "Oleksandr Galagan"},
		{"Ελένη Παπαδοπούλου", "Eleni Papadopoulou", "Eleni Papadopoulou"},
		{"Հայկ", "Hayk", "Hayk"},
		{"გიორგი", "giorgi", "giorgi"},
		{"שלום כהן", "shlvm khn", "shlvm khn"},
		{"محمد علي", "mhmd aly", "mhmd aly"},
		{"राम कुमार", "ram kumar", "ram kumar"},
		{"김민준", "gimminjun", "gimminjun"},
		{"さとう しょうた", "satou shouta", "satou shouta"},
		{"キャロライン", "kyarorain", "kyarorain"},
		{"がっこう", "gakkou", "gakkou"},
		{"สมชาย", "smchay", "smchay"},
		{"𝓙𝓪𝓷𝓮 ﬁona Ⅷ", "Jane fiona VIII", "Jane fiona VIII"},
		{"王伟", "", ""}, // a sign that does not say how it sounds
		{"王 Smith", " Smith", " Smith"},
	} {
		if got := romanize.ASCII(tt.name, false); got != tt.plain {
			t.Errorf("ascii(%q) = %q, want %q", tt.name, got, tt.plain)
		}
		if got := romanize.ASCII(tt.name, true); got != tt.german {
			t.Errorf("ascii(%q, german) = %q, want %q", tt.name, got, tt.german)
		}
	}
}

func TestNothingButASCIIIsLeftOfAnyText(t *testing.T) {
	check := func(text string, german bool) bool { return romanize.Plain(romanize.ASCII(text, german)) }
	if err := quick.Check(check, &quick.Config{MaxCount: 3000}); err != nil {
		t.Error(err)
	}
	for r := rune(0); r < 0x30000; r++ {
		if !romanize.Plain(romanize.ASCII(string(r), false)) {
			t.Fatalf("%q is not written in ASCII", r)
		}
	}
}

func TestCharactersThatAreAllowedAreReadAsInBrackets(t *testing.T) {
	for text, has := range map[string]string{"a-z": "amz", "a-z0-9._-": "az09._-", "-a": "-a", "A-Za-z@+": "AZaz@+",
		"abc": "abc"} {
		set, err := romanize.ParseCharset(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for _, r := range has {
			if !set.Has(r) {
				t.Errorf("%q does not have %q", text, r)
			}
		}
		if set.Has('!') || set.Has('ä') || set.Has(-1) {
			t.Errorf("%q has what it does not name", text)
		}
	}
	for _, text := range []string{"", "z-a", "a-zä", "a z", "._-"} {
		if _, err := romanize.ParseCharset(text); err == nil {
			t.Errorf("%q is taken for characters", text)
		}
	}
}

// namer gives names by a rule, and remembers them.
func namer(u template.UniqueRule) func(text string) string {
	given := map[string]bool{}
	c := Config{Template: template.AccountTemplate{Username: template.UsernameRule{Unique: u}}}
	p := &template.Plan{}
	p.Allowed, _ = romanize.ParseCharset(u.Allowed)
	return func(text string) string {
		stem, problem := c.stem(p, text)
		if problem != nil {
			return problem.Code
		}
		name, problem := u.Free(stem, func(n string) bool { return given[strings.ToLower(n)] })
		if problem != nil {
			return problem.Code
		}
		given[strings.ToLower(name)] = true
		return name
	}
}

func TestANameThatIsTakenGetsANumber(t *testing.T) {
	name := namer(template.UniqueRule{Suffix: "number", Start: 2, MaxLength: 20, Allowed: "a-z0-9._-"})
	for _, tt := range []struct{ text, want string }{
		{"Jane.Doe", "jane.doe"}, {"JANE.DOE", "jane.doe2"}, {"jane.döe", "jane.doe3"}, {"jane.doe2", "jane.doe22"},
		{"Mary Ann.O'Neil", "maryann.oneil"}, {"..x..y..", "x.y"}, {"-_a_-", "a"}, {"王伟", template.CodeNoName},
		{"...", template.CodeNoName},
	} {
		if got := name(tt.text); got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestNamesOfTwentyCharactersStayUniqueAndShort(t *testing.T) {
	name := namer(template.UniqueRule{Suffix: "number", Start: 2, MaxLength: 20, Allowed: "a-z0-9._-"})
	seen := map[string]bool{}
	for i := range 1200 {
		got := name(fmt.Sprintf("Maximiliane.Hohenlohe-Langenburg%d", i))
		if len(got) > 20 || seen[got] || !strings.HasPrefix(got, "maximiliane.hohe") {
			t.Fatalf("the name %d of many that begin alike is %q", i, got)
		}
		seen[got] = true
	}
	for _, want := range []string{"maximiliane.hohenloh", "maximiliane.hohenlo2", "maximiliane.hohenl10",
		"maximiliane.hohen100", "maximiliane.hohe1000"} {
		if !seen[want] {
			t.Errorf("%s is not among them", want)
		}
	}
	// What is cut off does not leave punctuation at the end, nor before the number.
	name = namer(template.UniqueRule{Suffix: "number", Start: 2, MaxLength: 6, Allowed: "a-z0-9._-"})
	if first, second := name("abcde.fgh"), name("abcd..fgh"); first != "abcde" || second != "abcd.f" {
		t.Errorf("they are %q and %q", first, second)
	}
	if third := name("abcd.fxy"); third != "abcd2" {
		t.Errorf("the third is %q", third)
	}
}

func TestNumbersStandBeforeTheAtAndAfterTheSeparator(t *testing.T) {
	name := namer(template.UniqueRule{Suffix: "number", Start: 1, Separator: "-", MaxLength: 24, Allowed: "a-z0-9@.-"})
	for _, want := range []string{"jane.doe@acme.test", "jane.doe-1@acme.test", "jane.doe-2@acme.test"} {
		if got := name("Jane.Doe@acme.test"); got != want {
			t.Errorf("it is %q, want %q", got, want)
		}
	}
}

func TestARuleMayKnowNoOtherName(t *testing.T) {
	name := namer(template.UniqueRule{Suffix: "none", MaxLength: 20, Allowed: "a-z"})
	if got := name("jane"); got != "jane" {
		t.Fatalf("it is %q", got)
	}
	if got := name("jane"); got != template.CodeTaken {
		t.Errorf("the second is %q", got)
	}
	// All numbers that fit are taken.
	name = namer(template.UniqueRule{Suffix: "number", Start: 2, MaxLength: 2, Allowed: "a-z0-9"})
	last := ""
	for range 100 {
		last = name("j")
	}
	if last != template.CodeExhausted {
		t.Errorf("the hundredth of two characters is %q", last)
	}
}

func TestALetterThatIsAllowedInOneCaseAloneChangesToIt(t *testing.T) {
	for allowed, want := range map[string]string{"a-z": "janedoe", "A-Z": "JANEDOE", "a-zA-Z": "JaneDoe",
		"a-zJ": "Janedoe"} {
		if got := namer(template.UniqueRule{Suffix: "none", MaxLength: 20, Allowed: allowed})("Jane Doe"); got != want {
			t.Errorf("with %s it is %q, want %q", allowed, got, want)
		}
	}
}

// TestAnyFactsGiveAnAccountOrAReason tries people made of anything.
func TestAnyFactsGiveAnAccountOrAReason(t *testing.T) {
	systems := []template.Subject{
		{Engine: catalog.LDAP, Settings: map[string]any{"base_dn": "dc=acme,dc=test"}},
		{
			Engine:   catalog.LDAP,
			Vendor:   "active-directory",
			Settings: map[string]any{"base_dn": "DC=corp,DC=acme,DC=test"},
			Parent:   "OU=O'Neil\\, Staff,DC=corp",
		},
		{
			Engine: catalog.SCIM2,
		},
		{Engine: catalog.SCIM2, Vendor: "slack"},
		{Engine: catalog.REST},
		{Engine: catalog.Custom},
	}
	check := func(first, last, email, username, display, number string, which uint16) bool {
		f := identity.Facts{"manager": nil, "attributes": map[string]any{}}
		for i, pair := range [][2]string{{"first_name", first}, {"last_name", last}, {"email", email},
			{"username", username}, {"display_name", display}, {"employee_number", number}} {
			if which>>i&1 == 1 {
				f[pair[0]] = pair[1]
			}
		}
		for _, s := range systems {
			c := Config{Type: s.Engine, subject: s}.as(ProvisioningSettings{})
			a, _, err := c.Account(f, func(n string) bool { return len(n)%3 == int(which%3) })
			if err != nil {
				var u *Unmakable
				if !asUnmakable(err, &u) || len(u.Problems) == 0 || u.Problems[0].Message == "" ||
					u.Problems[0].Field == "" {
					t.Logf("the reason is %v", err)
					return false
				}
				continue
			}
			unique := c.Template.Username.Unique
			allowed, _ := romanize.ParseCharset(unique.Allowed)
			if a.Username == nil || *a.Username == "" || len(*a.Username) > unique.MaxLength ||
				allowed.Keep(*a.Username) != *a.Username {
				t.Logf("the name is %v", a.Username)
				return false
			}
			for _, r := range c.Template.Attributes {
				v, member := a.Attributes[r.Target], known(r.Target)
				if r.Required && !member && (v == nil || v == "") {
					t.Logf("%s is %v", r.Target, v)
					return false
				}
			}
		}
		return true
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 400}); err != nil {
		t.Error(err)
	}
}

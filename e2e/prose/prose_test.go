package prose

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRulesFindWhatTheGlossaryForbids(t *testing.T) {
	for _, tt := range []struct {
		kind Kind
		text string
		want []string
	}{
		{Summary, "List sync runs", nil},
		{Summary, "Tell how a connector fares", []string{"phrase", "summary-verb"}},
		{Message, "Identity X was not found.", nil},
		{Message, "whoever made it left", []string{"phrase"}},
		{Message, "It waits by itself and stands for a grant.", []string{"phrase", "phrase"}},
		{Document, "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
			"seventeen eighteen " +
			"nineteen twenty one two three four five six", []string{"sentence-length"}},
		{Document, "one two three four five six seven eight nine ten eleven twelve. thirteen fourteen fifteen " +
			"sixteen seventeen eighteen " +
			"nineteen twenty one two three four five six", nil},
	} {
		var got []string
		for _, f := range check(Text{File: "f", Line: 1, Kind: tt.kind, Words: tt.text}) {
			got = append(got, f.Rule)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestTextsAreTakenOutOfEachKindOfSource(t *testing.T) {
	for _, tt := range []struct {
		file, source string
		want         []Text
	}{
		{"a.md", "# A title\n\nA line\nthat goes on with `code`.\n\n```sh\nnot this line here\n```\n* An item of a " +
			"list\n\n| one cell | [two](x) cells |\n", []Text{
			{"a.md", 1, Document, "A title"}, {"a.md", 3, Document, "A line that goes on with X."},
			{"a.md", 9, Document, "An item of a list"},
			{"a.md", 11, Document, "one cell"}, {"a.md", 11, Document, "two cells"},
		}},
		{"protocol/a.go", "package a\n\nvar e = f(\"the value %q is \" +\n\t\"not an address\")\n" +
			"var r = Handle(\"GET\", \"/things\", \"List all things\", nil)\n" +
			"const q = `select a from b where c = $1`\n" +
			"var code = \"nobody_to_decide\"\nvar syllables = \"k k k n n n t l k m l l l p l m p p t t ng\"\n" +
			"type t struct {\n\tA string `json:\"a\" doc:\"What this member holds.\"`\n}\n", []Text{
			{"protocol/a.go", 3, Message, "the value X is not an address"},
			{"protocol/a.go", 5, Summary, "List all things"},
			{"protocol/a.go", 10, Message, "What this member holds."},
		}},
		{"controlplane/console/src/a.tsx", "// A comment of ours.\nconst x = <p className=\"row wide\">No results " +
			"match.</p>;\nsay(\"Saved. Next runs follow.\");\nsay(`Sent to ${name}.`);\n", []Text{
			{"controlplane/console/src/a.tsx", 2, Screen, "No results match."},
			{"controlplane/console/src/a.tsx", 3, Screen, "Saved. Next runs follow."},
			{"controlplane/console/src/a.tsx", 4, Screen, "Sent to X."},
		}},
		{"controlplane/migrations/0001_a.sql", "create table a (b text);\ncomment on table a is\n    'What it''s '\n " +
			"   'for.';\n", []Text{
			{"controlplane/migrations/0001_a.sql", 3, Comment, "What it’s for."},
		}},
		{"x/packs/y/pack.yaml", "name: \"A pack\"\nkey: a-pack\n", []Text{{"x/packs/y/pack.yaml", 1, Pack, "A pack"}}},
	} {
		take := extractorOf(tt.file)
		if take == nil {
			t.Fatalf("%s is not read", tt.file)
		}
		got, err := take(tt.file, tt.source)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.file, diff)
		}
	}
}

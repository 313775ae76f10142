package jsonpath

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func decode(t testing.TB, text string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
	return v
}

func encode(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The documents of RFC 9535's own examples.
const (
	bookstore = `{"store":{"book":[
		{"category":"reference","author":"Nigel Rees","title":"Sayings of the Century","price":8.95},
		{"category":"fiction","author":"Evelyn Waugh","title":"Sword of Honour","price":12.99},
		{"category":"fiction","author":"Herman Melville","title":"Moby Dick","isbn":"0-553-21311-3","price":8.99},
		{"category":"fiction","author":"J. R. R. Tolkien","title":"The Lord of the Rings","isbn":"0-395-19395-8","price":22.99}],
		"bicycle":{"color":"red","price":399}}}`
	names       = `{"o":{"j j":{"k.k":3}},"'":{"@":2}}`
	wild        = `{"o":{"j":1,"k":2},"a":[5,3]}`
	letters     = `["a","b","c","d","e","f","g"]`
	comparisons = `{"obj":{"x":"y"},"arr":[2,3]}`
	filters     = `{"a":[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}],"o":{"p":1,"q":2,"r":3,"s":5,"t":{"u":6}},"e":"f"}`
	nested      = `{"o":{"j":1,"k":2},"a":[5,3,[{"j":4},{"k":6}]]}`
	nulls       = `{"a":null,"b":[null],"c":[{}],"null":1}`
)

// TestExamplesOfTheRFCSelectWhatItSays runs the tables of RFC 9535 sections 1.5 and 2.3 to 2.6. Where the RFC
// leaves the order of an object's members open, the expectation has them by name.
func TestExamplesOfTheRFCSelectWhatItSays(t *testing.T) {
	for _, tt := range []struct{ doc, query, want string }{
		{bookstore, `$.store.book[*].author`, `["Nigel Rees","Evelyn Waugh","Herman Melville","J. R. R. Tolkien"]`},
		{bookstore, `$..author`, `["Nigel Rees","Evelyn Waugh","Herman Melville","J. R. R. Tolkien"]`},
		{bookstore, `$.store..price`, `[399,8.95,12.99,8.99,22.99]`},
		{bookstore, `$..book[2].author`, `["Herman Melville"]`},
		{bookstore, `$..book[2].publisher`, `[]`},
		{bookstore, `$..book[-1].title`, `["The Lord of the Rings"]`},
		{bookstore, `$..book[0,1].price`, `[8.95,12.99]`},
		{bookstore, `$..book[:2].price`, `[8.95,12.99]`},
		{bookstore, `$..book[?@.isbn].price`, `[8.99,22.99]`},
		{bookstore, `$..book[?@.price<10].price`, `[8.95,8.99]`},
		{bookstore, `$.store.book[?@.price < 10].title`, `["Sayings of the Century","Moby Dick"]`},
		{`{"k":"v"}`, `$`, `[{"k":"v"}]`},
		{names, `$.o['j j']`, `[{"k.k":3}]`},
		{names, `$.o['j j']['k.k']`, `[3]`},
		{names, `$.o["j j"]["k.k"]`, `[3]`},
		{names, `$["'"]["@"]`, `[2]`},
		{wild, `$[*]`, `[[5,3],{"j":1,"k":2}]`},
		{wild, `$.o[*]`, `[1,2]`},
		{wild, `$.o[*, *]`, `[1,2,1,2]`},
		{wild, `$.a[*]`, `[5,3]`},
		{letters, `$[1]`, `["b"]`},
		{letters, `$[-2]`, `["f"]`},
		{letters, `$[9]`, `[]`},
		{letters, `$[1:3]`, `["b","c"]`},
		{letters, `$[5:]`, `["f","g"]`},
		{letters, `$[1:5:2]`, `["b","d"]`},
		{letters, `$[5:1:-2]`, `["f","d"]`},
		{letters, `$[::-1]`, `["g","f","e","d","c","b","a"]`},
		{letters, `$[0, 3]`, `["a","d"]`},
		{letters, `$[0:2, 5]`, `["a","b","f"]`},
		{letters, `$[0, 0]`, `["a","a"]`},
		{letters, `$[1:3:0]`, `[]`},
		{filters, `$.a[?@.b == 'kilo']`, `[{"b":"kilo"}]`},
		{filters, `$.a[?(@.b == 'kilo')]`, `[{"b":"kilo"}]`},
		{filters, `$.a[?@>3.5]`, `[5,4,6]`},
		{filters, `$.a[?@.b]`, `[{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}]`},
		{
			filters, `$[?@.*]`,
			`[[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}],{"p":1,"q":2,"r":3,"s":5,"t":{"u":6}}]`,
		},
		{filters, `$[?@[?@.b]]`, `[[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}]]`},
		{filters, `$.o[?@<3, ?@<3]`, `[1,2,1,2]`},
		{filters, `$.a[?@<2 || @.b == "k"]`, `[1,{"b":"k"}]`},
		{filters, `$.o[?@>1 && @<4]`, `[2,3]`},
		{filters, `$.o[?@.u || @.x]`, `[{"u":6}]`},
		{filters, `$.a[?@.b == $.x]`, `[3,5,1,2,4,6]`},
		{filters, `$.a[?@ == @]`, `[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}]`},
		{nested, `$..j`, `[4,1]`},
		{nested, `$..[0]`, `[5,{"j":4}]`},
		{nested, `$.o..[*, *]`, `[1,2,1,2]`},
		{nulls, `$.a`, `[null]`},
		{nulls, `$.a[0]`, `[]`},
		{nulls, `$.a.d`, `[]`},
		{nulls, `$.b[0]`, `[null]`},
		{nulls, `$.b[*]`, `[null]`},
		{nulls, `$.b[?@]`, `[null]`},
		{nulls, `$.b[?@==null]`, `[null]`},
		{nulls, `$.c[?@.d==null]`, `[]`},
		{nulls, `$.null`, `[1]`},
	} {
		p, err := Compile(tt.query)
		if err != nil {
			t.Errorf("Compile(%s): %v", tt.query, err)
			continue
		}
		got := p.Select(free(), decode(t, tt.doc))
		if diff := cmp.Diff(decode(t, tt.want), append([]any{}, got...)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.query, diff)
		}
	}
}

// TestComparisonsOfTheRFCHold runs table 11 of RFC 9535 section 2.3.5.3.
func TestComparisonsOfTheRFCHold(t *testing.T) {
	doc := decode(t, comparisons)
	for expr, want := range map[string]bool{
		`$.absent1 == $.absent2`: true, `$.absent1 <= $.absent2`: true, `$.absent == 'g'`: false,
		`$.absent1 != $.absent2`: false, `$.absent != 'g'`: true,
		`1 <= 2`: true, `1 > 2`: false, `13 == '13'`: false, `'a' <= 'b'`: true, `'a' > 'b'`: false,
		`$.obj == $.arr`: false, `$.obj != $.arr`: true, `$.obj == $.obj`: true, `$.obj != $.obj`: false,
		`$.arr == $.arr`: true, `$.arr != $.arr`: false, `$.obj == 17`: false, `$.obj != 17`: true,
		`$.obj <= $.arr`: false, `$.obj < $.arr`: false, `$.obj <= $.obj`: true, `$.arr <= $.arr`: true,
		`1 <= $.arr`: false, `1 >= $.arr`: false, `1 > $.arr`: false, `1 < $.arr`: false,
		`true <= true`: true, `true > true`: false,
		`1.0 == 1`: true, `1e2 == 100`: true, `9007199254740993 == 9007199254740992`: false, `-0 == 0`: true,
		`!$.absent`: true, `!($.obj == $.obj)`: false, `!$.obj || $.arr`: true, `$.arr && !$.obj`: false,
	} {
		f, err := CompileFilter(expr)
		if err != nil {
			t.Errorf("CompileFilter(%s): %v", expr, err)
			continue
		}
		if got := f.Match(free(), doc); got != want {
			t.Errorf("%s = %v, want %v", expr, got, want)
		}
	}
}

func TestBadQueriesSayWhereTheyAreBad(t *testing.T) {
	for _, tt := range []struct {
		query  string
		column int
		reason string
	}{
		{``, 1, "a query starts with $, found end of the query"},
		{`store`, 1, "a query starts with $"},
		{`$.`, 3, "expected a member name or *, found end of the query"},
		{`$.employee-id`, 11, "unexpected '-'"},
		{`$ `, 2, "unexpected ' '"},
		{`$[`, 3, "expected a quoted name"},
		{`$[01]`, 3, "no leading zeros"},
		{`$[-0]`, 3, "no leading zeros, no -0"},
		{`$[9007199254740992]`, 3, "out of range"},
		{`$['a]`, 3, "never closed"},
		{`$['\x']`, 5, `unknown escape \x`},
		{`$['\ud800']`, 10, "surrogate"},
		{`$[?@.a]x`, 8, "unexpected 'x'"},
		{`$[?@.a == ]`, 11, "expected @, $"},
		{`$[?@.*==1]`, 4, "one value at most"},
		{`$[?length(@.a)==1]`, 4, "length() is not supported"},
		{`$[?1]`, 4, "a literal is not a condition"},
		{`$[?(@.a]`, 8, "expected )"},
		{`$.ü.ö..`, 8, "expected a member name"},
		{`$[` + strings.Repeat("?@[", 200), 130, "nested too deeply"},
	} {
		_, err := Compile(tt.query)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("Compile(%q) = %v, want a SyntaxError", tt.query, err)
			continue
		}
		if !strings.Contains(syntax.Reason, tt.reason) || (syntax.Column != tt.column && tt.column < 100) {
			t.Errorf(
				"Compile(%q) = column %d %q; want column %d %q", tt.query, syntax.Column, syntax.Reason, tt.column,
				tt.reason,
			)
		}
	}
}

func TestShortQueriesMayLeaveOutTheRoot(t *testing.T) {
	doc := decode(t, `{"data":{"items":[1,2]},"@odata.nextLink":"n"}`)
	for short, want := range map[string]string{
		"data.items[1]": `[2]`, "$.data.items[0]": `[1]`, "['@odata.nextLink']": `["n"]`, ".data.items[*]": `[1,2]`,
	} {
		p, err := CompileShort(short)
		if err != nil {
			t.Errorf("CompileShort(%s): %v", short, err)
			continue
		}
		if got := encode(t, p.Select(free(), doc)); got != want {
			t.Errorf("%s = %s, want %s", short, got, want)
		}
	}
	_, err := CompileShort("data.employee-id")
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || syntax.Column != 14 || syntax.Text != "data.employee-id" {
		t.Errorf("CompileShort(data.employee-id) = %v, want column 14 of the text as given", err)
	}
}

func TestEscapesInNamesAreRead(t *testing.T) {
	doc := decode(t, `{"a'b":1,"\u263a":2,"\ud834\udd1e":3,"tab\t":4,"\"":5}`)
	for query, want := range map[string]string{
		`$['a\'b']`: `[1]`, `$['\u263A']`: `[2]`, `$["\uD834\uDD1E"]`: `[3]`, `$['tab\t']`: `[4]`, `$["\""]`: `[5]`,
		`$.☺`: `[2]`,
	} {
		if got := encode(t, MustCompile(query).Select(free(), doc)); got != want {
			t.Errorf("%s = %s, want %s", query, got, want)
		}
	}
}

func FuzzCompileNeverPanicsAndKeepsItsText(f *testing.F) {
	for _, seed := range []string{
		`$.a[?@.b == 'c' && !(@.d < 1e3)]`, `$..[*,1,-1,::2,'x']`, `$["\ud834\udd1e"]`, `$[?$.a==@.b]`, `$[?!@]`,
	} {
		f.Add(seed)
	}
	doc := decode(f, filters)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Compile(text)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Column < 1 || syntax.Column > len([]rune(text))+1 {
				t.Fatalf("Compile(%q) = %v, want a SyntaxError with a column inside the text", text, err)
			}
			return
		}
		if p.String() != text {
			t.Fatalf("String() = %q, want %q", p.String(), text)
		}
		if found := p.Select(free(), doc); p.Singular() && len(found) > 1 {
			t.Fatalf("%q is singular and selected %d values", text, len(found))
		}
	})
}

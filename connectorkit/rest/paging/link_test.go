package paging

import (
	"net/http"
	"testing"
)

func TestNextLinksAreFoundInAllTheirForms(t *testing.T) {
	for header, want := range map[string]string{
		`<https://a/b?c=1,2>; rel="next"`:                            "https://a/b?c=1,2",
		`</x>; rel=prev, </y>; rel=next`:                             "/y",
		`</x>; title="; rel=next"; rel="prev"`:                       "",
		`</x>; title="a \" , <b>"; rel="prev", </y>; rel="up  NEXT"`: "/y",
		`</x>; rel="nextish"`:                                        "",
		`</x>; rel="prev"; rel="next"`:                               "",
		`<unclosed`:                                                  "",
		``:                                                           "",
	} {
		if got := linkNext(http.Header{"Link": {header}}); got != want {
			t.Errorf("%s = %q, want %q", header, got, want)
		}
	}
}

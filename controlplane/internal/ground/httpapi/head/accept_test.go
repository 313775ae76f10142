package head

import (
	"testing"
)

func TestAFileIsTakenByItsTypeWithOrWithoutACharset(t *testing.T) {
	offered := Offered([]string{"text/csv; charset=utf-8, application/x-ndjson"})
	for accept, want := range map[string]bool{
		"text/csv": true, "text/csv; charset=utf-8": true, "text/*": true, "application/x-ndjson": true,
		"application/json": true,
		"text/html":        false, "text/csv;q=0": false,
	} {
		if got := Acceptable(accept, offered); got != want {
			t.Errorf("Accept: %s: %v; want %v", accept, got, want)
		}
	}
}

package spreadsheet_test

import (
	"bytes"
	"encoding/csv"
	"slices"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/spreadsheet"
)

func TestACellStaysOneCellWhateverSeparatesThem(t *testing.T) {
	var b bytes.Buffer
	s := spreadsheet.New(&b)
	row := []string{"a", "x;=1+1", "x\t=1+1", `say "no"`, "=1+1", " =1+1", "two\nlines", "", "＝1"}
	if err := s.Write(row); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	const want = "a,\"x;=1+1\",\"x\t=1+1\",\"say \"\"no\"\"\",'=1+1,' =1+1,\"two\nlines\",,'＝1\n"
	if got := b.String(); got != want {
		t.Errorf("got %q; want %q", got, want)
	}
	back, err := csv.NewReader(&b).Read()
	if err != nil ||
		!slices.Equal(
			back,
			[]string{"a", "x;=1+1", "x\t=1+1", `say "no"`, "'=1+1", "' =1+1", "two\nlines", "", "'＝1"},
		) {
		t.Errorf("read back: %q, %v", back, err)
	}
}

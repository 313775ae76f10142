package jsonvalue

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestAttributesSurviveTheWayThroughJSON guards what makes hosted and agent mode store the same bytes.
func TestAttributesSurviveTheWayThroughJSON(t *testing.T) {
	record := `{"a":1,"b":-0,"c":1.50,"d":1e3,"e":9007199254740992,"f":9007199254740993,"g":1e400,"h":[1,2.0,{"i":3}],"j":{},"k":null,"l":"\u0001é"}`
	dec := json.NewDecoder(strings.NewReader(record))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	asJSON := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	once := asJSON(Flatten(v))
	var back any
	if err := json.Unmarshal([]byte(once), &back); err != nil {
		t.Fatal(err)
	}
	if again := asJSON(back); again != once {
		t.Errorf("after the wire %s, before %s", again, once)
	}
	if want := `{"a":1,"b":0,"c":1.5,"d":1000,"e":9007199254740992,"f":"9007199254740993","g":"1e400","h":[1,2,{"i":3}],"j":{},"k":null,"l":"\u0001é"}`; once != want {
		t.Errorf("flatten = %s, want %s", once, want)
	}
}

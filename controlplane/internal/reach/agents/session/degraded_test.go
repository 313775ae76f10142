package session

import "testing"

func TestVersionsAreComparedByTheirNumbers(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"1.9.7": true, "1.9": true, "v1.2.3": true, "0.9": true, "1.10": false, "1.10.0": false, "1.10.1-rc1": false,
		"2":                  false,
		"0.0.0-4f2a9c1d77aa": false, "0.0.0-dev": false, "unknown": false, "": false,
	} {
		if got := older(version, "1.10"); got != want {
			t.Errorf("older(%q, 1.10) = %v; want %v", version, got, want)
		}
	}
	if older("0.1", "") {
		t.Error("without a minimum a version is too old")
	}
}

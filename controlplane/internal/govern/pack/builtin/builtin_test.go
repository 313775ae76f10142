package builtin

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/archive"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/trial"
)

func TestEveryBuiltInPackIsCleanAndItsTestsPass(t *testing.T) {
	var keys []string
	for _, s := range All() {
		m := s.Pack.Metadata
		keys = append(keys, m.Key)
		t.Run(m.Key, func(t *testing.T) {
			_, tried, problems := trial.Lint(s.Files, format.Options{})
			for _, p := range problems {
				t.Error(p)
			}
			if tried < 8 {
				t.Errorf("%d tests; a built-in pack has eight at least", tried)
			}
			n := s.Pack.Contents()
			for _, k := range format.Kinds() {
				if n[k.Name] == 0 {
					t.Errorf("the pack has no %s", k.Member)
				}
			}
			if len(m.Regulations) == 0 || m.Description == "" {
				t.Error("the pack does not describe its purpose")
			}
		})
	}
	if want := []string{
		"baseline",
		"education",
		"financial-services",
		"healthcare-provider",
		"manufacturing",
		"public-sector",
	}; !slices.Equal(
		keys,
		want,
	) {
		t.Errorf("packs = %v; want %v", keys, want)
	}
}

func TestABuiltInPackSurvivesBeingPackedAndUnpacked(t *testing.T) {
	for _, s := range All() {
		packed, err := s.Files.Pack()
		if err != nil {
			t.Fatal(err)
		}
		files, problems := archive.Unpack(packed)
		if diagnostic.Failed(problems) {
			t.Fatal(problems)
		}
		if files.Checksum() != s.Files.Checksum() {
			t.Errorf("%s is another pack afterwards", s.Pack.Metadata.Key)
		}
	}
}

func TestTheFoldersAreCalledByTheirKeys(t *testing.T) {
	names, err := fs.ReadDir(content, "packs")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if _, ok := Find(n.Name()); !ok {
			t.Errorf("the folder %s holds another pack", n.Name())
		}
	}
	if _, ok := Find("absent"); ok {
		t.Error("a pack that there is not is found")
	}
}

package format

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
)

// semantics checks what the parts of a pack say about one another.
type semantics struct {
	*diagnostic.List
	p Pack
	// locales are the texts by language.
	locales map[string]map[string]string

	// roles, tags, mitigations and mappings are the keys that objects may refer to.
	roles, tags, mitigations, mappings map[string]bool
}

// check checks all objects of the pack, in the order in which they are installed. Keys are
// collected first, so that an object may refer to one that comes later.
func (s *semantics) check() {
	s.requires()
	s.tags = s.keys("dutyTags")
	s.mappings = s.keys("fieldMappings")
	s.roles = s.keys("roles")
	s.mitigations = s.keys("mitigationPolicies")
	s.keys("birthrights")
	s.keys("accessGrantPolicies")
	for _, kind := range []string{"sodPolicies", "certificationTemplates", "approvalRules"} {
		s.keys(kind)
	}
	s.policyKeys()
	for i, m := range s.p.FieldMappings {
		s.mapping(m, diagnostic.Under("/fieldMappings", i))
	}
	for i, r := range s.p.Roles {
		s.role(r, diagnostic.Under("/roles", i))
	}
	for i, p := range s.p.Birthrights {
		s.policy(p, diagnostic.Under("/birthrights", i))
		if !p.Gives() {
			s.Fail(
				"wrong_value",
				diagnostic.Under(diagnostic.Under("/birthrights", i), "effect"),
				"put it under accessGrantPolicies",
				"a birthright gives; one that does not is no birthright",
			)
		}
	}
	for i, p := range s.p.AccessGrantPolicies {
		s.policy(p, diagnostic.Under("/accessGrantPolicies", i))
	}
	for i, m := range s.p.MitigationPolicies {
		s.mitigation(m, diagnostic.Under("/mitigationPolicies", i))
	}
	for i, p := range s.p.SodPolicies {
		s.sod(p, diagnostic.Under("/sodPolicies", i))
	}
	s.references("/certificationTemplates", s.p.CertificationTemplates)
	s.approvalRules()
	s.texts()
}

// requires holds the service's version against what the pack asks for.
func (s *semantics) requires() {
	for _, part := range strings.Fields(s.p.Requires.Service) {
		m := versionRange.FindStringSubmatch(part)
		if m == nil {
			s.Fail(
				"wrong_value",
				"/requires/service",
				`write versions with >=, <=, >, < or =, such as ">=1.0 <2"`,
				"%q cannot be understood",
				diagnostic.Printable(part),
			)
			continue
		}
		if order := Compare(ServiceVersion, padded(m[2])); !fits(m[1], order) {
			s.Fail(
				"unsupported_version",
				"/requires/service",
				"use a pack, or a service, of another version",
				"the pack needs a service %s; this one is %s",
				s.p.Requires.Service,
				ServiceVersion,
			)
			return
		}
	}
}

// keys collects the keys of a kind, each of which may occur once.
func (s *semantics) keys(member string) map[string]bool {
	seen := map[string]bool{}
	for i, raw := range s.p.Raw[member] {
		object, _ := raw.(map[string]any)
		key, _ := object["key"].(string)
		if seen[key] {
			s.Fail(
				"duplicate_key",
				diagnostic.Under(diagnostic.Under("/"+member, i), "key"),
				"give it another one",
				"there are two %s with the key %s",
				member,
				key,
			)
		}
		seen[key] = true
	}
	return seen
}

// policyKeys keeps the keys of policies and roles apart, since tests name both.
func (s *semantics) policyKeys() {
	seen := map[string]string{}
	for _, member := range []string{"roles", "birthrights", "accessGrantPolicies"} {
		for i, raw := range s.p.Raw[member] {
			object, _ := raw.(map[string]any)
			key, _ := object["key"].(string)
			if other, twice := seen[key]; twice && other != member {
				s.Fail(
					"duplicate_key",
					diagnostic.Under(diagnostic.Under("/"+member, i), "key"),
					"give it another one",
					"%s has the key %s as well",
					other,
					key,
				)
			}
			seen[key] = member
		}
	}
}

// named checks that what is referred to is in the pack.
func (s *semantics) named(keys []string, known map[string]bool, at, what, where string) {
	for i, k := range keys {
		if !known[k] {
			var all []string
			for name := range known {
				all = append(all, name)
			}
			slices.Sort(all)
			mend := "add it under " + where
			if close := diagnostic.Nearest(k, all); close != "" {
				mend = "did you mean " + close + "?"
			}
			s.Fail("unknown_reference", diagnostic.Under(at, i), mend, "the pack has no %s %s", what, k)
		}
	}
}

// texts checks that the languages that are named have texts, and that texts are about something.
func (s *semantics) texts() {
	for i, language := range s.p.Metadata.Languages {
		if _, ok := s.locales[language]; !ok && i > 0 {
			s.Warn(
				"missing",
				diagnostic.Under("/metadata/languages", i),
				"add locales/"+language+".yaml, or leave the language out",
				"there are no texts in %s",
				language,
			)
		}
	}
	for language, texts := range s.locales {
		for path := range texts {
			kind, rest, _ := strings.Cut(path, "/")
			key, _, _ := strings.Cut(rest, "/")
			if kind == "metadata" || kind == "parameters" || s.has(kind, key) {
				continue
			}
			s.Warn(
				"unknown_reference",
				"/locales/"+language+"/"+path,
				"remove the text",
				"%s is not in the pack",
				fmt.Sprintf("%s %s", kind, key),
			)
		}
	}
}

// has says whether the pack has an object with this key in a member such as roles.
func (s *semantics) has(member, key string) bool {
	return slices.ContainsFunc(s.p.Raw[member], func(raw any) bool {
		object, _ := raw.(map[string]any)
		return object["key"] == key
	})
}

package proposal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// How sure a rule is. The same name is nearly certain; a date may be any date.
const (
	sureSame      = 1.0
	sureVariant   = 0.98
	sureExtension = 1.0
	sureSynonym   = 0.9
	sureTemplate  = 0.9

	sureSectorPack = 0.95
	sureShape      = 0.5
)

// Suggest proposes a mapping for every field of the discovered objects: by name, synonym, SCIM extension, shape of
// type, and by what the catalog knows of the vendor (template). Where two fields claim one of ours, one that holds
// values wins over one that is empty in every sample; then the first that the vendor's template names, the better rule,
// the surer one, and the first by name. The other is to be ignored, and says so. A secret is never mapped.
func Suggest(objects []v1.DiscoveredObject, template []connectorkit.FieldMapping) []mapping.Mapping {
	var out []mapping.Mapping
	for _, o := range joined(objects) {
		out = append(out, suggestObject(o, template)...)
	}
	return out
}

// joined are the objects that are mapped, one of each kind: a field that several types of the source have, such as
// groups and roles, has one mapping. What any of them shows of it counts.
func joined(objects []v1.DiscoveredObject) []v1.DiscoveredObject {
	var out []v1.DiscoveredObject
	for _, o := range objects {
		at := slices.IndexFunc(out, func(k v1.DiscoveredObject) bool { return k.Kind == o.Kind })
		switch {
		case mapping.FieldsOf(o.Kind) == nil:
			continue
		case at < 0:
			o.Fields = slices.Clone(o.Fields)
			out = append(out, o)
			continue
		}
		for _, f := range o.Fields {
			out[at].Fields = withField(out[at].Fields, f)
		}
	}
	return out
}

// withField adds a field, or joins it with one of the same name: a field that two samples have is
// as full as the fuller one, and secret if either says so.
func withField(fields []v1.DiscoveredField, f v1.DiscoveredField) []v1.DiscoveredField {
	at := slices.IndexFunc(fields, func(k v1.DiscoveredField) bool { return k.Name == f.Name })
	if at < 0 {
		return append(fields, f)
	}
	known := &fields[at]
	known.NullRatio, known.Secret = min(known.NullRatio, f.NullRatio), known.Secret || f.Secret
	return fields
}

// suggestObject proposes a mapping for each field of an object. Secrets and binary values are
// ignored with a note; fields that nothing claims are ignored without. Then claims on the same
// target are settled, and the names of unclaimed fields are guessed by the form of their values.
func suggestObject(o v1.DiscoveredObject, template []connectorkit.FieldMapping) []mapping.Mapping {
	out := make([]mapping.Mapping, len(o.Fields))
	for i, f := range o.Fields {
		out[i] = mapping.Mapping{Object: o.Kind, Source: f.Name, Action: mapping.ActionMap}
		m := &out[i]
		target, rule, sure, ok := claimOf(o.Kind, f, template)
		switch {
		case f.Secret:
			*m = ignored(*m, secretNote)
		case f.Type == "binary":
			*m = ignored(*m, binaryNote)
		case ok:
			m.Target, m.Heuristic, m.Confidence = target, rule, sure
		default:
			*m = ignored(*m, "")
		}
	}
	settle(out, standingOf(o, template))
	byShape(o, out)
	return out
}

// standing is what speaks for a source field beside the rule by which it claims one of ours.
type standing struct {
	empty bool // in every sample, although others hold values
	named int  // its place in the vendor's template; behind all of them where it is not named
}

// standingOf looks at all fields of an object. They stay in the order of its fields.
func standingOf(o v1.DiscoveredObject, template []connectorkit.FieldMapping) []standing {
	out := make([]standing, len(o.Fields))
	seen := wasSampled(o)
	for i, f := range o.Fields {
		out[i] = standing{empty: seen && f.NullRatio >= 1, named: len(template)}
		at := slices.IndexFunc(template, func(t connectorkit.FieldMapping) bool {
			return t.Object == o.Kind && strings.EqualFold(t.Source, f.Name)
		})
		if at >= 0 {
			out[i].named = at
		}
	}
	return out
}

// wasSampled says whether records were looked at: a field that holds nothing is then known to be empty.
func wasSampled(o v1.DiscoveredObject) bool {
	return slices.ContainsFunc(o.Fields, func(f v1.DiscoveredField) bool { return f.NullRatio < 1 })
}

// Offer puts what is offered for fields of the source in the place of what the heuristics propose for the same fields;
// absent ones are left out, and a secret is never mapped. Of two fields that claim one of ours then, the
// better rule wins as ever.
func Offer(proposals, offered []mapping.Mapping) []mapping.Mapping {
	out := slices.Clone(proposals)
	taken := map[[2]string]bool{} // whose note would name a field that claims nothing any more
	for i, p := range out {
		at := slices.IndexFunc(
			offered,
			func(o mapping.Mapping) bool { return o.Object == p.Object && strings.EqualFold(o.Source, p.Source) },
		)
		if at < 0 || p.Note == secretNote || p.Note == binaryNote {
			continue
		}
		o := offered[at]
		o.Source, o.Heuristic, o.Confidence = p.Source, mapping.SectorPack, sureSectorPack
		if o.Action == mapping.ActionIgnore {
			o.Target, o.Transform = "", ""
		}
		out[i] = o
		taken[[2]string{o.Object, string(o.Target)}] = o.Target != ""
	}
	if len(taken) == 0 {
		return proposals
	}
	for _, object := range mapping.Objects() {
		part := []mapping.Mapping{}
		for _, m := range out {
			if m.Object == object {
				part = append(part, m)
			}
		}
		settle(part, make([]standing, len(part)))
		n := 0
		for i, m := range out {
			if m.Object == object {
				out[i] = part[n]
				n++
			}
		}
	}
	return out
}

// Why a field is never mapped.
const (
	secretNote = "it looks like a secret"
	binaryNote = "it holds no text"
)

// ignored is the mapping with the action ignore.
func ignored(m mapping.Mapping, note string) mapping.Mapping {
	m.Action, m.Target, m.Heuristic, m.Confidence, m.Note = mapping.ActionIgnore, "", "", 0, note
	return m
}

// claimOf is which field of ours a source field claims by its name.
func claimOf(
	object string,
	f v1.DiscoveredField,
	template []connectorkit.FieldMapping,
) (target mapping.Field, rule mapping.Rule, sure float64, ok bool) {
	target, rule, ok = mapping.Match(object, f.Name)
	ok = ok && slices.Contains(mapping.FieldsOf(object), target)
	if ok && rule != mapping.VendorTemplate {
		return target, rule, sureness(rule, f.Name, target), true
	}
	for _, t := range template {
		if t.Object == object && strings.EqualFold(t.Source, f.Name) {
			if known, is := mapping.ParseField(object, t.Target); is {
				return known, mapping.VendorTemplate, sureTemplate, true
			}
		}
	}
	return target, rule, sureTemplate, ok
}

// sureness is the confidence of a proposal, from 0 to 1: the same name is surest, a synonym least
// sure.
func sureness(rule mapping.Rule, source string, target mapping.Field) float64 {
	switch rule {
	case mapping.Exact:
		if source == string(target) {
			return sureSame
		}
		return sureVariant
	case mapping.ScimExtension:
		return sureExtension
	}
	return sureSynonym
}

// settle leaves each field of ours to one source field. of is the standing of each rule's source.
func settle(rules []mapping.Mapping, of []standing) {
	best := map[mapping.Field]int{}
	for i, r := range rules {
		if r.Action != mapping.ActionMap {
			continue
		}
		if b, taken := best[r.Target]; !taken || before(r, rules[b], of[i], of[b]) {
			best[r.Target] = i
		}
	}
	for i, r := range rules {
		if b, taken := best[r.Target]; r.Action == mapping.ActionMap && taken && b != i {
			rules[i] = ignored(r, fmt.Sprintf("%s comes from %s", r.Target, mapping.Quoted(rules[b].Source)))
		}
	}
}

// before orders the claims on one target, the best first: fields with values, then those that the
// template names, then by rule, confidence and name. The name makes the order total, so that equal
// snapshots give equal proposals.
func before(a, b mapping.Mapping, of, other standing) bool {
	switch {
	case of.empty != other.empty:
		return other.empty
	case of.named != other.named:
		return of.named < other.named
	case mapping.Rank[a.Heuristic] != mapping.Rank[b.Heuristic]:
		return mapping.Rank[a.Heuristic] < mapping.Rank[b.Heuristic]
	case a.Confidence != b.Confidence:
		return a.Confidence > b.Confidence
	}
	return a.Source < b.Source
}

// bookkeeping are names of times that the source keeps about the record and not about the person.
var bookkeeping = regexp.MustCompile(
	`(?i)(creat|modif|updat|chang|sync|login|logon|lastl|seen|stamp|expir|birth|passw|pwd|lock|propagat)`,
)

// byShape gives the hire date to the first ISO date that nothing else has claimed, where no field has it by its name.
func byShape(o v1.DiscoveredObject, rules []mapping.Mapping) {
	if o.Kind != mapping.ObjectIdentity ||
		slices.ContainsFunc(rules, func(r mapping.Mapping) bool { return r.Target == mapping.HireDate }) {
		return
	}
	seen := wasSampled(o)
	for _, kind := range []string{"date", "datetime"} {
		for i, f := range o.Fields {
			if seen && f.NullRatio >= 1 {
				continue
			}
			if rules[i].Action == mapping.ActionIgnore && rules[i].Note == "" && f.Type == kind &&
				isoDates(f.Samples) &&
				!bookkeeping.MatchString(f.Name) {
				rules[i] = mapping.Mapping{
					Object:     o.Kind,
					Source:     f.Name,
					Action:     mapping.ActionMap,
					Target:     mapping.HireDate,
					Heuristic:  mapping.TypeShape,
					Confidence: sureShape,
					Note:       "it is the first date of the record that nothing else explains; look at the samples",
				}
				return
			}
		}
	}
}

// isoDates reports whether all samples are dates of ISO 8601, or hidden ones of their shape; without samples the type
// decides.
func isoDates(samples []string) bool {
	return !slices.ContainsFunc(samples, func(s string) bool {
		if strings.Contains(s, "***") {
			return false
		}
		_, err := time.Parse(time.DateOnly, s[:min(len(s), len(time.DateOnly))])
		return err != nil
	})
}

package catalog

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/archive"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/trial"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// PackVerdict is what a check of a pack finds.
type PackVerdict struct {
	// Whether the sector pack has no errors. Warnings are allowed.
	Valid bool `json:"valid"`
	// How many of its own tests were run.
	Tests int `json:"tests"`
	// Contents of the sector pack. Null if it cannot be read.
	Pack *SectorPack `json:"pack"`
	// Errors and warnings of the sector pack.
	Problems []PackProblem `json:"problems" nullable:"false"`
}

// PackProblem is something that is wrong with a pack, and how it is mended.
type PackProblem diagnostic.Problem

// uploadIn is the input of upload and validate.
type uploadIn struct {
	// Leave out what this version of the format does not know, instead of refusing it.
	Lenient bool `query:"lenient"`
	Body    struct {
		// The .gwpack file in base64. It may also be the body itself (application/gzip or application/octet-stream), or
		// the part archive of a multipart/form-data.
		Archive []byte `json:"archive"`
	}
}

// validate is POST …/validate: what upload would say, without keeping anything. It needs no
// database.
func (s *Service) validate(_ context.Context, _ viewer.Viewer, in *uploadIn) (*httpapi.One[PackVerdict], error) {
	v, _, problems := s.judge(in.Body.Archive, in.Lenient)
	for _, p := range problems {
		v.Problems = append(v.Problems, PackProblem(p))
	}
	return &httpapi.One[PackVerdict]{Body: v}, nil
}

// judge lints an archive and looks at its signature.
func (s *Service) judge(
	packed []byte,
	lenient bool,
) (out PackVerdict, source *format.Source, problems []diagnostic.Problem) {
	out.Problems = []PackProblem{}
	files, problems := archive.Unpack(packed)
	if diagnostic.Failed(problems) {
		return out, nil, problems
	}
	source, out.Tests, problems = trial.Lint(files, format.Options{Lenient: lenient})
	if source == nil {
		return out, nil, problems
	}
	key, err := files.Verify(s.Trusted...)
	var keyID *string
	if err == nil {
		id := archive.KeyID(key)
		keyID = &id
	} else {
		p := diagnostic.Problem{
			Severity: diagnostic.Error,
			Code:     "untrusted_pack",
			File:     "SIGNATURE",
			Message:  err.Error(),
			Mend:     "have it signed by a key that the operator of the service trusts",
		}
		if s.AllowUnsigned {
			p.Severity = diagnostic.Warning
		}
		problems = append(problems, p)
	}
	entry := entryOf(source, uploaded, keyID)
	entry.Versions = []string{entry.Version}
	out.Pack, out.Valid = &entry, !diagnostic.Failed(problems)
	if !out.Valid {
		return out, nil, problems
	}
	return out, source, problems
}

// refused is a pack that is not accepted: one without a trusted signature, or one that is wrong.
func refused(problems []diagnostic.Problem) error {
	errs := 0
	for _, p := range problems {
		if p.Severity == diagnostic.Error {
			errs++
		}
	}
	for _, p := range problems {
		if p.Code == "untrusted_pack" && p.Severity == diagnostic.Error && errs == 1 {
			return fault.Coded(fault.Invalid, "untrusted_pack", "%s; %s", p.Message, p.Mend)
		}
		if p.Code == "archive_too_large" && p.Severity == diagnostic.Error {
			return fault.Coded(fault.Malformed, "payload_too_large", "%s; %s", p.Message, p.Mend)
		}
	}
	return diagnostic.Fault(problems)
}

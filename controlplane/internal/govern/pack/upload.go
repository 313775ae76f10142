package pack

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

type uploadIn struct {
	Lenient bool `query:"lenient" doc:"Leave out what this version of the format does not know, instead of refusing it."`
	Body    struct {
		Archive []byte `json:"archive" doc:"The .gwpack file in base64. It may also be the body itself (application/gzip or application/octet-stream), or the part archive of a multipart/form-data."`
	}
}

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
) (out PackVerdict, source *format.Source, problems []format.Problem) {
	out.Problems = []PackProblem{}
	files, problems := format.Unpack(packed)
	if format.Failed(problems) {
		return out, nil, problems
	}
	source, out.Tests, problems = format.Lint(files, format.Options{Lenient: lenient})
	if source == nil {
		return out, nil, problems
	}
	key, err := files.Verify(s.Trusted...)
	var keyID *string
	if err == nil {
		id := format.KeyID(key)
		keyID = &id
	} else {
		p := format.Problem{Severity: format.Error, Code: "untrusted_pack", File: "SIGNATURE", Message: err.Error(),
			Mend: "have it signed by a key that the operator of the service trusts"}
		if s.AllowUnsigned {
			p.Severity = format.Warning
		}
		problems = append(problems, p)
	}
	entry := entryOf(source, uploaded, keyID)
	entry.Versions = []string{entry.Version}
	out.Pack, out.Valid = &entry, !format.Failed(problems)
	if !out.Valid {
		return out, nil, problems
	}
	return out, source, problems
}

func (s *Service) upload(ctx context.Context, v viewer.Viewer, in *uploadIn) (*httpapi.Created[SectorPack], error) {
	packed := in.Body.Archive
	verdict, source, problems := s.judge(packed, in.Lenient)
	if source == nil {
		return nil, refused(problems)
	}
	entry := *verdict.Pack
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := turn(ctx, tx); err != nil {
			return err
		}
		fresh, err := keep(ctx, tx, entry, packed)
		if err != nil || !fresh {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{
				Action:  "sector_pack.uploaded",
				Subject: audit.Subject{Type: "sector_pack", ID: entry.Key, Display: entry.Key + " " + entry.Version},
				Context: map[string]any{
					"version":   entry.Version,
					"checksum":  entry.Checksum,
					"signed_by": entry.Signature.KeyID,
				},
			},
		)
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[SectorPack]{
		Location: httpapi.Prefix + base + "/" + entry.Key + "/versions/" + entry.Version,
		Body:     entry,
	}, nil
}

// refused is a pack that is not let in: one that nobody vouches for, or one that is wrong.
func refused(problems []format.Problem) error {
	errs := 0
	for _, p := range problems {
		if p.Severity == format.Error {
			errs++
		}
	}
	for _, p := range problems {
		if p.Code == "untrusted_pack" && p.Severity == format.Error && errs == 1 {
			return fault.Coded(fault.Invalid, "untrusted_pack", "%s; %s", p.Message, p.Mend)
		}
		if p.Code == "archive_too_large" && p.Severity == format.Error {
			return fault.Coded(fault.Malformed, "payload_too_large", "%s; %s", p.Message, p.Mend)
		}
	}
	return invalid(problems)
}

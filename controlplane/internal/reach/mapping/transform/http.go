// Package transform tries transforms out before they are saved: an expression over samples of a source, each with its
// result or with what is wrong.
package transform

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const aboutValidate = "A transform is one Python expression in which value is the field and record the whole source " +
	"record. valid says whether " +
	"the expression can be saved; results has one entry for every sample, with the value it gives or the error it " +
	"ends with. Nothing is stored."

// Routes are the paths under /connectors/transforms.
func Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", "/connectors/transforms/validate", "Validate a transform", validate).
			For(viewer.Admin).
			Describe(aboutValidate),
	}
}

// validateIn is the input of validate.
type validateIn struct{ Body TransformTrial }

// validate is POST …/transforms/validate. It needs no database: the expression runs on the samples
// of the request.
func validate(ctx context.Context, _ viewer.Viewer, in *validateIn) (*httpapi.One[TransformVerdict], error) {
	verdict, err := Validate(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[TransformVerdict]{Body: verdict}, nil
}

package colleague

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
)

// Search has the query parameters of a search for colleagues.
type Search struct {
	// How they are called: words, each of which begins a word of the name; or a whole e-mail address. At least two
	// letters.
	Q string `query:"q" maxLength:"200" example:"hop"`
}

// Answer is the response of a search.
func Answer(found DecisionColleagues, err error) (*httpapi.One[DecisionColleagues], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[DecisionColleagues]{Body: found}, nil
}

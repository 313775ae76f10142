package tryout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/grantwright/grantwright/connectorkit"
)

// Scrubber masks every secret: connectors do so themselves, this is the net beneath them.
func Scrubber(secrets map[string]any) *connectorkit.Scrubber {
	var fields []connectorkit.Field
	for key := range secrets {
		fields = append(fields, connectorkit.Field{Key: key, Secret: true})
	}
	return connectorkit.ScrubberFor(secrets, fields)
}

// Scrubbed masks secrets in every text of an answer.
func Scrubbed[T any](answer T, scrub *connectorkit.Scrubber) (T, error) {
	var clean T
	b, err := json.Marshal(answer)
	if err != nil {
		return clean, fmt.Errorf("encode connector's answer: %w", err)
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return clean, fmt.Errorf("decode connector's answer: %w", err)
	}
	if b, err = json.Marshal(mask(tree, scrub)); err != nil {
		return clean, fmt.Errorf("encode connector's answer: %w", err)
	}
	if err := json.Unmarshal(b, &clean); err != nil {
		return clean, errors.New("a connector's answer is unreadable once its secrets are masked")
	}
	return clean, nil
}

func mask(value any, scrub *connectorkit.Scrubber) any {
	switch value := value.(type) {
	case string:
		return scrub.Clean(value)
	case []any:
		for i := range value {
			value[i] = mask(value[i], scrub)
		}
	case map[string]any:
		for key := range value {
			value[key] = mask(value[key], scrub)
		}
	}
	return value
}

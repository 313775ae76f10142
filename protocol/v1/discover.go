package v1

// DiscoverRequest asks which fields a target has, with samples.
type DiscoverRequest struct {
	ConnectorBusinessID string       `json:"connector_business_id"`
	AuthConfig          AuthConfig   `json:"auth_config"`
	Objects             []ObjectKind `json:"objects,omitempty"`
	SampleSize          int          `json:"sample_size,omitempty"` // default 10, at most 50
	MaskSamples         bool         `json:"mask_samples,omitempty"`
}

// DiscoverResponse is the schema of a target as declared, as seen in samples, or both.
type DiscoverResponse struct {
	Success      bool               `json:"success"`
	Objects      []DiscoveredObject `json:"objects"`
	SchemaDigest string             `json:"schema_digest"` // sha256:<hex> over objects, names and types
	Warnings     []Warning          `json:"warnings,omitempty"`
	Error        *ErrorDetail       `json:"error"`
}

// DiscoveredObject is one native type of the target and what it becomes here.
type DiscoveredObject struct {
	Kind         string            `json:"kind"`        // account, entitlement, identity, grant
	NativeType   string            `json:"native_type"` // inetOrgPerson, User, a REST stream's name
	CountHint    *int              `json:"count_hint,omitempty"`
	SuggestedKey string            `json:"suggested_key,omitempty"`
	Fields       []DiscoveredField `json:"fields"`
}

// DiscoveredField is one field of a native type. Name equals the key under which the record's Attributes carry it.
type DiscoveredField struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// string, integer, number, boolean, datetime, date, reference, binary, object
	Type string `json:"type"`
	// email, uri, uuid, filetime, generalizedtime, dn, phone, epoch_s, epoch_ms
	Format           string   `json:"format,omitempty"`
	Multi            bool     `json:"multi"`
	Required         bool     `json:"required"`
	Writable         bool     `json:"writable"`
	Description      string   `json:"description,omitempty"`
	Samples          []string `json:"samples,omitempty"`
	NullRatio        float64  `json:"null_ratio"`
	UniqueRatio      float64  `json:"unique_ratio"`
	DistinctInSample int      `json:"distinct_in_sample"`
	Source           string   `json:"source"` // schema, sample, both
	Secret           bool     `json:"secret,omitempty"`
}

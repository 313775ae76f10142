package connectorkit

// FieldMapping is what the catalog knows about a field of a vendor's records: which field of ours holds it.
type FieldMapping struct {
	Object string `json:"object"` // identity, account
	Source string `json:"source"` // attribute of the record, with dots
	Target string `json:"target"` // field of ours
	Note   string `json:"note,omitempty"`
}

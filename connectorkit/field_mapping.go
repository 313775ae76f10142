package connectorkit

// FieldMapping is the catalog's default mapping of one field of a vendor's records.
type FieldMapping struct {
	Object string `json:"object"` // identity, account
	Source string `json:"source"` // attribute of the record, with dots
	Target string `json:"target"` // field of Grantwright
	Note   string `json:"note,omitempty"`
}

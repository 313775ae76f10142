package wire

// Requests, as a plan names them.
const (
	OpAdd      = "add"
	OpModify   = "modify"
	OpModifyDN = "modify_dn"
	OpDelete   = "delete"
)

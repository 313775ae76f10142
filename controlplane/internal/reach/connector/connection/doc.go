// Package connection has the settings of a connection to a target system, and the rules that they must meet.
//
// Settings are a type of connector, the mode in which it is reached, and settings with and without secrets. Check holds
// them against the catalog's entry and against rules of the service, as far as possible without a call to the target.
// MovedBy names the settings by which a target is another one than before: secrets are not sent there unasked.
//
//	files: settings.go, check.go, problems.go
//
// The package is pure and owns no table. It is called by the package connector when a connector is created, changed, or
// tested before it is saved.
//
//	wrong := connection.Settings{Type: "ldap", Mode: "hosted"}.Check()
//	// wrong[0].Pointer is "#/connection/host", its Code "required"
package connection

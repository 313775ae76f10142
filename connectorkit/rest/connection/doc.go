// Package connection reads the connection settings of the REST connector.
//
// # Purpose
//
// Read checks all settings of one call at once: how the target is reached, the streams and the templates of changes.
// Its error names every mistake. Fields describes the settings for forms and for the API.
//
// # States
//
// The package keeps none; a Settings is made for one call.
//
// # Callers
//
// connectorkit/catalog for Fields, Aliases and Check; connectorkit/rest for Read. The catalog needs no more of the
// connector than this package.
//
// # Example
//
//	err := connection.Check(v1.AuthConfig{"base_url": "https://hr.example.com/api", "page_size": 0})
//	// page_size must be between 1 and 10000
package connection

// Package settings reads the connection settings of the type scim2.
//
// # Purpose
//
// Fields describes the settings for forms; Read checks them. What is known of a vendor comes from package quirks; a
// setting takes precedence over it. Settings.Unsupported says which changes a target does not allow.
//
// # States
//
// None.
//
// # Callers
//
// connectorkit/catalog for the fields; the SCIM connector for each call.
//
// # Example
//
// With {"base_url": "https://api.slack.com/scim/v2"} the profile of Slack applies. With "vendor_profile": "generic" it
// does not.
package settings

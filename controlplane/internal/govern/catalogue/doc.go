// Package catalogue shows somebody what they may ask for: roles and entitlements that are requestable and visible to them, why, what
// they hold already, and how long approval usually takes. It owns no tables, and the path /access-requests/catalog.
package catalogue

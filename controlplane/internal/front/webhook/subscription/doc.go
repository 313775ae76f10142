// Package subscription has webhooks: their settings, their states, their sealed headers and their secrets. It owns the
// tables webhook and webhook_secret.
//
//	enabled ◀──▶ disabled         by an administrator
//	enabled ──▶ disabled_auto     by failures; enabled again after a test that succeeds
//
// Secrets and the values of headers are sealed and never shown again. When a secret is rotated, the old one signs
// beside the new one for a while. Packages delivery and webhook use this package.
//
// Example: Write of a webhook for two kinds of events makes the tenant's packages publish these kinds from now on.
package subscription

// Package settings keeps how a tenant sends notifications: the mail server, the sender, the hours and the defaults.
//
// Tables. notification_settings, one row for a tenant that has changed something. Without a row, a tenant uses the mail
// server of the installation, if the operators configured one.
//
// The secret of a mail server is sealed and never shown. A change of the host needs it again, so that a secret is never
// sent to another server than the one it was entered for.
//
// Example. An administrator enters the server smtp.example.com, and sends a test message to their own address:
//
//	PATCH /api/v1/settings/notifications {"server": {"use": "own", "host": "smtp.example.com", …}, "secret": "…"}
//	POST  /api/v1/settings/notifications/test
package settings

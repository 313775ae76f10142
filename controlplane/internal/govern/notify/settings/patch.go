package settings

import "github.com/grantwright/grantwright/controlplane/internal/ground/seal"

// NotificationSettingsPatch is what a merge patch of the settings may hold.
type NotificationSettingsPatch struct {
	// False if no notifications are written and sent.
	Enabled *bool `json:"enabled,omitempty"`
	// Mail server to change. Members that are absent stay as they are.
	Server *MailServerPatch `json:"server,omitempty"`
	// Sender to change. Members that are absent stay as they are.
	Sender *MailSenderPatch `json:"sender,omitempty"`
	// Hour of the day, in a person's time zone, at which their digest is sent.
	DigestHour *int `json:"digest_hour,omitempty" minimum:"0" maximum:"23"`
	// Quiet hours to change. Members that are absent stay as they are.
	QuietHours *QuietHoursPatch `json:"quiet_hours,omitempty"`
	// Defaults to change, by group. Null: smart.
	Modes map[string]*string `json:"modes,omitempty" maxProperties:"10"`
	// Groups whose default people cannot change.
	Locked []string `json:"locked,omitempty" maxItems:"10"`
	// Password of the mail server, or client secret for xoauth2. Null deletes it. It is never returned.
	Secret *seal.Secret `json:"secret,omitempty" nullable:"true" maxLength:"4096"`
}

// MailServerPatch is the part of the patch about the mail server.
type MailServerPatch struct {
	// installation: the server that the operators configured. own: the server described here.
	Use string `json:"use,omitempty" enum:"installation,own"`
	// Host name of the server.
	Host string `json:"host,omitempty" maxLength:"253"`
	// Port of the server.
	Port int `json:"port,omitempty" minimum:"1" maximum:"65535"`
	// Protection of the connection.
	Security string `json:"security,omitempty" enum:"starttls,tls,none"`
	// Way to sign in.
	Auth string `json:"auth,omitempty" enum:"none,plain,xoauth2"`
	// User name at the server.
	Username *string `json:"username,omitempty" nullable:"true" maxLength:"320"`
	// Token endpoint, for xoauth2.
	TokenURL *string `json:"token_url,omitempty" nullable:"true" maxLength:"2048"`
	// Client ID, for xoauth2.
	ClientID *string `json:"client_id,omitempty" nullable:"true" maxLength:"512"`
	// Scope of the access token, for xoauth2.
	Scope *string `json:"scope,omitempty" nullable:"true" maxLength:"1024"`
	// Certificates, in PEM form, of the authority of the server.
	CA *string `json:"ca,omitempty" nullable:"true" maxLength:"65536"`
}

// MailSenderPatch is the part of the patch about the sender.
type MailSenderPatch struct {
	// Address of the sender.
	Address *string `json:"address,omitempty" nullable:"true" maxLength:"254"`
	// Name of the sender.
	Name *string `json:"name,omitempty" nullable:"true" maxLength:"100"`
	// Address for replies.
	ReplyTo *string `json:"reply_to,omitempty" nullable:"true" maxLength:"254"`
}

// QuietHoursPatch is the part of the patch about quiet hours.
type QuietHoursPatch struct {
	// Start of the quiet hours, in local time. Null or empty if there are none.
	From *string `json:"from,omitempty" nullable:"true" maxLength:"5"`
	// End of the quiet hours, in local time.
	To *string `json:"to,omitempty" nullable:"true" maxLength:"5"`
	// True if Saturdays and Sundays are quiet as a whole.
	Weekends *bool `json:"weekends,omitempty"`
}

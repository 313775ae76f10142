package settings

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/compose"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/transport"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// Which server sends the messages of a tenant.
const (
	Installation = "installation"
	Own          = "own"
)

// Fields are what an administrator sets.
type Fields struct {
	// False if no notifications are written and sent.
	Enabled bool `json:"enabled"`
	// Mail server that accepts the messages.
	Server MailServer `json:"server"`
	// Sender of the messages.
	Sender MailSender `json:"sender"`
	// Hour of the day, in a person's time zone, at which their digest is sent.
	DigestHour int `json:"digest_hour" minimum:"0" maximum:"23"`
	// Hours, in a person's time zone, in which only urgent messages are sent.
	QuietHours notice.Quiet `json:"quiet_hours"`
	// Default of people without a choice of their own, by group: tasks, requests, operations. smart: urgent
	// notifications at once, the others in the digest. Absent groups are smart.
	Modes notice.Choices `json:"modes" nullable:"false"`
	// Groups whose default people cannot change.
	Locked []notice.Group `json:"locked" nullable:"false"`
}

// MailServer is the mail server of a tenant.
type MailServer struct {
	// installation: the server that the operators configured. own: the server described here.
	Use string `json:"use" enum:"installation,own"`
	// Host name of the server.
	Host string `json:"host" maxLength:"253" example:"smtp.example.com"`
	// Port of the server.
	Port int `json:"port" minimum:"1" maximum:"65535"`
	// starttls: the connection is encrypted by STARTTLS, or not used. tls: it is encrypted from the start. none: it is
	// not encrypted; only for servers in ranges that the operators opened.
	Security string `json:"security" enum:"starttls,tls,none"`
	// none: no sign-in. plain: user name and password. xoauth2: an access token, which is requested by the OAuth 2.0
	// client credentials grant.
	Auth string `json:"auth" enum:"none,plain,xoauth2"`
	// User name at the server.
	Username string `json:"username" maxLength:"320"`
	// Token endpoint, for xoauth2.
	TokenURL string `json:"token_url" maxLength:"2048"`
	// Client ID, for xoauth2. The secret is the client secret.
	ClientID string `json:"client_id" maxLength:"512"`
	// Scope of the access token, for xoauth2.
	Scope string `json:"scope" maxLength:"1024"`
	// Certificates, in PEM form, of the authority of the server. Empty: the authorities of the system.
	CA string `json:"ca" maxLength:"65536"`
}

// MailSender is the sender of the messages of a tenant.
type MailSender struct {
	// Address of the sender. With the server of the installation, its address is used instead.
	Address string `json:"address" maxLength:"254" example:"access@example.com"`
	// Name of the sender.
	Name string `json:"name" maxLength:"100" example:"Access management"`
	// Address for replies. Empty: the address of the sender.
	ReplyTo string `json:"reply_to" maxLength:"254"`
}

// NotificationSettings are the settings of a tenant, with the state of the mail server.
type NotificationSettings struct {
	Fields
	// True if a secret is stored.
	HasSecret bool `json:"has_secret"`
	// True if messages can be sent: there is a mail server, and notifications are enabled.
	Ready bool `json:"ready"`
	// True if the operators configured a mail server for all tenants.
	InstallationServer bool `json:"installation_server"`
	// State of the mail server.
	State ServerState `json:"state"`
	// Time of the last change. Null if nothing was ever changed.
	UpdatedAt *time.Time `json:"updated_at"`
	// Version of the settings.
	Version int `json:"version"`
}

// ServerState is how the mail server of a tenant works.
type ServerState struct {
	// Consecutive failures of the server. Rejected addresses are none.
	Failures int `json:"failures"`
	// Next attempt after a failure. Null if the server works.
	PausedUntil *time.Time `json:"paused_until"`
	// Error of the last failure since the last success. Null if there is none.
	LastError *string `json:"last_error"`
	// Time of the last accepted message. Null if there is none.
	SucceededAt *time.Time `json:"succeeded_at"`
}

// defaults are the settings of a tenant that has changed nothing.
func defaults() Fields {
	return Fields{
		Enabled:    true,
		Server:     MailServer{Use: Installation, Port: 587, Security: transport.StartTLS, Auth: transport.NoAuth},
		DigestHour: 9,
		Modes:      notice.Choices{},
		Locked:     []notice.Group{},
	}
}

// tidy brings fields into the form in which they are stored.
func (f *Fields) tidy() {
	f.Server.Host = strings.ToLower(strings.TrimSpace(f.Server.Host))
	f.Sender.Address, f.Sender.ReplyTo = strings.TrimSpace(f.Sender.Address), strings.TrimSpace(f.Sender.ReplyTo)
	f.Sender.Name = compose.Line(f.Sender.Name, 100)
	if f.Modes == nil {
		f.Modes = notice.Choices{}
	}
	slices.Sort(f.Locked)
	f.Locked = slices.Compact(f.Locked)
	if f.Locked == nil {
		f.Locked = []notice.Group{}
	}
}

// hostName matches a host name or an address without brackets.
var hostName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.:-]*[a-z0-9])?$`)

// check says what is wrong with the fields.
func (f Fields) check() error {
	var wrong []fault.Field
	add := func(pointer, detail string) {
		wrong = append(wrong, fault.Field{Pointer: "#/" + pointer, Code: "invalid", Detail: detail})
	}
	f.Server.checkRequired(add)
	if f.Server.Use == Own {
		f.Server.check(add)
		if err := compose.CheckAddress(f.Sender.Address); err != nil {
			add("sender/address", "must be a plain address such as access@example.com")
		}
	}
	if f.Sender.ReplyTo != "" && compose.CheckAddress(f.Sender.ReplyTo) != nil {
		add("sender/reply_to", "must be a plain address such as access@example.com")
	}
	if detail := f.QuietHours.Check(); detail != "" {
		add("quiet_hours", detail)
	}
	for g, m := range f.Modes {
		if !slices.Contains(notice.Groups, g) || !m.Known() {
			add("modes", "must name groups (tasks, requests, operations) with a mode (smart, immediate, digest, off)")
		}
	}
	for _, g := range f.Locked {
		if !slices.Contains(notice.Groups, g) {
			add("locked", "must be tasks, requests or operations")
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "The notification settings are invalid.").With(wrong...)
	}
	return nil
}

// checkRequired says which members a patch has removed that have no value for none.
func (s MailServer) checkRequired(add func(pointer, detail string)) {
	if s.Use != Installation && s.Use != Own {
		add("server/use", "must be installation or own")
	}
	if s.Port < 1 || s.Port > 65535 {
		add("server/port", "must be a port from 1 to 65535")
	}
	if !slices.Contains([]string{transport.StartTLS, transport.TLS, transport.None}, s.Security) {
		add("server/security", "must be starttls, tls or none")
	}
	if !slices.Contains([]string{transport.NoAuth, transport.Plain, transport.XOAuth2}, s.Auth) {
		add("server/auth", "must be none, plain or xoauth2")
	}
}

func (s MailServer) check(add func(pointer, detail string)) {
	if !hostName.MatchString(s.Host) {
		add("server/host", "must be the host name of a mail server")
	}
	if s.Auth != transport.NoAuth && s.Security == transport.None {
		add("server/security", "must be starttls or tls if the server asks for a sign-in")
	}
	if s.Auth != transport.NoAuth && (s.Username == "" || strings.ContainsAny(s.Username, "\r\n\x00\x01")) {
		add("server/username", "must be given for a sign-in")
	}
	if s.Auth == transport.XOAuth2 {
		if u, err := url.Parse(s.TokenURL); err != nil || u.Scheme != "https" || u.Host == "" {
			add("server/token_url", "must be an https address")
		}
		if s.ClientID == "" {
			add("server/client_id", "must be given for xoauth2")
		}
	}
	if _, err := transport.Pool(s.CA); err != nil {
		add("server/ca", "must be certificates in PEM form")
	}
}

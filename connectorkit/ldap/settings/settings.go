package settings

import (
	"crypto/tls"
	"net"
	"strconv"
	"strings"
	"time"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Settings are the connection settings of one call, read and checked.
type Settings struct {
	Host       string
	port       int
	Security   string
	Tls        *tls.Config // nil without TLS
	Unverified bool        // certificates are not verified
	BindDN     string
	Password   string
	Anonymous  bool

	BaseDN, UserBaseDN, GroupBaseDN string
	Scope                           int // goldap.Scope…
	UserFilter, GroupFilter         string
	UserClasses, GroupClasses       []string
	Flavor                          string
	ChangeMode                      string
	IdAttribute                     string
	UsernameAttribute               string
	MemberAttribute                 string
	Attributes                      []string // raw attributes wanted; empty: all
	Binary                          []string

	PageSize       int
	ConnectTimeout time.Duration // for dialing and for each TLS handshake
	IdleTimeout    time.Duration // for each read
	TimeLimit      int           // seconds

	Write WriteSettings

	Scrubber *connectorkit.Scrubber
}

// HostPort is the address to dial, as host:port; an IPv6 address is in brackets.
func (s *Settings) HostPort() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.port)) }

// Read turns an auth_config into settings; its error is of class config and names all that is wrong.
func Read(auth v1.AuthConfig, allowInsecureTLS bool) (*Settings, error) {
	in := connectorkit.Read(auth)
	s := &Settings{
		Host:              strings.TrimSpace(in.Required("host")),
		BaseDN:            strings.TrimSpace(in.String("base_dn", "")),
		UserFilter:        filterOf(in, "user_filter"),
		GroupFilter:       filterOf(in, "group_filter"),
		UserClasses:       namesOf(in, "user_object_classes"),
		GroupClasses:      namesOf(in, "group_object_classes"),
		Flavor:            in.OneOf("flavor", Auto, flavorNames()...),
		ChangeMode:        in.OneOf("change_mode", Auto, modeNames()...),
		IdAttribute:       nameOf(in, "id_attribute"),
		UsernameAttribute: nameOf(in, "username_attribute"),
		MemberAttribute:   nameOf(in, "member_attribute"),
		Attributes:        namesOf(in, "attributes"),
		Binary:            namesOf(in, "binary_attributes"),
		PageSize:          in.Int("page_size", 500, 1, 10000),
		ConnectTimeout:    time.Duration(in.Int("connect_timeout_s", 10, 1, 120)) * time.Second,
		IdleTimeout:       time.Duration(in.Int("timeout_s", 60, 1, 600)) * time.Second,
		TimeLimit:         in.Int("time_limit_s", 0, 0, 86400),
		Scrubber:          connectorkit.ScrubberFor(auth, Fields()),
	}
	s.UserBaseDN = strings.TrimSpace(in.String("user_base_dn", ""))
	s.GroupBaseDN = strings.TrimSpace(in.String("group_base_dn", ""))
	s.Scope = goldap.ScopeWholeSubtree
	if in.OneOf("scope", "sub", "sub", "one") == "one" {
		s.Scope = goldap.ScopeSingleLevel
	}
	s.readEndpoint(in, auth)
	s.readBind(in)
	s.readTLS(in, allowInsecureTLS)
	s.readWriteSettings(in)
	if err := in.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Settings) readEndpoint(in *connectorkit.Settings, auth v1.AuthConfig) {
	if strings.ContainsAny(s.Host, "/@ ") {
		in.Wrong("host must be a name or an address, without a scheme or a path")
	}
	s.Host = strings.Trim(s.Host, "[]")
	if strings.Contains(s.Host, ":") && net.ParseIP(s.Host) == nil {
		in.Wrong("host must not carry a port; set port")
	}
	s.port = in.Int("port", 0, 1, 65535)
	s.Security = securityOf(in, auth, s.port)
	if s.port == 0 {
		s.port = defaultPort(s.Security)
	}
}

func defaultPort(security string) int {
	if security == SecurityLDAPS {
		return 636
	}
	return 389
}

// securityOf reads security, or tls, its other name, which may be a boolean.
func securityOf(in *connectorkit.Settings, auth v1.AuthConfig, port int) string {
	key := "security"
	if _, given := auth[key]; !given {
		switch v := auth["tls"].(type) {
		case bool:
			if v {
				return SecurityLDAPS
			}
			return SecurityNone
		case string:
			key = "tls"
		}
	}
	def := SecurityNone
	if port == 636 || port == 3269 {
		def = SecurityLDAPS
	}
	return in.OneOf(key, def, SecurityNone, SecurityStartTLS, SecurityLDAPS)
}

func (s *Settings) readBind(in *connectorkit.Settings) {
	s.BindDN = strings.TrimSpace(in.String("bind_dn", ""))
	s.Password = in.String("bind_password", "")
	def := bindAnonymous
	if s.BindDN != "" {
		def = bindSimple
	}
	s.Anonymous = in.OneOf("bind_method", def, bindSimple, bindAnonymous) == bindAnonymous
	switch {
	case s.Anonymous && s.BindDN == "" && s.Password != "":
		in.Wrong("bind_dn is missing beside bind_password")
	case s.Anonymous:
	case s.BindDN == "":
		in.Wrong("bind_dn is missing")
	case s.Password == "":
		in.Wrong("bind_password is missing: a bind without a password would prove nothing")
	}
}

func (s *Settings) readTLS(in *connectorkit.Settings, allowInsecure bool) {
	ca := in.String("ca_pem", "")
	name := in.String("tls_server_name", s.Host)
	s.Unverified = in.Bool("tls_insecure_skip_verify", false)
	if s.Unverified && !allowInsecure {
		in.Wrong("tls_insecure_skip_verify is not allowed here; give the directory's authority as ca_pem")
	}
	if s.Security == SecurityNone {
		return
	}
	s.Tls = &tls.Config{ServerName: name, MinVersion: tls.VersionTLS12, InsecureSkipVerify: s.Unverified &&
		allowInsecure} //nolint:gosec // An operator's choice on an agent, shown as a warning.
	if ca != "" {
		pool, err := connectorkit.CertPool(ca)
		if err != nil {
			in.Wrong("ca_pem: %v", err)
		}
		s.Tls.RootCAs = pool
	}
}

// nameOf reads the name of an attribute; auto is empty here.
func nameOf(in *connectorkit.Settings, key string) string {
	name := strings.TrimSpace(in.String(key, ""))
	if strings.EqualFold(name, Auto) {
		return ""
	}
	checkName(in, key, name)
	return name
}

func namesOf(in *connectorkit.Settings, key string) []string {
	names := in.Strings(key)
	for _, n := range names {
		checkName(in, key, n)
	}
	return names
}

// checkName keeps names to what RFC 4512 section 2.5 allows for a description with options, so that none can
// change a filter.
func checkName(in *connectorkit.Settings, key, name string) {
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-._;", r):
		default:
			in.Wrong("%s must hold names of attributes or classes, which have only letters, digits and -._;", key)
			return
		}
	}
}

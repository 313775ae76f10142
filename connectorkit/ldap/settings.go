package ldap

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

// settings are the connection settings of one call, read and checked.
type settings struct {
	host      string
	port      int
	security  string
	tls       *tls.Config // nil without TLS
	insecure  bool        // certificates are not verified
	bindDN    string
	password  string
	anonymous bool

	base, userBase, groupBase string
	scope                     int // goldap.Scope…
	userFilter, groupFilter   string
	userClasses, groupClasses []string
	flavor                    string
	changeMode                string
	idAttribute               string
	usernameAttribute         string
	memberAttribute           string
	attributes                []string // raw attributes wanted; empty: all
	binary                    []string

	pageSize  int
	connect   time.Duration // for dialing and for each TLS handshake
	silence   time.Duration // for each read
	timeLimit int           // seconds

	writing writing

	scrub *connectorkit.Scrubber
}

func (s *settings) hostport() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// read turns an auth_config into settings; its error is of class config and names all that is wrong.
func (c *connector) read(auth v1.AuthConfig) (*settings, error) {
	in := connectorkit.Read(auth)
	s := &settings{
		host:              strings.TrimSpace(in.Required("host")),
		base:              strings.TrimSpace(in.String("base_dn", "")),
		userFilter:        filterOf(in, "user_filter"),
		groupFilter:       filterOf(in, "group_filter"),
		userClasses:       namesOf(in, "user_object_classes"),
		groupClasses:      namesOf(in, "group_object_classes"),
		flavor:            in.OneOf("flavor", auto, flavorNames()...),
		changeMode:        in.OneOf("change_mode", auto, modeNames()...),
		idAttribute:       nameOf(in, "id_attribute"),
		usernameAttribute: nameOf(in, "username_attribute"),
		memberAttribute:   nameOf(in, "member_attribute"),
		attributes:        namesOf(in, "attributes"),
		binary:            namesOf(in, "binary_attributes"),
		pageSize:          in.Int("page_size", 500, 1, 10000),
		connect:           time.Duration(in.Int("connect_timeout_s", 10, 1, 120)) * time.Second,
		silence:           time.Duration(in.Int("timeout_s", 60, 1, 600)) * time.Second,
		timeLimit:         in.Int("time_limit_s", 0, 0, 86400),
		scrub:             connectorkit.ScrubberFor(auth, Fields()),
	}
	s.userBase = strings.TrimSpace(in.String("user_base_dn", ""))
	s.groupBase = strings.TrimSpace(in.String("group_base_dn", ""))
	s.scope = goldap.ScopeWholeSubtree
	if in.OneOf("scope", "sub", "sub", "one") == "one" {
		s.scope = goldap.ScopeSingleLevel
	}
	s.readEndpoint(in, auth)
	s.readBind(in)
	s.readTLS(in, c.env.AllowInsecureTLS)
	s.readWriting(in)
	if err := in.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *settings) readEndpoint(in *connectorkit.Settings, auth v1.AuthConfig) {
	if strings.ContainsAny(s.host, "/@ ") {
		in.Wrong("host must be a name or an address, without a scheme or a path")
	}
	s.host = strings.Trim(s.host, "[]")
	if strings.Contains(s.host, ":") && net.ParseIP(s.host) == nil {
		in.Wrong("host must not carry a port; set port")
	}
	s.port = in.Int("port", 0, 1, 65535)
	s.security = securityOf(in, auth, s.port)
	if s.port == 0 {
		s.port = defaultPort(s.security)
	}
}

func defaultPort(security string) int {
	if security == securityLDAPS {
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
				return securityLDAPS
			}
			return securityNone
		case string:
			key = "tls"
		}
	}
	def := securityNone
	if port == 636 || port == 3269 {
		def = securityLDAPS
	}
	return in.OneOf(key, def, securityNone, securityStartTLS, securityLDAPS)
}

func (s *settings) readBind(in *connectorkit.Settings) {
	s.bindDN = strings.TrimSpace(in.String("bind_dn", ""))
	s.password = in.String("bind_password", "")
	def := bindAnonymous
	if s.bindDN != "" {
		def = bindSimple
	}
	s.anonymous = in.OneOf("bind_method", def, bindSimple, bindAnonymous) == bindAnonymous
	switch {
	case s.anonymous && s.bindDN == "" && s.password != "":
		in.Wrong("bind_dn is missing beside bind_password")
	case s.anonymous:
	case s.bindDN == "":
		in.Wrong("bind_dn is missing")
	case s.password == "":
		in.Wrong("bind_password is missing: a bind without a password would prove nothing")
	}
}

func (s *settings) readTLS(in *connectorkit.Settings, allowInsecure bool) {
	ca := in.String("ca_pem", "")
	name := in.String("tls_server_name", s.host)
	s.insecure = in.Bool("tls_insecure_skip_verify", false)
	if s.insecure && !allowInsecure {
		in.Wrong("tls_insecure_skip_verify is not allowed here; give the directory's authority as ca_pem")
	}
	if s.security == securityNone {
		return
	}
	s.tls = &tls.Config{ServerName: name, MinVersion: tls.VersionTLS12, InsecureSkipVerify: s.insecure && allowInsecure} //nolint:gosec // An operator's choice on an agent, shown as a warning.
	if ca != "" {
		pool, err := connectorkit.CertPool(ca)
		if err != nil {
			in.Wrong("ca_pem: %v", err)
		}
		s.tls.RootCAs = pool
	}
}

// filterOf reads a filter, adds the outer parentheses people leave out, and checks it.
func filterOf(in *connectorkit.Settings, key string) string {
	f := strings.TrimSpace(in.String(key, ""))
	if f == "" {
		return ""
	}
	if !strings.HasPrefix(f, "(") {
		f = "(" + f + ")"
	}
	if deepest(f) > maxFilterDepth {
		in.Wrong("%s has more than %d levels of parentheses", key, maxFilterDepth)
		return ""
	}
	if _, err := goldap.CompileFilter(f); err != nil {
		in.Wrong("%s is not a valid LDAP filter (RFC 4515): %v", key, err)
	}
	return f
}

// maxFilterDepth is more than anybody writes: filters are compiled, and matched by the directory, level by level.
const maxFilterDepth = 50

// deepest counts the levels of parentheses in a filter.
func deepest(filter string) (most int) {
	level := 0
	for i := 0; i < len(filter); i++ {
		switch filter[i] {
		case '\\':
			i++
		case '(':
			level++
			most = max(most, level)
		case ')':
			level--
		}
	}
	return most
}

// nameOf reads the name of an attribute; auto is empty here.
func nameOf(in *connectorkit.Settings, key string) string {
	name := strings.TrimSpace(in.String(key, ""))
	if strings.EqualFold(name, auto) {
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

// checkName keeps names to what RFC 4512 section 2.5 allows for a description with options, so that none can change a filter.
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

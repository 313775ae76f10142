// Package settings holds the connection settings of LDAP connectors and what is known beforehand about kinds of
// directory (flavors).
//
// Fields describes the settings to users; the catalog shows them. Read checks an auth_config against them. The
// search filters for people and groups follow from the settings and the flavor. The package opens no connection.
//
// Callers are the catalog and the packages of the connector:
//
//	s, err := settings.Read(v1.AuthConfig{"host": "dc1", "bind_dn": "cn=reader,dc=x", "bind_password": "…"}, false)
//	users, groups := settings.Filters(s, settings.FlavorNamed(settings.FlavorOpenLDAP))
package settings

package e2e
import (
 _ "github.com/jimlambrt/gldap"
 _ "github.com/elimity-com/scim"
 _ "github.com/google/go-cmp/cmp"
 _ "github.com/go-ldap/ldap/v3"
 _ "github.com/jackc/pgx/v5"
 _ "github.com/gorilla/websocket"
)

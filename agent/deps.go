package agent
import (
 _ "github.com/gorilla/websocket"
 _ "github.com/kardianos/service"
 _ "github.com/google/go-cmp/cmp"
 _ "golang.org/x/sys/cpu"
 _ "github.com/golang-jwt/jwt/v5"
 _ "github.com/oklog/ulid/v2"
 _ "golang.org/x/net/proxy"
 _ "golang.org/x/net/http/httpproxy"
 _ "github.com/grantwright/grantwright/protocol/v1"
 _ "github.com/grantwright/grantwright/connectorkit"
)

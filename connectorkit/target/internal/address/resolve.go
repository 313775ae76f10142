package address

import (
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Resolve finds the URL of a request below base.
func Resolve(base *url.URL, ref string, query url.Values, phase string) (*url.URL, error) {
	var u *url.URL
	if strings.Contains(ref, "://") {
		abs, err := ParseURL("the next address", ref)
		if err != nil {
			return nil, err
		}
		if abs.Scheme != base.Scheme || HostPort(abs) != HostPort(base) {
			return nil, &v1.ErrorDetail{
				Class: v1.ClassPolicy, Code: "other_origin", Phase: phase,
				Message: "the target gave an address on another host than its own; it was not followed",
				Hint: "Credentials go to the configured host only. Where the target answers under another name, " +
					"use that name as base_url.",
			}
		}
		u = abs
	} else {
		rel, err := url.Parse(strings.TrimPrefix(ref, "/"))
		if err != nil || strings.HasPrefix(ref, "//") || rel.Host != "" || rel.Scheme != "" {
			return nil, &v1.ErrorDetail{
				Class: v1.ClassConfig, Code: "invalid_path", Phase: phase,
				Message: "a path of the settings is not a URL path",
			}
		}
		if connectorkit.LeavesBase(rel.EscapedPath()) {
			return nil, &v1.ErrorDetail{
				Class: v1.ClassConfig, Code: "invalid_path", Phase: phase,
				Message: "a path leads out of the path of base_url by its \"..\"",
				Hint:    "Write the path below base_url without \"..\", or shorten base_url.",
			}
		}
		u = base.JoinPath(rel.EscapedPath())
		if rel.Path == "" {
			copied := *base
			u = &copied
		}
		u.RawQuery, u.Fragment = rel.RawQuery, ""
	}
	if len(query) > 0 {
		q := u.Query()
		for k, v := range query {
			q[k] = v
		}
		u.RawQuery = q.Encode()
	}
	return u, nil
}

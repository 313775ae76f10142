package status

import (
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Meaning explains a status of a target, and what the user can do about it.
type Meaning struct {
	Class v1.ErrorClass
	Hint  string
}

// Meanings of the statuses that have one of their own (RFC 9110 section 15, RFC 6585).
var Meanings = map[int]Meaning{
	400: {
		v1.ClassConfig,
		"The target does not accept the request. Check filters, paths and parameters of the settings against its " +
			"documentation.",
	},
	401: {
		v1.ClassAuth,
		"The target does not accept the credentials. Check that they are right, not expired, and meant for " +
			"this system.",
	},
	402: {v1.ClassPermission, "The target's subscription does not include this interface."},
	403: {
		v1.ClassPermission,
		"The credentials are valid but not allowed to read this. Grant them read access in the target.",
	},
	404: {v1.ClassNotFound, "There is nothing at this address. Check base_url and the path."},
	405: {v1.ClassConfig, "The target does not offer this at this address. Check base_url and the path."},
	406: {v1.ClassConfig, "The target cannot answer in the format that is asked for."},
	407: {v1.ClassConfig, "A proxy on the way wants credentials of its own."},
	408: {v1.ClassTransient, "The target gave up waiting. Try again; smaller pages may help."},
	409: {v1.ClassConflict, ""},
	410: {v1.ClassNotFound, "The target has removed this address. Check its documentation for the new one."},
	412: {v1.ClassConflict, ""},
	413: {v1.ClassConfig, "The target finds the request too large. Ask for smaller pages."},
	414: {v1.ClassConfig, "The target finds the address too long. Shorten the filter."},
	415: {v1.ClassConfig, "The target does not accept the format of the request."},
	421: {v1.ClassConfig, "The target is not responsible for this host name. Check base_url."},
	422: {
		v1.ClassConfig,
		"The target does not accept the request. Check filters, paths and parameters of the settings against its " +
			"documentation.",
	},
	425: {v1.ClassTransient, "Try again."},
	429: {
		v1.ClassRateLimited,
		"The target limits how many requests it answers. Set rate_limit_rps, or ask its owner for a higher limit.",
	},
	500: {v1.ClassTargetFault, "The target failed. See its log; smaller pages may help."},
	501: {v1.ClassTargetFault, "The target does not offer what was asked for."},
	502: {v1.ClassTransient, "A gateway before the target got no usable answer from it. Try again later."},
	503: {v1.ClassTransient, "The target is overloaded or in maintenance. Try again later."},
	504: {v1.ClassTransient, "A gateway before the target gave up waiting for it. Smaller pages may help."},
	505: {v1.ClassTargetFault, ""},
}

// Of is the meaning of a status, by its class where it has none of its own.
func Of(status int) Meaning {
	if m, ok := Meanings[status]; ok {
		return m
	}
	switch status / 100 {
	case 3:
		return Meaning{
			v1.ClassConfig,
			"Redirects are not followed, so that credentials stay with the host they were given for. Use the final " +
				"address as base_url.",
		}
	case 4:
		return Meaning{v1.ClassConfig, ""}
	case 5:
		return Meaning{v1.ClassTransient, "The target itself has failed. Try again later."}
	}
	return Meaning{v1.ClassTargetFault, "The target answered with a status that has no place here."}
}

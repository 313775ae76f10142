package message

import "github.com/grantwright/grantwright/controlplane/internal/record/notice"

// oneTime reports whether messages of a kind hold a one-time link.
func oneTime(kind string) bool { return kind == notice.UserInvited || kind == notice.PasswordReset }

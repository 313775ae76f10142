// Package session has the sessions of users: it opens, refreshes, lists and ends them, and gives their tokens to
// programs and, as cookies, to consoles.
//
// It owns the table auth_session. A session is open until it is revoked, was not refreshed for twelve hours, or is
// seven days old (twelve hours after a sign-in with an identity provider). Its refresh token works once: a second use
// ends the session, because two hold the token. Packages signin and sso open sessions for whoever has proved who they
// are; user.go has that User.
package session

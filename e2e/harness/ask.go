package harness

import (
	"fmt"

	"github.com/grantwright/grantwright/e2e/api"
)

// Ask sends a request to a path below api.Prefix and answers what came, whatever it is. header are names and values in
// turn.
func (h *House) Ask(c *api.Client, method, path string, in any, header ...string) api.Answer {
	h.t.Helper()
	answer, err := c.Ask(Context(h.t), method, path, in, header...)
	h.check(err)
	return answer
}

// Expect is Ask for an answer that must be this: a status, and after a blank the code of a problem.
func (h *House) Expect(want string, c *api.Client, method, path string, in any, header ...string) api.Answer {
	h.t.Helper()
	answer := h.Ask(c, method, path, in, header...)
	if got := Outcome(answer); got != want {
		h.t.Errorf("%s %s answers %s; want %s: %.400s", method, path, got, want, answer.Body)
	}
	return answer
}

// Outcome is the status of an answer, and after a blank the code of one that is a problem.
func Outcome(a api.Answer) string {
	if code := a.Code(); code != "" {
		return fmt.Sprintf("%d %s", a.Status, code)
	}
	return fmt.Sprint(a.Status)
}

// Read decodes an answer.
func Read[T any](h *House, a api.Answer) (out T) {
	h.t.Helper()
	h.check(a.Into(&out))
	return out
}

// Member is a user of a tenant who has signed in with Password(Email).
type Member struct {
	*api.Client
	ID, Email string
}

// Member invites somebody with these roles, bound to an identity unless that is empty, who comes in by the link.
func (h *House) Member(admin *api.Client, email, identity string, roles ...string) Member {
	h.t.Helper()
	invitation := map[string]any{"email": email, "roles": append([]string{}, roles...)}
	if identity != "" {
		invitation["identity_id"] = identity
	}
	invited := Read[struct {
		ID         string `json:"id"`
		Invitation struct {
			Token string `json:"token"`
		} `json:"invitation"`
	}](h, h.Expect("201", admin, "POST", "/settings/users", invitation))
	return Member{Client: h.ComeIn(admin, invited.Invitation.Token, Password(email)), ID: invited.ID, Email: email}
}

// ComeIn signs somebody in at the same address by a one-time link, which sets their password.
func (h *House) ComeIn(at *api.Client, link, password string) *api.Client {
	h.t.Helper()
	c := at.As("")
	in := Read[struct {
		Token string `json:"access_token"`
	}](h, h.Expect("200", c, "POST", "/auth/sign-in-link", map[string]any{"token": link, "password": password}))
	c.SetToken(in.Token)
	return c
}

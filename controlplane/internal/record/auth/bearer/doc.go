// Package bearer authenticates requests: it turns the Bearer token of a request into a viewer.
//
// A token says whose it is and nothing about rights. Those are read from the database, from auth_session and app_user
// for users and from api_token for integrations, and remembered for at most four seconds, so that a right that is
// taken away is gone within five seconds in every process. X-Tenant-Id takes a control-plane administrator into
// another tenant; both tenants' audit logs say so.
//
// The package writes the last use of service tokens to api_token, and disables those that were not used for too long.
// httpapi calls Authenticator.AuthenticateUser for every request; reach/agents issues and verifies the tokens of
// agents, and record/apitoken issues those of integrations.
package bearer

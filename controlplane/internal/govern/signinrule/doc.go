// Package signinrule gives console sign-in to people by rules: everyone who manages people or owns access, and who
// meets a condition.
//
// Tables. sign_in_rule has the rules, sign_in_grant whom each gives sign-in. Triggers enqueue people who change, their
// managers and the owners of access as work of the kind sign_in; a changed rule enqueues everybody (sign_in_sweep), and
// so does each new day.
//
// States. A rule is off, on, or held: it would disable more users in a day than its limit. A held rule still gives
// sign-in, and still takes it from people who have left, but from nobody else until an administrator accepts that.
//
// What a rule gives becomes a user by package user (FollowRules): with the invitation mail at once and with a link,
// with single_sign_on at the first sign-in (package auth/sso). Users whom no rule made are never touched.
//
// Callers. App serves Routes and hands Kinds and Jobs to the queue.
package signinrule

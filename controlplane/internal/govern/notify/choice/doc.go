// Package choice keeps what people choose about their own notifications.
//
// Tables. notification_choice, one row for a user who has chosen something. Everybody else has the tenant's defaults.
//
// Who. Every user chooses for themselves, whatever roles they have. Groups that the tenant has locked keep its default.
package choice

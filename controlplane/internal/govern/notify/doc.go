// Package notify sends notifications by mail. It is the outside of its parts.
//
//	notice (record)  which notifications there are, and when a person receives them: pure rules
//	settings         mail server, sender, hours and defaults of a tenant
//	choice           what people choose for themselves
//	plan             makes messages of notifications, and digests
//	message          stores messages, and shows the delivery log
//	outbox           sends messages that are due
//	wording          subjects and texts of notifications, in any language
//	template         the API of a tenant's own subjects and texts
//	compose          the message itself: text, HTML and headers
//	transport        SMTP
//	status           the states of a message
//
// Notifications are written by triggers, in the transaction of their cause: see the function notify_people. No package
// that causes them imports this one.
//
// Tables. None of its own.
package notify

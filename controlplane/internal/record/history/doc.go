// Package history tells what was: the timelines of a person, an account and a grant in plain words, and what two people
// hold, or one person at two times, side by side.
//
// It owns no table. Triggers of the database keep what was so in the tables *_past; reasons, changes of target systems,
// requests and the audit log are never deleted, and are read where they stand. How somebody or something was at an
// instant is told by the rooms whose it is, with as_of.
//
// Whoever may see a person, an account or a grant today sees its past. A resource owner, who sees a person for what
// they own, sees of the past of that person what concerns that, and nobody sees by the past somebody whom they do not
// see today.
package history

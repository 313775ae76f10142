// Package exchange exports duties and separation-of-duties policies as files, and imports them. It owns no table.
//
// An import reads the files into a rule set (packages source, document, table and sapgrc), resolves what it names, and
// compares it with what is stored. The plan lists what would be created and changed, with everything that is wrong by
// file and line. Applying needs the hash of the plan, so that only what was reviewed is applied, all or nothing. New
// policies are drafts, and the mode of existing ones stays.
//
// Example: an import of a duty with a new member and of a policy that names an unknown duty writes nothing. Its plan
// has the changed duty, and the line of the policy with unknown_duty.
//
// Callers: package separation serves its routes.
package exchange

// Package exemption finds which separation-of-duties policies do not apply to people, by the conditions in the
// policies. It owns no table and only reads.
//
// Every evaluation of people calls Apply after their access was loaded: a policy that a person is exempt from has no
// violation by that person, whatever they hold. The contents of roles are checked without exemptions, because a role
// can be assigned to anybody. People are evaluated again when their record or their access changes; conditions that
// depend on the day alone follow with the nightly scan.
//
// Example: the policy "Vendors and payments" exempts people whose department is Audit. Ann moves from Audit to Sales.
// The change of her record queues her, and her violation is found.
package exemption

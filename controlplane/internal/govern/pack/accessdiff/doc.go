// Package accessdiff compares what the enforced policies of a tenant give everybody before and after a sector pack
// changes them. It owns no table: Read reads the policies and their resources, and Compare goes through the identities.
//
// It counts what policies give, and ignores the other reasons for which a person may hold the same. Package install
// calls it for plans, installations, upgrades and removals, and asks for a confirmation if more than 10 % of all people
// gain or lose something.
//
// Example: a new birthright gives an account to 250 people who do not have one. The impact has grants_added 250 and
// accounts_created 250.
package accessdiff

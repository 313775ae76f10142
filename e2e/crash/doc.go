// Package crash kills the programs of a deployment, over and over, while they read target systems, and holds what is
// there in the end against a reading that nobody disturbed. Each story follows from a seed: the same seed kills at the
// same moments.
//
// GRANTWRIGHT_SEEDS says how many stories are told (default 10), GRANTWRIGHT_SEED where they begin (default 1).
package crash

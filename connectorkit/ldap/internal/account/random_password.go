package account

import (
	"crypto/rand"
	"fmt"
	"math/big"
)

// Characters of random passwords: four kinds, for policies that ask for as many, and none that a shell or a
// form makes something of.
var passwordKinds = []string{"abcdefghijkmnopqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "-_.:+=!"}

// passwordLength is 24 characters out of 63: 143 bits. Policies with an upper bound allow more.
const passwordLength = 24

// randomPassword makes a password that is never shown.
func randomPassword() (string, error) {
	all := ""
	for _, kind := range passwordKinds {
		all += kind
	}
	out := make([]byte, passwordLength)
	for i := range out {
		from := all
		if i < len(passwordKinds) {
			from = passwordKinds[i]
		}
		n, err := numberBelow(len(from))
		if err != nil {
			return "", err
		}
		out[i] = from[n]
	}
	// Of a known kind at a known place would be less than it seems.
	for i := len(out) - 1; i > 0; i-- {
		j, err := numberBelow(i + 1)
		if err != nil {
			return "", err
		}
		out[i], out[j] = out[j], out[i]
	}
	return string(out), nil
}

// numberBelow is a random number from 0 to n-1, each equally likely. It fails only if the operating
// system has no randomness.
func numberBelow(n int) (int, error) {
	v, err := rand.Int(rand.Reader, big.NewInt(int64(n)))
	if err != nil {
		return 0, fmt.Errorf("make a password: %w", err)
	}
	return int(v.Int64()), nil
}

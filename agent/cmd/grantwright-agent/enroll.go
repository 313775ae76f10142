package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/enroll"
)

// maxToken bounds an enrolment token in bytes.
const maxToken = 16 << 10

// enroll is the subcommand enroll. The token comes from standard input or a file: as an argument it
// would be visible to every user of the host, and such a call is refused.
func (c command) enroll(args []string) int {
	set, data := c.flags("enroll")
	url := set.String("url", "", "`address` of the control plane, such as https://grantwright.example.org")
	stdin := set.Bool("token-stdin", false, "read the enrolment token from standard input")
	file := set.String("token-file", "", "read the enrolment token from `file`")
	ca := set.String(
		"ca-file",
		"",
		"PEM `file` with certificates to trust besides the system's, for the control plane and for an https proxy",
	)
	proxy := set.String(
		"proxy",
		"",
		"`URL` of the proxy, with user name and password where it wants them; default: HTTPS_PROXY",
	)
	insecure := set.Bool(
		"insecure-http",
		false,
		"allow plain http to another host: token and data can then be read on the way",
	)
	replace := set.Bool("replace", false, "forget an enrolment that is there, with its keys")
	if namesToken(args) {
		return c.usage(
			"a token as an argument can be seen by every user of this host in the list of processes, and stays in " +
				"the shell's history; use --token-stdin or --token-file, " +
				"and ask an administrator for a new token, because this one may have been seen",
		)
	}
	if code, done := c.parse(set, args); done {
		return code
	}
	if *url == "" || *stdin == (*file != "") {
		return c.usage("enroll needs --url, and --token-stdin or --token-file")
	}
	order, err := c.order(*data, *ca, *stdin, *file)
	if err != nil {
		return c.fail(err)
	}
	order.Settings.URL, order.Settings.Proxy, order.Settings.InsecureHTTP = *url, *proxy, *insecure
	order.Replace = *replace
	if _, err := order.Settings.Base(); err != nil {
		return c.usage("%v", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	state, err := enroll.Enroll(ctx, order)
	if err != nil {
		return c.fail(err)
	}
	return c.enrolled(order.Dir, state)
}

// namesToken finds a token given as a flag. It is looked for before the flags are read, whose errors repeat what was
// given.
func namesToken(args []string) bool {
	for _, a := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if strings.HasPrefix(a, "-") && name == "token" {
			return true
		}
	}
	return false
}

// order reads what enrolling needs from the disk and from standard input.
func (c command) order(data, ca string, stdin bool, file string) (enroll.Order, error) {
	o := enroll.Order{Version: buildVersion()}
	var err error
	if o.Dir, err = absolute(data); err != nil {
		return o, err
	}
	if ca != "" {
		if o.Settings.CA, err = os.ReadFile(ca); err != nil {
			return o, fmt.Errorf("read --ca-file: %w", err)
		}
	}
	in := c.in
	if !stdin {
		f, err := os.Open(file)
		if err != nil {
			return o, fmt.Errorf("read --token-file: %w", err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxToken))
	o.Token = strings.TrimSpace(string(text))
	if err == nil && o.Token == "" {
		err = errors.New("it is empty")
	}
	if err != nil {
		return o, fmt.Errorf("read the enrolment token: %w", err)
	}
	return o, nil
}

// enrolled prints who the agent is, with the fingerprints that the control plane shows too.
func (c command) enrolled(dir config.Dir, s config.State) int {
	keys, err := dir.LoadKeys()
	if err != nil {
		return c.fail(err)
	}
	fmt.Fprintf(
		c.out,
		"enrolled as %s (%s)\nidentity key %s\nsealing key  %s\n",
		s.Name,
		s.AgentID,
		keys.IdentityFingerprint(),
		keys.SealingFingerprint(),
	)
	return exitOK
}

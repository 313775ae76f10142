// Command targets runs the three bundled target systems: an LDAP directory, a SCIM service provider
// and a REST HR system, which hold the same people.
//
//	targets --state FILE [--people N] [--seed S] [--ldap ADDR] [--scim ADDR] [--rest ADDR]
//
// The state file tells where each system listens and with which credentials; it is readable by its
// owner alone. Credentials are made at random on the first start and kept in it, as are the ports
// that were picked and the day the company is described on, so that a restart looks the same to its
// clients. The environment variables
// GRANTWRIGHT_TARGETS_LDAP_PASSWORD, GRANTWRIGHT_TARGETS_SCIM_TOKEN and GRANTWRIGHT_TARGETS_REST_KEY
// set credentials instead. The word "ready" on the standard output says that all three are serving.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/grantwright/grantwright/e2e/targets/hrrest"
	"github.com/grantwright/grantwright/e2e/targets/ldapdir"
	"github.com/grantwright/grantwright/e2e/targets/people"
	"github.com/grantwright/grantwright/e2e/targets/scimsvc"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, "targets:", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "targets:", err)
		os.Exit(1)
	}
}

// errUsage marks an error in the command line.
var errUsage = errors.New("usage")

// options are the command line.
type options struct {
	people           int
	seed             int64
	ldap, scim, rest string
	state            string
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("targets", flag.ContinueOnError)
	f.SetOutput(out)
	f.IntVar(&o.people, "people", 3000, "how many people the company has")
	f.Int64Var(&o.seed, "seed", 1, "which company: the same seed gives the same people")
	f.StringVar(
		&o.ldap,
		"ldap",
		"127.0.0.1:0",
		"host:port of the directory; port 0 keeps the port of the last start or picks one",
	)
	f.StringVar(&o.scim, "scim", "127.0.0.1:0", "host:port of the SCIM service provider; port 0 as above")
	f.StringVar(&o.rest, "rest", "127.0.0.1:0", "host:port of the HR system; port 0 as above")
	f.StringVar(&o.state, "state", "", "file that tells addresses and credentials (required)")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return o, err
	case err != nil:
		return o, fmt.Errorf("%w: %w", errUsage, err)
	case o.state == "":
		return o, fmt.Errorf("%w: --state is required", errUsage)
	case f.NArg() > 0:
		return o, fmt.Errorf("%w: unexpected argument %q", errUsage, f.Arg(0))
	}
	return o, nil
}

// run serves the three systems until the context ends.
func run(ctx context.Context, args []string, env func(string) string, out, errOut io.Writer) error {
	o, err := parse(args, errOut)
	if err != nil {
		return err
	}
	st, err := load(o.state)
	if err != nil {
		return err
	}
	if err = st.settle(o, env); err != nil {
		return err
	}
	company := people.NewCompanyOn(o.seed, o.people, st.day(time.Now()))
	t, err := start(ctx, st, company)
	if err != nil {
		return errors.Join(err, t.close())
	}
	t.describe(st, o, company)
	if err = st.save(o.state); err != nil {
		return errors.Join(err, t.close())
	}
	t.greet(out, company)
	<-ctx.Done()
	return t.close()
}

// targets are the three systems, nil before they serve.
type targets struct {
	ldap *ldapdir.Server
	scim *scimsvc.Server
	rest *hrrest.Server
}

// start serves all three. On an error those that serve already are in the answer, to be closed.
func start(ctx context.Context, st *state, c people.Company) (targets, error) {
	var t targets
	var err error
	t.ldap, err = ldapdir.Start(
		ctx,
		ldapdir.Config{Addr: st.LDAP.Addr, System: c.Directory, Password: st.LDAP.BindPassword},
	)
	if err != nil {
		return t, err
	}
	t.scim, err = scimsvc.Start(
		ctx,
		scimsvc.Config{Addr: st.SCIM.Addr, System: c.SaaS, Domain: c.Domain, Token: st.SCIM.Token},
	)
	if err != nil {
		return t, err
	}
	t.rest, err = hrrest.Start(ctx, hrrest.Config{Addr: st.REST.Addr, Company: c, Key: st.REST.APIKey})
	return t, err
}

// describe writes down what clients need to know.
func (t targets) describe(st *state, o options, c people.Company) {
	st.Version, st.PID = stateVersion, os.Getpid()
	st.Company, st.Seed, st.People, st.Day = c.Name, o.seed, len(c.People), c.Day.Format(time.DateOnly)
	st.Wrinkles = c.Wrinkles.Counts()
	st.LDAP = ldapState{
		Addr:         t.ldap.Addr(),
		URL:          t.ldap.URL(),
		BaseDN:       t.ldap.BaseDN(),
		PeopleDN:     t.ldap.PeopleDN(),
		GroupsDN:     t.ldap.GroupsDN(),
		BindDN:       t.ldap.ReaderDN(),
		BindPassword: st.LDAP.BindPassword,
	}
	st.SCIM = scimState{Addr: t.scim.Addr(), BaseURL: t.scim.BaseURL(), Token: st.SCIM.Token}
	st.REST = restState{
		Addr:    t.rest.Addr(),
		BaseURL: t.rest.BaseURL(),
		Header:  hrrest.KeyHeader,
		APIKey:  st.REST.APIKey,
	}
}

// greet tells a person what is there, without credentials.
func (t targets) greet(out io.Writer, c people.Company) {
	_, _ = fmt.Fprintf(out, "%s: %d people\n", c.Name, len(c.People))
	_, _ = fmt.Fprintf(
		out,
		"  LDAP directory  %s  %d accounts, %d groups\n",
		t.ldap.URL(),
		len(c.Directory.Accounts),
		len(c.Directory.Groups),
	)
	_, _ = fmt.Fprintf(
		out,
		"  SCIM provider   %s  %d users, %d groups\n",
		t.scim.BaseURL(),
		t.scim.Users(),
		t.scim.Groups(),
	)
	_, _ = fmt.Fprintf(
		out,
		"  HR system       %s  %d employees, %d security roles\n",
		t.rest.BaseURL(),
		t.rest.Employees(),
		len(c.Roles),
	)
	_, _ = fmt.Fprintln(out, "ready")
}

// close ends those that serve.
func (t targets) close() error {
	var all []error
	if t.ldap != nil {
		all = append(all, t.ldap.Close())
	}
	if t.scim != nil {
		all = append(all, t.scim.Close())
	}
	if t.rest != nil {
		all = append(all, t.rest.Close())
	}
	return errors.Join(all...)
}

package main

import (
	"fmt"

	"github.com/grantwright/grantwright/agent/internal/service"
)

// service is the subcommand service: install, uninstall, start, stop, or print the unit.
func (c command) service(args []string) int {
	if len(args) == 0 {
		return c.usage("service needs install, uninstall, start, stop or unit")
	}
	set, data := c.flags("service " + args[0])
	executable := set.String("executable", "", "`path` of the program in the unit; default: this program")
	if code, done := c.parse(set, args[1:]); done {
		return code
	}
	dir, err := absolute(*data)
	if err != nil {
		return c.fail(err)
	}
	control := service.Control{DataDir: string(dir), Executable: *executable}
	switch args[0] {
	case "install":
		err = control.Install()
	case "uninstall":
		err = control.Uninstall()
	case "start":
		// The service manager would start it in vain and say nothing of the reason.
		if _, err = dir.LoadState(); err != nil {
			err = fmt.Errorf("%w; looked in %s, so name the directory by --data if it is another", err, dir)
		} else {
			err = control.Start()
		}
	case "stop":
		err = control.Stop()
	case "unit":
		var unit string
		if unit, err = control.UnitText(); err == nil {
			_, err = fmt.Fprint(c.out, unit)
		}
	default:
		return c.usage("unknown service command %q: install, uninstall, start, stop or unit", args[0])
	}
	if err != nil {
		return c.fail(err)
	}
	return exitOK
}

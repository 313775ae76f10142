package embedded

import (
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

const (
	// socketLimit is how long the socket folder's path may be: a Unix socket's address has 108 bytes, of which the
	// name .s.PGSQL.5432 takes some.
	socketLimit = 90
	// socketPort is only a part of the socket's name.
	socketPort = 5432
)

// address is where the server listens: Host is a folder with a Unix socket, or a loopback address.
type address struct {
	host string
	port int
}

func (a address) unix() bool { return filepath.IsAbs(a.host) }

// dial returns what net.Dial takes.
func (a address) dial() (network, addr string) {
	if a.unix() {
		return "unix", filepath.Join(a.host, ".s.PGSQL."+strconv.Itoa(a.port))
	}
	return "tcp", net.JoinHostPort(a.host, strconv.Itoa(a.port))
}

// chooseAddress takes the Unix socket in the data directory where its path allows, else a free loopback port.
func chooseAddress(dir string) (address, error) {
	if runtime.GOOS != "windows" && len(dir) <= socketLimit && !strings.Contains(dir, `"`) {
		return address{host: dir, port: socketPort}, nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return address{}, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return address{host: "127.0.0.1", port: l.Addr().(*net.TCPAddr).Port}, nil
}

// settings are the server's, as name=value.
func settings(c Config, a address) []string {
	s := []string{
		"max_connections=" + strconv.Itoa(c.MaxConnections),
		"port=" + strconv.Itoa(a.port),
		"password_encryption=scram-sha-256",
		"timezone=UTC",

		"shared_buffers=128MB",
		"max_wal_size=2GB",
		"checkpoint_timeout=15min",
		"wal_compression=on",
		"jit=off", // compiling costs more than our statements take

		// The log keeps a week, and of statements neither values nor rows, which may be personal or secret.
		"logging_collector=on",
		"log_directory=log",
		"log_filename=postgresql-%a.log",
		"log_truncate_on_rotation=on",
		"log_rotation_age=1d",
		"log_rotation_size=0",
		"log_file_mode=0600",
		"log_timezone=UTC",
		"log_line_prefix=%m [%p] %u@%d ",
		"log_min_duration_statement=1s",
		"log_parameter_max_length=0",
		"log_parameter_max_length_on_error=0",
		"log_error_verbosity=terse",
	}
	if a.unix() {
		s = append(s, "listen_addresses=", `unix_socket_directories="`+a.host+`"`, "unix_socket_permissions=0700")
	} else {
		s = append(s, "listen_addresses="+a.host)
	}
	if runtime.GOOS != "windows" {
		// A client that was killed must not leave its statement running, holding its locks.
		s = append(s, "client_connection_check_interval=10s")
		if !a.unix() {
			s = append(s, "unix_socket_directories=")
		}
	}
	if smallSharedMemory() {
		s = append(s, "max_parallel_workers_per_gather=0")
	}
	if c.Fast {
		s = append(s, "fsync=off", "full_page_writes=off", "synchronous_commit=off")
	}
	return s
}

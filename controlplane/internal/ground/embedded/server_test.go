//go:build linux

package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded"
)

// uidOf is the account a process runs as.
func uidOf(t *testing.T, pid int) int {
	t.Helper()
	info, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	check(t, err)
	return int(info.Sys().(*syscall.Stat_t).Uid)
}

func uidNamed(t *testing.T, name string) int {
	t.Helper()
	u, err := user.Lookup(name)
	check(t, err)
	uid, err := strconv.Atoi(u.Uid)
	check(t, err)
	return uid
}

// keepsData writes a row, restarts the server and finds it again.
func keepsData(t *testing.T, c embedded.Config, wantUID int) {
	t.Helper()
	srv := start(t, c)
	if got := uidOf(t, srv.PID()); got != wantUID {
		t.Errorf("postgres runs as uid %d, want %d", got, wantUID)
	}
	run(
		t,
		connect(t, srv.OwnerURL()),
		`create table word (w text); grant select on word to grantwright_app; insert into word values ('kept')`,
	)
	stop(t, srv)
	if alive(srv.PID()) {
		t.Errorf("postgres lives on after Stop")
	}
	again := start(t, c)
	if got := value[string](t, connect(t, again.AppURL()), `select w from word`); got != "kept" {
		t.Errorf("after the restart the word is %q", got)
	}
	stop(t, again)
}

func TestRestartKeepsTheDataForWhoeverRunsIt(t *testing.T) {
	if os.Geteuid() != 0 {
		keepsData(t, embedded.Config{Dir: filepath.Join(t.TempDir(), "pg")}, os.Geteuid())
		return
	}
	open := filepath.Join(openFolder(t), "data", "pg")
	t.Run("root drops to the account postgres", func(t *testing.T) {
		keepsData(t, embedded.Config{Dir: open}, uidNamed(t, "postgres"))
	})
	closed := filepath.Join(t.TempDir(), "pg") // below a folder with mode 0700
	t.Run("root below a closed folder uses a user namespace", func(t *testing.T) {
		keepsData(t, embedded.Config{Dir: closed}, 0)
	})
	t.Run("data that moves below a closed folder and back is handed over", func(t *testing.T) {
		moved := filepath.Join(t.TempDir(), "pg")
		for _, part := range []string{"", ".control"} {
			check(t, os.Rename(open+part, moved+part))
		}
		srv := start(t, embedded.Config{Dir: moved})
		if got := value[string](
			t,
			connect(t, srv.AppURL()),
			`select w from word`,
		); got != "kept" ||
			uidOf(t, srv.PID()) != 0 {
			t.Errorf("below the closed folder the word is %q, uid %d", got, uidOf(t, srv.PID()))
		}
	})
	t.Run("an ordinary user runs it as itself", func(t *testing.T) {
		nobody := uidNamed(t, "nobody")
		home := openFolder(t)
		check(t, os.Chown(home, nobody, nobody))
		cred := &syscall.Credential{Uid: uint32(nobody), Gid: uint32(nobody)}
		dir := filepath.Join(home, "data", "pg")
		first := startControlPlane(t, dir, cred)
		if got := uidOf(t, first.PID); got != nobody {
			t.Errorf("postgres runs as uid %d, want %d", got, nobody)
		}
		run(
			t,
			connect(t, first.Owner),
			`create table word (w text); grant select on word to grantwright_app; insert into word values ('kept')`,
		)
		check(t, first.stdin.Close())
		check(t, first.cmd.Wait())
		second := startControlPlane(t, dir, cred)
		if got := value[string](t, connect(t, second.App), `select w from word`); got != "kept" {
			t.Errorf("after the restart the word is %q", got)
		}
	})
}

// inBackground runs a statement that only the server's end will end.
func inBackground(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = conn.Exec(t.Context(), sql)
	}()
	t.Cleanup(func() { <-over })
}

// writeUntil inserts numbers until the connection breaks and returns the last one that was committed.
func writeUntil(t *testing.T, url string, broken func(acked int)) int {
	t.Helper()
	conn := connect(t, url)
	run(t, conn, `create table if not exists number (n bigint primary key)`)
	acked := value[int](t, conn, `select coalesce(max(n), 0) from number`)
	for {
		if _, err := conn.Exec(soon(t), `insert into number values ($1)`, acked+1); err != nil {
			return acked
		}
		acked++
		broken(acked)
	}
}

// holdsAll checks that every number up to the last committed one is there, and at most one more, whose answer
// was lost.
func holdsAll(t *testing.T, url string, acked int) {
	t.Helper()
	conn := connect(t, url)
	got := value[int](t, conn, `select count(*) from number where n <= $1`, acked)
	most := value[int](t, conn, `select max(n) from number`)
	if got != acked || most > acked+1 {
		t.Errorf("%d of %d committed rows are there, the highest is %d", got, acked, most)
	}
}

func TestKilledPostmasterLosesNothingThatWasCommitted(t *testing.T) {
	t.Parallel()
	c := embedded.Config{Dir: filepath.Join(t.TempDir(), "pg")}
	srv := start(t, c)
	// A backend in the middle of a statement outlives its postmaster until somebody tells it.
	busy := connect(t, srv.OwnerURL())
	backend := value[int](t, busy, `select pg_backend_pid()`)
	go func() {
		_, _ = busy.Exec(context.Background(), `select count(*) from generate_series(1, 1000000000000) g`)
	}()
	acked := writeUntil(t, srv.OwnerURL(), func(acked int) {
		if acked == 200 {
			check(t, syscall.Kill(srv.PID(), syscall.SIGKILL))
			check(t, syscall.Kill(backend, 0)) // still there
		}
	})
	select {
	case err := <-srv.Done():
		if err == nil || !strings.Contains(err.Error(), "stopped unexpectedly") {
			t.Errorf("Done delivers %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("Done delivers nothing")
	}
	stop(t, srv)
	again := start(t, c)
	holdsAll(t, again.OwnerURL(), acked)
	if alive(backend) {
		t.Errorf("the orphaned backend %d still runs", backend)
	}
}

func TestServerEndsWithItsKilledControlPlane(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pg")
	cp := startControlPlane(t, dir, nil)
	acked := writeUntil(t, cp.Owner, func(acked int) {
		if acked == 100 {
			check(t, cp.cmd.Process.Kill())
		}
	})
	_ = cp.cmd.Wait()
	within(t, 5*time.Second, "postgres ends", func() bool { return !alive(cp.PID) })
	second := startControlPlane(t, dir, nil)
	holdsAll(t, second.Owner, acked)

	// Both at once, and a start that does not wait.
	check(t, syscall.Kill(second.PID, syscall.SIGSTOP)) // cannot obey the signal of its parent's death
	second.kill(t)
	check(t, syscall.Kill(second.PID, syscall.SIGKILL))
	srv := start(t, embedded.Config{Dir: dir})
	holdsAll(t, srv.OwnerURL(), acked)
}

func TestStartWaitsForTheServerOfItsPredecessor(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pg")
	cp := startControlPlane(t, dir, nil)
	check(t, syscall.Kill(cp.PID, syscall.SIGSTOP))
	cp.kill(t)
	go func() {
		time.Sleep(200 * time.Millisecond)
		_ = syscall.Kill(cp.PID, syscall.SIGCONT)
	}()
	srv := start(t, embedded.Config{Dir: dir})
	if srv.PID() == cp.PID || alive(cp.PID) {
		t.Errorf("the old server %d still runs beside %d", cp.PID, srv.PID())
	}
}

func TestServerOfSomebodyElseIsNotTouched(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openFolder(t), "pg")
	srv := start(t, embedded.Config{Dir: dir, Fast: true})
	stop(t, srv)
	other := startByHand(t, srv, dir)
	_, err := embedded.Start(soon(t), embedded.Config{Dir: dir})
	inUse, ok := errors.AsType[*embedded.InUseError](err)
	if !ok || inUse.PID != other.Process.Pid || !alive(other.Process.Pid) {
		t.Errorf(
			"Start fails with %v, want an InUseError of process %d, which lives: %v",
			err,
			other.Process.Pid,
			alive(other.Process.Pid),
		)
	}
}

// startByHand runs a server on the data directory as an operator would.
func startByHand(t *testing.T, srv *embedded.Server, dir string) *exec.Cmd {
	t.Helper()
	info, err := os.Stat(dir)
	check(t, err)
	stat := info.Sys().(*syscall.Stat_t)
	cmd := exec.Command(
		filepath.Join(srv.BinDir(), "postgres"),
		"-D",
		dir,
		"-c",
		"listen_addresses=",
		"-c",
		"unix_socket_directories="+dir,
	)
	cmd.Dir, cmd.Env = "/", []string{"LC_ALL=C"}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stat.Uid, Gid: stat.Gid}}
	}
	check(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGINT); _ = cmd.Wait() })
	within(t, time.Minute, "the server started by hand is up", func() bool {
		_, err := os.Stat(filepath.Join(dir, ".s.PGSQL.5432"))
		return err == nil
	})
	return cmd
}

func TestServerIsDurableAndPrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pg")
	srv := start(t, embedded.Config{Dir: dir, MaxConnections: 37})
	admin := connect(t, srv.SuperuserURL("postgres"))
	got := map[string]string{}
	want := map[string]string{
		"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "data_checksums": "on",
		"listen_addresses": "", "unix_socket_directories": `"` + dir + `"`, "unix_socket_permissions": "0700",
		"max_connections": "37", "server_encoding": "UTF8", "TimeZone": "UTC", "jit": "off",
		"client_connection_check_interval": "10s", "log_parameter_max_length": "0",
	}
	for name := range want {
		got[name] = value[string](t, admin, `select current_setting($1)`, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	hba := value[int](t, admin, `select count(*) from pg_hba_file_rules where auth_method <> 'scram-sha-256'`)
	if hba != 0 {
		t.Errorf("%d rules let somebody in without a password", hba)
	}
	for _, path := range []string{dir, dir + ".control"} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %v, %v", path, info.Mode(), err)
		}
	}
	logs, err := filepath.Glob(dir + "/log/postgresql-???.log")
	check(t, err)
	if len(logs) != 1 {
		t.Errorf("PostgreSQL's logs: %v", logs)
	}
}

func TestSecondControlPlaneIsRefusedAndToldWhoIsThere(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pg")
	cp := startControlPlane(t, dir, nil)
	_, err := embedded.Start(soon(t), embedded.Config{Dir: dir})
	inUse, ok := errors.AsType[*embedded.InUseError](err)
	if !ok || inUse.PID != cp.cmd.Process.Pid {
		t.Fatalf("the second Start fails with %v, want an InUseError of process %d", err, cp.cmd.Process.Pid)
	}
	if !strings.Contains(err.Error(), strconv.Itoa(inUse.PID)) {
		t.Errorf("the message does not name the process: %v", err)
	}
	if got := value[int](t, connect(t, cp.App), `select 1`); got != 1 {
		t.Errorf("the first server answers %d", got)
	}
}

func TestOtherPeoplesDirectoriesAreLeftAsTheyAre(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"another version": {"/PG_VERSION": "13\n", "/base/1": "rows"},
		"no version":      {"/PG_VERSION": "x\n"},
		"something else":  {"/letters.txt": "dear"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "pg")
			for path, text := range files {
				check(t, os.MkdirAll(filepath.Dir(dir+path), 0o755))
				check(t, os.WriteFile(dir+path, []byte(text), 0o600))
			}
			_, err := embedded.Start(soon(t), embedded.Config{Dir: dir})
			if err == nil {
				t.Fatal("Start accepts the directory")
			}
			_, version := errors.AsType[*embedded.VersionError](err)
			if want := name == "another version"; version != want {
				t.Errorf("Start fails with %v; a VersionError is %v, want %v", err, version, want)
			}
			if diff := cmp.Diff(files, listing(t, dir)); diff != "" {
				t.Errorf("the directory changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestStalePIDOfAnotherProgramDoesNotBlockTheStart(t *testing.T) {
	t.Parallel()
	c := embedded.Config{Dir: filepath.Join(t.TempDir(), "pg"), Fast: true}
	srv := start(t, c)
	pidFile := filepath.Join(c.Dir, "postmaster.pid")
	text, err := os.ReadFile(pidFile)
	check(t, err)
	socketLock, err := os.ReadFile(filepath.Join(c.Dir, ".s.PGSQL.5432.lock"))
	check(t, err)
	stop(t, srv)
	other := exec.Command("sleep", "60")
	check(t, other.Start())
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	for path, text := range map[string][]byte{pidFile: text, filepath.Join(c.Dir, ".s.PGSQL.5432.lock"): socketLock} {
		stale := strings.Replace(string(text), strconv.Itoa(srv.PID()), strconv.Itoa(other.Process.Pid), 1)
		check(t, os.WriteFile(path, []byte(stale), 0o600))
	}
	start(t, c)
	if !alive(other.Process.Pid) {
		t.Error("the other program was ended")
	}
}

func TestInterruptedFirstStartLeavesNothingHalfDone(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	c := embedded.Config{Dir: filepath.Join(parent, "pg"), Fast: true}
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	if _, err := embedded.Start(ctx, c); err == nil {
		t.Fatal("Start succeeded in a moment")
	}
	if _, err := os.Stat(c.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data directory exists after an interrupted initdb: %v", err)
	}
	check(t, os.MkdirAll(c.Dir+".initdb-1/base", 0o700)) // as a killed process leaves it
	start(t, c)
	left, err := filepath.Glob(c.Dir + ".initdb-*")
	check(t, err)
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestLostPasswordsAreMadeAnew(t *testing.T) {
	t.Parallel()
	c := embedded.Config{Dir: filepath.Join(t.TempDir(), "pg"), Fast: true}
	srv := start(t, c)
	run(t, connect(t, srv.OwnerURL()), `create table word (w text)`)
	stop(t, srv)
	check(t, os.RemoveAll(c.Dir+".control"))
	again := start(t, c)
	if got := value[int](t, connect(t, again.OwnerURL()), `select count(*) from word`); got != 0 {
		t.Errorf("the table holds %d rows", got)
	}
	connect(t, again.AppURL())
	if _, err := pgx.Connect(soon(t), srv.AppURL()); err == nil {
		t.Error("the old password still opens the database")
	}
}

func TestLongPathFallsBackToLoopback(t *testing.T) {
	t.Parallel()
	c := embedded.Config{Dir: filepath.Join(t.TempDir(), strings.Repeat("deep", 25), "pg"), Fast: true}
	srv := start(t, c)
	conn := connect(t, srv.AppURL())
	if got := value[string](t, conn, `select host(inet_server_addr())`); got != "127.0.0.1" {
		t.Errorf("the server listens on %s", got)
	}
	e, err := embedded.Attach(c.Dir)
	check(t, err)
	connect(t, e.OwnerURL())
}

func TestStopDoesNotWaitForBusyClients(t *testing.T) {
	t.Parallel()
	srv := start(t, embedded.Config{Dir: filepath.Join(t.TempDir(), "pg"), Fast: true})
	conn := connect(t, srv.AppURL())
	run(t, conn, `begin`)
	inBackground(t, conn, `select pg_sleep(60)`)
	began := time.Now()
	stop(t, srv)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("Stop took %v", took)
	}
	if err, open := <-srv.Done(); open {
		t.Errorf("Done delivers %v after a wanted stop", err)
	}
	stop(t, srv) // a second one is harmless
}

package pg_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

func TestALineThatIsLostIsOpenedAgainAndWhatWasMissedIsHeard(t *testing.T) {
	d := pgtest.Fresh(t)
	system := pgtest.Tenant(t, d.DB, "acme")
	var out bytes.Buffer
	line := pg.Line{
		DB:      d.DB,
		Channel: "news",
		Again:   time.Millisecond,
		Log:     slog.New(slog.NewTextHandler(&out, nil)),
		Lost:    "lost the line",
	}
	ctx, stop := context.WithCancel(t.Context())
	heard, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		line.Listen(ctx, func() { heard <- struct{}{} })
	}()
	<-heard // for what was announced before there was a line
	err := d.DB.As(ctx, system, func(tx *pg.Tx) error { return pg.Notify(ctx, tx, "news", "") })
	if err != nil {
		t.Fatal(err)
	}
	<-heard
	cut(t, d, `listen "news"`)
	<-heard // at once when it is there again, though nobody has announced anything
	stop()
	<-ended
	if said := out.String(); strings.Count(said, "\n") != 1 ||
		!strings.Contains(said, `level=WARN msg="lost the line" err=`) {
		t.Errorf("the log says %q; want one line of the loss, and none of the end", said)
	}
}

// cut ends the connection that runs a statement, or ran it last.
func cut(t *testing.T, d pgtest.Database, query string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var n int
	const sql = `select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity where datname = current_database()
		and query = $1`
	if err := conn.QueryRow(t.Context(), sql, query).Scan(&n); err != nil || n != 1 {
		t.Fatalf("cut %d connections, %v; want 1", n, err)
	}
}

func TestWhatIsFoundAcrossIsOfAllTenantsAndOnlyRead(t *testing.T) {
	db := pgtest.New(t)
	var all []viewer.Viewer
	for _, slug := range []string{"a", "b", "c"} {
		all = append(all, pgtest.Tenant(t, db, slug))
	}
	found, err := pg.FindAcross(
		t.Context(),
		db,
		pgx.RowTo[string],
		`select id::text from tenant where slug > $1 order by slug`,
		"a",
	)
	if want := []string{all[1].Tenant, all[2].Tenant}; err != nil || fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("found %v, %v; want %v", found, err, want)
	}
	if _, err := pg.FindAcross(
		t.Context(),
		db,
		pgx.RowTo[string],
		`update tenant set name = 'x' returning id::text`,
	); err == nil {
		t.Error("an update over all tenants was let through")
	}
}
